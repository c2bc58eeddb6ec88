// Search patterns of callers: plain text, or a regular expression in RE2's syntax, whose cost is linear in the text.
import type { RE2JS } from "re2js";
import { AppError, messageOf } from "../../errors.ts";

export interface PatternOptions {
  regex: boolean;
  matchCase: boolean;
}

/** True if a line matches. */
export type LineTest = (line: string) => boolean;

/** @throws {AppError} `invalid-argument` */
export async function lineTest(pattern: string, { regex, matchCase }: PatternOptions): Promise<LineTest> {
  if (regex) {
    const compiled = await compileRegex(pattern, matchCase);
    return (line) => compiled.test(line);
  }
  if (matchCase) return (line) => line.includes(pattern);
  const lower = pattern.toLowerCase();
  return (line) => line.toLowerCase().includes(lower);
}

/**
 * `^` and `$` stand at the ends of lines.
 * @throws {AppError} `invalid-argument` saying why RE2 can't take it
 */
export async function compileRegex(pattern: string, matchCase = true): Promise<RE2JS> {
  const { RE2JS } = await import("re2js");
  try {
    return RE2JS.compile(pattern, RE2JS.MULTILINE | (matchCase ? 0 : RE2JS.CASE_INSENSITIVE));
  } catch (error) {
    // The engine writes its flags in front of what it was given.
    const reason = messageOf(error).replace(/`(\(\?[a-z]\))+/, "`");
    throw new AppError("invalid-argument", `Cannot use the pattern "${pattern}": ${reason}`, {
      hint: "Patterns are RE2: no look-around and no backreferences",
    });
  }
}

/**
 * One regular expression that matches where any of the patterns does, in RE2's syntax.
 * @throws {AppError} `invalid-argument` naming the pattern that can't be used
 */
export async function anyOf(
  patterns: readonly string[],
  { regex, matchCase }: PatternOptions,
): Promise<string> {
  const { RE2JS } = await import("re2js");
  if (regex) { for (const pattern of patterns) await compileRegex(pattern, matchCase); }
  const sources = patterns.map((pattern) => `(?:${regex ? pattern : RE2JS.quote(pattern)})`);
  return `${matchCase ? "" : "(?i)"}(?:${sources.join("|")})`;
}
