// Severity of a single line, for watches, which can't wait for the next lines.
import { COMPILERS } from "./compilers.ts";
import type { Severity } from "./finding.ts";
import { severityOf } from "./tool_format.ts";

/** Pattern of error reports that don't contain a word for error; text without a match has none. */
export const WORDLESS_ERROR =
  /\.go:\d+:\d+: |undefined reference to|multiple definition of|\*\*\* |\.(?:pyi?|ipynb):\d+:\d+: [A-Z]+\d+ /;

const LINE_FORMATS = COMPILERS.filter(({ within, head, from }) => (within ?? head ?? from) === undefined);
/** Maximum characters that are read of a line. */
const MAX_LINE_CHARS = 1000;

/** The severity that a tool gives this line; undefined if no single-line format matches. */
export function lineSeverity(line: string): Severity | undefined {
  const text = line.length > MAX_LINE_CHARS ? line.slice(0, MAX_LINE_CHARS) : line;
  for (const { begin, except, severity = "error" } of LINE_FORMATS) {
    const match = begin.exec(text);
    if (!match || except?.test(text)) continue;
    return severityOf(match.groups?.["severity"]) ?? severity;
  }
  return undefined;
}
