// Decides if one line reports an error: by known tools' formats, and by words on all other lines.
import type { RE2JS } from "re2js";
import { lineSeverity, mayHaveWordlessError } from "./line_severity.ts";
import { findTaskLines } from "./task_prefix.ts";

/** Sources of the patterns of lines that report errors. */
export interface ErrorPatterns {
  errorPattern: string;
  /** Text that is removed from a line before its words count; empty to remove nothing. */
  errorIgnorePattern: string;
}

export interface ErrorWords {
  words: RE2JS;
  /**
   * Returns the pattern that is removed from a line before its words count. Compiling it takes 25 ms, so that
   * is done for the first line.
   */
  harmless?: () => RE2JS;
}

/** Returns the compiled patterns. */
export function errorWords(
  { errorPattern, errorIgnorePattern }: ErrorPatterns,
  compile: (source: string) => RE2JS,
): ErrorWords {
  let harmless: RE2JS | undefined;
  return {
    words: compile(errorPattern),
    ...(errorIgnorePattern !== "" && { harmless: () => harmless ??= compile(errorIgnorePattern) }),
  };
}

/** End of an error report within a line; undefined if the line reports no error. */
export function errorEnd(line: string, { words, harmless: compiled }: ErrorWords): number | undefined {
  const hasWord = words.test(line);
  if (!hasWord && !mayHaveWordlessError(line)) return undefined;
  const severity = lineSeverity(line);
  if (severity !== undefined) return severity === "error" ? line.length : undefined;
  if (!hasWord) return undefined;
  const harmless = compiled?.();
  const texts = [line, ...ownTexts(line, words)].filter((text) => harmless?.test(text));
  if (harmless === undefined || texts.length === 0) return matchEnd(line, words);
  const isError = texts.every((text) => words.test(harmless.matcher(text).replaceAll(" ")));
  return isError ? line.length : undefined;
}

/** Text of tasks behind their names (`web-1  | `), if all words are in it: `ValueError: ` is the name of no task. */
function ownTexts(line: string, words: RE2JS): string[] {
  const texts = findTaskLines(line).map(({ text }) => text);
  return texts.filter((text) => words.test(text) && !words.test(line.slice(0, line.length - text.length)));
}

/**
 * End of a pattern's first match in a line; undefined without one. `test` runs on the engine's DFA, at some 50 MB/s,
 * where `find` reaches 0.5 MB/s with the default error pattern.
 */
export function matchEnd(line: string, pattern: RE2JS): number | undefined {
  if (!pattern.test(line)) return undefined;
  const matcher = pattern.matcher(line);
  return matcher.find() ? matcher.end() : undefined;
}
