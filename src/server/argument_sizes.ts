// Limits on the size and depth of an argument; validating a larger one would take seconds.
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";

const DEEPEST = 32;
/** Maximum characters of text in one argument. */
const LONGEST = 10_000;
/**
 * Repetitions in a pattern multiply the time and memory that RE2 needs to compile it; a workspace is a file's text, and
 * resumeFromOffset comes from an answer, which may have 1 MiB.
 */
const LONGEST_BY_NAME: Readonly<Record<string, number>> = {
  // On a busy machine a shell reads 150 KB per second, and has 20 s; the rest would be typed at its prompt.
  command: 1_000_000,
  grep: 2000,
  pattern: 2000,
  promptPattern: 2000,
  query: 2000,
  resumeFromOffset: 1_000_000,
  triggers: 4000,
  workspace: 100_000,
};
/**
 * Arguments that are passed on unchanged; only the size of a message limits them. Each of the `calls` has its own
 * arguments checked.
 */
const CONTENTS: ReadonlySet<string> = new Set(
  "calls content environment hex input keys text value".split(" "),
);

/** @throws {AppError} `invalid-argument` naming the argument and its limit */
export function checkSizes(sent: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(sent)) {
    const shown = excerpt(name, 60);
    const { depth, length } = measure(value);
    if (depth > DEEPEST) throw tooDeep(shown);
    const most = Object.hasOwn(LONGEST_BY_NAME, name) ? LONGEST_BY_NAME[name]! : LONGEST;
    if (CONTENTS.has(name) || length <= most) continue;
    throw tooMuch(`${shown} of ${length} characters`, `at most ${most} characters`);
  }
}

/** @throws {AppError} `invalid-argument` if a value parsed from an argument's text has too many levels */
export function checkDepth(parsed: unknown): void {
  if (measure(parsed).depth > DEEPEST) throw tooDeep("JSON text");
}

function tooDeep(what: string): AppError {
  return tooMuch(what, `at most ${DEEPEST} levels of lists and objects`);
}

function tooMuch(what: string, expected: string): AppError {
  return new AppError("invalid-argument", `Invalid ${what}: expected ${expected}`, { hint: "Shorten it" });
}

/** Depth and length of a value. It doesn't recurse, because the depth is unchecked. */
function measure(value: unknown): { depth: number; length: number } {
  let depth = 0;
  let length = 0;
  const pending: { value: unknown; at: number }[] = [{ value, at: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    depth = Math.max(depth, next.at);
    if (typeof next.value === "string") length += next.value.length;
    if (typeof next.value !== "object" || next.value === null || depth > DEEPEST) continue;
    for (const [key, each] of Object.entries(next.value)) {
      if (!Array.isArray(next.value)) length += key.length;
      pending.push({ value: each, at: next.at + 1 });
    }
  }
  return { depth, length };
}
