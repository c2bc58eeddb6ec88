// Severity of a single line, for watches, which can't wait for the next lines.
import { COMPILERS } from "./compilers.ts";
import type { Severity } from "./finding.ts";
import { isJsonError, JSON_ERROR } from "./json_error.ts";
import { findTaskLines } from "./task_prefix.ts";
import { severityOf } from "./tool_format.ts";

/**
 * Patterns of error reports that don't contain a word for error. They are tried at each character of a text, so
 * none has a part that can run on to the end of a line.
 */
export const WORDLESS_ERRORS: readonly RegExp[] = [
  /\.go:\d+:\d+: |undefined reference to|multiple definition of|\*\*\* |\.(?:pyi?|ipynb):\d+:\d+: [A-Z]+\d+ |\.kts?:(?:\d+:\d| \(\d)/,
  JSON_ERROR,
];

const LINE_FORMATS = COMPILERS.filter(({ within, head, from }) => (within ?? head ?? from) === undefined);
/** Maximum characters that are read of a line. */
const MAX_LINE_CHARS = 1000;

/** False for text without a line that `lineSeverity` calls an error although it has no word for one. */
export function mayHaveWordlessError(text: string): boolean {
  return WORDLESS_ERRORS.some((pattern) => pattern.test(text));
}

/** The severity that a tool gives this line, or a logger to an error; undefined if no single-line format matches. */
export function lineSeverity(line: string): Severity | undefined {
  for (const text of [line, ...findTaskLines(line).map((own) => own.text)]) {
    const severity = severityOfWhole(text);
    if (severity !== undefined) return severity;
  }
  return undefined;
}

function severityOfWhole(line: string): Severity | undefined {
  const text = line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line;
  for (const { begin, except, severity = "error" } of LINE_FORMATS) {
    const match = begin.exec(text);
    if (!match || except?.test(text)) continue;
    return severityOf(match.groups?.["severity"]) ?? severity;
  }
  return isJsonError(line) ? "error" : undefined;
}
