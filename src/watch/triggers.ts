// Reads a caller's list of triggers, and checks that each one is valid.
import { AppError } from "../errors.ts";
import { parseJson } from "../json.ts";
import { didYouMean } from "../nearest.ts";
import { compileRegex, PLAIN_PARTS } from "../regex.ts";
import { PLAIN_TRIGGERS, TRIGGERS } from "../vocabulary.ts";
import type { Trigger } from "./protocol.ts";

const PREFIX = "pattern:";
const PORT = "port";
const MAX_PORT = 65_535;

/**
 * Returns the triggers in the caller's order, the readiness pattern first.
 * @throws {AppError} `invalid-argument`, naming the trigger and the valid ones, or the objection to a pattern
 */
export async function parseTriggers(
  list: string | readonly string[],
  readiness?: string,
): Promise<Trigger[]> {
  const array = typeof list === "string" ? findJsonList(list) : list;
  const words = array?.map(withoutBlanks) ?? splitTriggers(String(list));
  const written = readiness === undefined ? words : [PREFIX + readiness, ...words];
  if (written.filter((word) => word !== "").length === 0) {
    throw new AppError("invalid-argument", "The trigger list is empty", {
      hint: `Valid triggers: ${TRIGGERS}`,
    });
  }
  const triggers = written.filter((word) => word !== "").map(parseTrigger);
  for (const trigger of triggers) if (trigger.kind === "pattern") await compileRegex(trigger.source);
  return triggers;
}

/** Returns the triggers that fire once a program is ready: on what it prints, and on the port that it listens on. */
export function readyTriggers({ pattern, port }: {
  pattern?: string | undefined;
  port?: number | undefined;
}): string[] {
  return [
    ...(pattern === undefined ? [] : [PREFIX + pattern]),
    ...(port === undefined ? [] : [`${PORT}:${port}`]),
  ];
}

/** Turns `idle: 2` into `idle:2`. Blanks at the end of a pattern belong to it, as in `pattern:>>> `. */
function withoutBlanks(word: string): string {
  const meant = word.trimStart().replace(/^(idle|pattern|port)\s*:\s*/, "$1:");
  return meant.startsWith(PREFIX) ? meant : meant.trimEnd();
}

function parseTrigger(word: string): Trigger {
  if (word.startsWith(PREFIX) && word.length > PREFIX.length) {
    return { kind: "pattern", event: word, source: word.slice(PREFIX.length) };
  }
  const plain = PLAIN_TRIGGERS.find((kind) => kind === word);
  if (plain) return { kind: plain, event: word };
  const idle = /^idle:(\d+(?:\.\d+)?)$/.exec(word);
  if (idle && Number(idle[1]) > 0) return { kind: "idle", event: word, seconds: Number(idle[1]) };
  if (word === PORT) return { kind: "port", event: word };
  const port = /^port:(\d+)$/.exec(word);
  const number = Number(port?.[1]);
  if (number >= 1 && number <= MAX_PORT) return { kind: "port", event: word, port: number };
  throw badTrigger(word);
}

/** The forms of triggers with a value. */
const FORMS: ReadonlyMap<string, string> = new Map([
  ["idle", "idle:SECONDS, more than 0"],
  ["port", `port:NUMBER, from 1 to ${MAX_PORT}`],
  ["pattern", "pattern:REGEX"],
]);

function badTrigger(word: string): AppError {
  const wanted = FORMS.get(word.split(":", 1)[0]!);
  const meant = wanted === undefined ? didYouMean(word, [...PLAIN_TRIGGERS, PORT]) : "";
  const what = wanted === undefined
    ? `Unknown trigger "${word}"`
    : `Invalid trigger "${word}": expected ${wanted}`;
  return new AppError("invalid-argument", what, { hint: `${meant}Valid triggers: ${TRIGGERS}` });
}

/** Returns the words of a JSON array, which some clients pass as text; undefined for any other text. */
function findJsonList(text: string): string[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  const list = parseJson(text);
  return Array.isArray(list) && list.every((word) => typeof word === "string") ? list : undefined;
}

/** Splits at commas, but not at commas inside a pattern: a pattern ends where the rest reads as a trigger again. */
function splitTriggers(text: string): string[] {
  const words: string[] = [];
  const parts = text.split(",");
  for (const [index, part] of parts.entries()) {
    const last = words.at(-1);
    const isEnd = index === parts.length - 1 && part.trim() === "";
    const inPattern = last?.startsWith(PREFIX) &&
      (isOpen(last.slice(PREFIX.length)) || !(isEnd || looksLikeTrigger(withoutBlanks(part))));
    if (inPattern) words[words.length - 1] = `${last},${part}`;
    else words.push(withoutBlanks(part));
  }
  return words.map((word) => word.trimEnd());
}

function looksLikeTrigger(word: string): boolean {
  return word.startsWith(PREFIX) || word.startsWith("idle:") || /^port(:\d+)?$/.test(word) ||
    PLAIN_TRIGGERS.some((kind) => kind === word);
}

/** True if a regular expression can't end here: a group, a class, an escape or a repetition is open. */
function isOpen(pattern: string): boolean {
  const rest = pattern.replaceAll(PLAIN_PARTS, "");
  const groups = rest.split("(").length - rest.split(")").length;
  return groups > 0 || /[[\\]|\{\d+$/.test(rest);
}
