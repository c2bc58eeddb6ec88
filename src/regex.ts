// Regular expressions of callers, in RE2's syntax: their cost is linear in the text.
import type { RE2JS } from "re2js";
import { AppError, messageOf } from "./errors.ts";

/** Parts of a regular expression in which brackets mean nothing: quoted text, an escape, a class. */
export const PLAIN_PARTS = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|(?!\[:\^?\w+:\])[^\]\\])*\]/gs;
/** Brackets, alternatives, and line breaks that are not optional. */
const STRUCTURE = /[()|]|\n(?![?*]|\{0)/g;

/**
 * Compiles a pattern in which `^` and `$` match at the ends of lines. `byLine`: it is matched with one line at a time.
 * @throws {AppError} `invalid-argument`, with RE2's objection, or for a pattern that no single line matches
 */
export async function compileRegex(source: string, { matchCase = true, byLine = true } = {}): Promise<RE2JS> {
  const { RE2JS } = await import("re2js");
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source, RE2JS.MULTILINE | (matchCase ? 0 : RE2JS.CASE_INSENSITIVE));
  } catch (cause) {
    // The engine puts its flags in front of the pattern.
    const reason = messageOf(cause).replace(matchCase ? "`(?m)" : "`(?m)(?i)", "`");
    throw new AppError("invalid-argument", `Cannot use the pattern "${source}": ${reason}`, {
      hint: "Patterns are RE2: no look-around and no backreferences",
      cause,
    });
  }
  if (byLine && needsLineBreak(source)) throw spansLines(source);
  return compiled;
}

/**
 * Checks that a line can contain a text.
 * @throws {AppError} `invalid-argument`
 */
export function checkFitsLine(text: string): void {
  if (text.includes("\n")) throw spansLines(text);
}

/** True if every match contains a line break. It does not look into groups, which may be optional. */
function needsLineBreak(source: string): boolean {
  const plain = source.replaceAll(PLAIN_PARTS, (part) => part === "\\n" ? "\n" : "x");
  let depth = 0;
  let needs = false;
  for (const [token] of plain.matchAll(STRUCTURE)) {
    if (token === "(") depth++;
    else if (token === ")") depth--;
    else if (depth === 0 && token === "|") return false;
    else needs ||= depth === 0;
  }
  return needs;
}

function spansLines(pattern: string): AppError {
  const shown = pattern.replaceAll("\n", "\\n");
  return new AppError("invalid-argument", `Cannot find "${shown}": it contains a line break`, {
    hint:
      "Text is matched line by line: give what is in one line, or a|b as a regex for any of several lines",
  });
}
