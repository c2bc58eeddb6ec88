// Callers' search patterns: plain text, or a regular expression in RE2's syntax, which takes linear time.
import { checkFitsLine, compileRegex } from "../../regex.ts";
import type { Line } from "../../tmux/capture/grid.ts";

export interface PatternOptions {
  regex: boolean;
  matchCase: boolean;
}

/** True if a line matches. */
export type LineTest = (line: string) => boolean;

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
