// Callers' search patterns: plain text, or a regular expression in RE2's syntax, which takes linear time.
import { excerpt } from "../../excerpt.ts";
import { checkFitsLine, compileRegex } from "../../regex.ts";
import type { Line } from "../../tmux/capture/grid.ts";

export interface PatternOptions {
  regex: boolean;
  matchCase: boolean;
}

export type LineTest = (line: string) => boolean;

/** Syntax of a regex that text to find hardly contains. */
const REGEX_SYNTAX = /\.[*+]|\\[bdsw]|\w\|\w|\[\w-\w[^\]]*\]/i;

/** Returns a hint for a search without a match whose text reads like a regex. */
export function hintAtRegex(patterns: readonly string[], { regex }: PatternOptions): { hint?: string } {
  const found = regex ? undefined : patterns.find((pattern) => REGEX_SYNTAX.test(pattern));
  return found === undefined
    ? {}
    : { hint: `"${excerpt(found, 100)}" was searched for as text: regex: true makes it a regex` };
}

/** @throws {AppError} `invalid-argument` */
export async function lineTest(pattern: string, { regex, matchCase }: PatternOptions): Promise<LineTest> {
  if (regex) {
    const compiled = await compileRegex(pattern, { matchCase });
    return (line) => compiled.test(line);
  }
  checkFitsLine(pattern);
  if (matchCase) return (line) => line.includes(pattern);
  const lower = pattern.toLowerCase();
  return (line) => line.toLowerCase().includes(lower);
}

/**
 * True if a line that a pane shows matches: without its trailing blanks, with one, or with all of them. After a
 * prompt there may be one blank that was printed, and others that erased earlier text.
 */
export function testShown({ text, blanks }: Pick<Line, "text" | "blanks">, test: LineTest): boolean {
  return test(text) || (blanks > 0 && test(`${text} `)) || (blanks > 1 && test(text + " ".repeat(blanks)));
}

/**
 * Returns one RE2 expression that matches wherever any of the patterns does.
 * @throws {AppError} `invalid-argument` naming the pattern that can't be used
 */
export async function anyOf(
  patterns: readonly string[],
  { regex, matchCase }: PatternOptions,
): Promise<string> {
  const { RE2JS } = await import("re2js");
  for (const pattern of patterns) {
    if (regex) await compileRegex(pattern, { matchCase });
    else checkFitsLine(pattern);
  }
  const sources = patterns.map((pattern) => `(?:${regex ? pattern : RE2JS.quote(pattern)})`);
  return `${matchCase ? "" : "(?i)"}(?:${sources.join("|")})`;
}
