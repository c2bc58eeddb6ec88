// Severity of a single line, for watches, which can't wait for the next lines.
import { COMPILERS } from "./compilers.ts";
import type { Severity } from "./finding.ts";
import { isObject, parseJson } from "../json.ts";
import { findTaskLines } from "./task_prefix.ts";
import { severityOf } from "./tool_format.ts";

/** Pattern of JSON with the level of an error somewhere; text without a match has none. */
const JSON_ERROR =
  /"(?:level(?:_?name)?|log\.?level|severity|lvl|@l)"\s?:\s?(?:"(?:err|crit|fatal|alert|emerg|severe|d?panic)|[56]0\b)/i;

/**
 * Patterns of error reports that don't contain a word for error. They are tried at each character of a text, so
 * none has a part that can run on to the end of a line.
 */
export const WORDLESS_ERRORS: readonly RegExp[] = [
  /\.go:\d+:\d+: |undefined reference to|multiple definition of|\*\*\* |\.(?:pyi?|ipynb):\d+:\d+: [A-Z]+\d+[ :]|\.kts?:(?:\d+:\d| \(\d)/,
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

const START = /^(?:[\dTZ:.+-]+ )?\s*\{/;
const NAME = /^(?:level(?:_?name)?|log\.?level|severity|lvl|@l)$/i;
const LEVEL = /^(?:err(?:or)?|crit(?:ical)?|fatal|alert|emerg(?:ency)?|severe|d?panic)$/i;
/** Fields that a log record has, and settings of a logger don't. */
const LOGGED = /^(?:msg|message|event|err|error|time|ts|@?timestamp|@mt?|@t|textPayload|jsonPayload)$/i;

/**
 * True if a logger wrote a line as JSON with the level of an error, as pino, bunyan, winston, zap, logrus, slog, logback
 * and Google Cloud's do. Only the record's own level counts, not one in its fields.
 */
function isJsonError(line: string): boolean {
  const start = JSON_ERROR.test(line) ? START.exec(line)?.[0].length : undefined;
  const record = start === undefined ? undefined : parseJson(line.slice(start - 1));
  if (!isObject(record) || !Object.keys(record).some((name) => LOGGED.test(name))) return false;
  const levels = Object.entries(record).flatMap(([name, value]) => NAME.test(name) ? [value] : []);
  const level = levels.find((value) => typeof value === "string") ?? levels[0];
  if (typeof level === "string") return LEVEL.test(level);
  // The numbers of pino and bunyan. In a record without a message they may count anything.
  return (level === 50 || level === 60) && typeof record["msg"] === "string";
}
