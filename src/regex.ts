// Regular expressions of callers, in RE2's syntax: their cost is linear in the text.
import type { RE2JS } from "re2js";
import { AppError, messageOf } from "./errors.ts";

/**
 * Compiles a pattern in which `^` and `$` match at the ends of lines.
 * @throws {AppError} `invalid-argument`, with RE2's objection
 */
export async function compileRegex(source: string, { matchCase = true } = {}): Promise<RE2JS> {
  const { RE2JS } = await import("re2js");
  try {
    return RE2JS.compile(source, RE2JS.MULTILINE | (matchCase ? 0 : RE2JS.CASE_INSENSITIVE));
  } catch (cause) {
    // The engine puts its flags in front of the pattern.
    const reason = messageOf(cause).replace(matchCase ? "`(?m)" : "`(?m)(?i)", "`");
    throw new AppError("invalid-argument", `Cannot use the pattern "${source}": ${reason}`, {
      hint: "Patterns are RE2: no look-around and no backreferences",
      cause,
    });
  }
}
