// Decides if a logger wrote a line as JSON with the level of an error, as pino, bunyan, winston, zap, logrus,
// slog, logback and Google Cloud's do.
import { isObject, parseJson } from "../json.ts";

/** Pattern of JSON with such a level somewhere; text without a match has no error. */
export const JSON_ERROR =
  /"(?:level(?:_?name)?|log\.?level|severity|lvl|@l)"\s?:\s?(?:"(?:err|crit|fatal|alert|emerg|severe|d?panic)|[56]0\b)/i;

const START = /^(?:[\dTZ:.+-]+ )?\s*\{/;
const NAME = /^(?:level(?:_?name)?|log\.?level|severity|lvl|@l)$/i;
const LEVEL = /^(?:err(?:or)?|crit(?:ical)?|fatal|alert|emerg(?:ency)?|severe|d?panic)$/i;
/** Fields that a log record has, and settings of a logger don't. */
const LOGGED = /^(?:msg|message|event|err|error|time|ts|@?timestamp|@mt?|@t|textPayload|jsonPayload)$/i;

/** True if the record's own level names an error; a level in one of its fields isn't its own. */
export function isJsonError(line: string): boolean {
  const start = JSON_ERROR.test(line) ? START.exec(line)?.[0].length : undefined;
  const record = start === undefined ? undefined : parseJson(line.slice(start - 1));
  if (!isObject(record) || !Object.keys(record).some((name) => LOGGED.test(name))) return false;
  const levels = Object.entries(record).flatMap(([name, value]) => NAME.test(name) ? [value] : []);
  const level = levels.find((value) => typeof value === "string") ?? levels[0];
  if (typeof level === "string") return LEVEL.test(level);
  // The numbers of pino and bunyan. In a record without a message they may count anything.
  return (level === 50 || level === 60) && typeof record["msg"] === "string";
}
