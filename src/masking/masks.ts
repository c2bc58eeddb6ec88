// Replaces secrets in text, including those that a terminal wrapped or that are cut at the end.
import type { RE2JS } from "re2js";
import { AppError, messageOf } from "../errors.ts";
import { cellsIn, characterWidth } from "../terminal/width.ts";
import { findAll, replaceSpans, type TextSpan, unite } from "./text_spans.ts";

/** Mark where `excerpt` has cut a text. */
const CUT = "…";
/** Minimum characters of a secret; a shorter text would be found everywhere. */
const LEAST_CHARS = 4;
/** Pattern for a tab, or the blanks that a terminal shows for it. */
const TAB = "(?:\\t| +)";
/** Colors and other sequences that a program may print between the letters of a text, as `grep --color` does. */
// deno-lint-ignore no-control-regex
const STYLE = /\x1b\[[\d;:]*[mK]|\x1b\]8;[^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b\([0B]|[\x0e\x0f]/g;
// deno-lint-ignore no-control-regex
const BEGUN_STYLE = /\x1b(?:\[[\d;:]*|\]8?|\]8;[^\x07\x1b\n]*\x1b?|\()?$/;
/** Number of style characters per character of a secret that are searched at the end of a text. */
const MOST_STYLED = 16;

/**
 * Reads `env:NAME`, `literal:TEXT` and `regex:RE2`; undefined if there is nothing to mask.
 * @throws {AppError} `invalid-argument` naming the mask, but not its text
 */
export async function loadMasks(
  given: readonly string[],
  variable: (name: string) => string | undefined,
): Promise<Masks | undefined> {
  const literals: string[] = [];
  const patterns: RE2JS[] = [];
  for (const [index, mask] of given.entries()) {
    const { kind, text = "" } = /^(?<kind>env|literal|regex):(?<text>.+)$/s.exec(mask)?.groups ?? {};
    if (kind === "regex") patterns.push(await compile(text, index));
    else if (kind === "literal") literals.push(...linesOf(text, `number ${index + 1}`));
    else if (kind === "env") literals.push(...linesOf(variable(text) ?? "", mask));
    else throw invalid(`number ${index + 1}`, "expected env:NAME, literal:TEXT or regex:RE2");
  }
  return literals.length + patterns.length === 0 ? undefined : new Masks(literals, patterns);
}

/** Names of the variables in `env:NAME`. */
export function maskedVariables(given: readonly string[]): string[] {
  return given.flatMap((mask) => /^env:(.+)$/s.exec(mask)?.[1] ?? []);
}

/** The lines of a secret, each of which is a secret because output is read by line. */
function linesOf(secret: string, name: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length === 1 && lines[0]!.length < LEAST_CHARS) {
    throw invalid(name, `expected a text of at least ${LEAST_CHARS} characters`);
  }
  return lines.filter((line) => line.length >= LEAST_CHARS);
}

async function compile(source: string, index: number): Promise<RE2JS> {
  const { RE2JS } = await import("re2js");
  try {
    const pattern = RE2JS.compile(source, RE2JS.MULTILINE);
    if (pattern.test("")) throw new Error("it matches an empty text");
    return pattern;
  } catch (error) {
    throw invalid(`number ${index + 1}`, messageOf(error));
  }
}

function invalid(name: string, why: string): AppError {
  return new AppError("invalid-argument", `Invalid mask ${name}: ${why}`, {
    hint: "Give env:NAME, literal:TEXT or regex:RE2 in security.mask",
  });
}

/** Replaces secrets in text by `[masked]`; `loadMasks` makes one. */
export class Masks {
  /** Literal secrets as they are and as JSON and tmux quote them, the longest first: one can begin with another. */
  readonly #literals: readonly string[];
  readonly #patterns: readonly RE2JS[];
  readonly #plain: RegExp | undefined;
  /** Finds a literal that a terminal broke at the end of a row, in text and in JSON. */
  readonly #broken: RegExp | undefined;

  /**
   * Masks texts, and whatever matches a pattern.
   * @param literals Secret texts
   * @param patterns Patterns whose matches are secret
   */
  constructor(literals: readonly string[], patterns: readonly RE2JS[]) {
    const escaped = literals.map((literal) => JSON.stringify(literal).slice(1, -1));
    const quoted = escaped.map((each) => each.replaceAll(/\$(?=[A-Za-z_{])/g, "\\$&"));
    this.#literals = [...new Set([...literals, ...escaped, ...quoted])].sort((a, b) => b.length - a.length);
    this.#patterns = patterns;
    if (literals.length === 0) return;
    const plain = this.#literals.map((each) => each.split("\t").map(RegExp.escape).join(TAB));
    this.#plain = new RegExp(plain.join("|"), "g");
    this.#broken = new RegExp(this.#literals.map(orBroken).join("|"), "g");
  }

  /** True if there are patterns. */
  get hasPatterns(): boolean {
    return this.#patterns.length > 0;
  }

  /** Masks whole lines. */
  lines(text: string): string {
    return maskStyled(text, (each) => replaceSpans(each, this.#wholeIn(each)));
  }

  /** Masks a text that may be part of a longer one and may be wrapped. */
  text(text: string): string {
    return maskStyled(text, (each) => {
      const matches = [...this.#matches(each), ...this.#wrappedMatches(each)];
      return replaceSpans(each, [...findAll(each, this.#broken), ...matches, ...this.#ends(each)]);
    });
  }

  /**
   * Finds the secrets in the rows of one unstyled line that can be masked before the rest of the line is known. A
   * pattern may match more with the rest, so its matches count only within one row. Undefined if the end of the line
   * is secret only when its row is read alone.
   */
  wrapped(rows: readonly string[]): { start: number; end: number }[] | undefined {
    const line = rows.join("");
    let from = 0;
    const ofRows = rows.flatMap((row) => {
      const at = from;
      from += row.length;
      return this.#wholeIn(row).map(({ start, end }) => ({ start: at + start, end: at + end }));
    });
    const ofLine = unite(this.#wholeIn(line));
    const all = unite([...ofLine, ...ofRows]);
    const lastStart = (spans: readonly TextSpan[]): number =>
      spans.find(({ end }) => end === line.length)?.start ?? line.length;
    if (lastStart(all) < lastStart(ofLine)) return undefined;
    const isOfLine = (span: TextSpan): boolean =>
      ofLine.some(({ start, end }) => start <= span.start && span.end <= end);
    const safeEnd = this.hasPatterns ? 0 : this.safeEnd(line);
    return all.filter((span) => span.end <= safeEnd || !isOfLine(span));
  }

  #wholeIn(line: string): TextSpan[] {
    return [...findAll(line, this.#plain), ...this.#matches(line)];
  }

  /** Index at which a secret or a style may begin at the end of a text; the text's length if none does. */
  safeEnd(text: string): number {
    const longest = this.#literals[0]?.length ?? 0;
    const { letters, at, end } = lettersAtEnd(text, longest * MOST_STYLED);
    let from = Math.max(letters.length - longest + 1, 0);
    while (from < letters.length && !this.#begins(letters.slice(from))) from++;
    const cut = unite(findAll(letters, this.#plain)).find((span) => span.start < from && from < span.end);
    return at[cut?.start ?? from] ?? end;
  }

  #begins(text: string): boolean {
    return this.#literals.some((literal) => literal.startsWith(text));
  }

  /** Finds the patterns line by line, because a match must not include a line end. */
  #matches(text: string): TextSpan[] {
    return this.#patterns.filter((pattern) => pattern.test(text)).flatMap((pattern) => {
      let from = 0;
      return text.split("\n").flatMap((line) => {
        const spans: TextSpan[] = [];
        const matcher = pattern.matcher(line);
        while (matcher.find()) spans.push({ start: from + matcher.start(), end: from + matcher.end() });
        from += line.length + 1;
        return spans;
      });
    });
  }

  /** Finds the patterns in rows that a terminal may have wrapped: the widest, and rows that lack their last cell. */
  #wrappedMatches(text: string): TextSpan[] {
    if (!this.hasPatterns || !text.includes("\n")) return [];
    let from = 0;
    const rows = text.split("\n").map((row) => {
      from += row.length + 1;
      return { text: row, cells: cellsIn(withoutStyles(row)), from: from - row.length - 1 };
    });
    const widest = rows.reduce((most, { cells }) => Math.max(most, cells), 1);
    const guesses = [[widest, widest], [widest - 1, widest], [widest, widest + 1]] as const;
    return guesses.flatMap(([least, width]) => wrappedLines(rows, { least, width })).flatMap((
      { line, at },
    ) => this.#matches(line).map(({ start, end }) => ({ start: at[start]!, end: at[end - 1]! + 1 })));
  }

  /** Finds half a secret or more at the end or a cut of a text, because the rest may be in another part. */
  #ends(text: string): TextSpan[] {
    let from = 0;
    return text.split(CUT).flatMap((part) => {
      const start = from;
      from += part.length + CUT.length;
      return this.#literals.flatMap((literal) => halvesOf(literal, part))
        .map((span) => ({ start: start + span.start, end: start + span.end }));
    });
  }
}

interface Row {
  text: string;
  cells: number;
  /** Index of its first character in the text. */
  from: number;
}

/**
 * Lines of several rows of a terminal of this width, if each row of at least `least` cells is wrapped, with the index of
 * each character in the text. A row of less than the width ended with a blank that tmux trimmed, or with an empty cell
 * if the next row begins with a wide character.
 */
function wrappedLines(
  rows: readonly Row[],
  { least, width }: { least: number; width: number },
): { line: string; at: number[] }[] {
  const lines: Row[][] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0 && rows[index - 1]!.cells >= least) lines.at(-1)!.push(row);
    else lines.push([row]);
  }
  return lines.filter((wrapped) => wrapped.length > 1).map((wrapped) => {
    const at: number[] = [];
    const line = wrapped.map(({ text, from }, index) => {
      const lacks = index > 0 && wrapped[index - 1]!.cells < width && !isWide(withoutStyles(text));
      if (lacks) at.push(from - 1);
      for (let each = 0; each < text.length; each++) at.push(from + each);
      return lacks ? ` ${text}` : text;
    }).join("");
    return { line, at };
  });
}

/** True if a text begins with a character that is two cells wide. */
function isWide(text: string): boolean {
  return characterWidth(String.fromCodePoint(text.codePointAt(0) ?? 0)) === 2;
}

/** At least half a secret that is the whole text, its end or its beginning. */
function halvesOf(secret: string, text: string): TextSpan[] {
  const least = Math.max(Math.ceil(secret.length / 2), LEAST_CHARS);
  if (text.length >= least && secret.includes(text)) return [{ start: 0, end: text.length }];
  const halves: TextSpan[] = [];
  for (let length = least; length < secret.length; length++) {
    if (text.endsWith(secret.slice(0, length))) {
      halves.push({ start: text.length - length, end: text.length });
    }
    if (text.startsWith(secret.slice(-length))) halves.push({ start: 0, end: length });
  }
  return halves;
}

/** Masks the visible text. On a line with a secret that styles divide, the styles move to the end of the line. */
function maskStyled(text: string, mask: (text: string) => string): string {
  const masked = mask(text);
  if (!text.includes("\x1b")) return masked;
  const read = mask(withoutStyles(text));
  if (withoutStyles(masked) === read) return masked;
  const [styled, lines] = [text.split("\n"), masked.split("\n")];
  return read.split("\n").map((line, index) => {
    if (withoutStyles(lines[index]!) === line) return lines[index];
    const end = line.replace(BEGUN_STYLE, "").length;
    const styles = styled[index]!.match(STYLE)?.map(mask) ?? [];
    return [line.slice(0, end), ...styles, line.slice(end)].join("");
  }).join("\n");
}

/**
 * Returns a pattern for a text with a line break between any characters. tmux trims the blanks at the end of a row, also
 * those of a secret; each run of them is matched as one, because a pattern for each takes 2^n steps.
 */
function orBroken(text: string): string {
  return text.split(/([ \t]+)/).map((part, at) => {
    if (at % 2 === 0) return [...part].map(RegExp.escape).join("\\n?");
    const run = part.includes("\t") ? "[ \\t]+" : ` {${part.length}}`;
    return `(?:${run}| *\\n[ \\n]*)`;
  }).join("");
}

function withoutStyles(text: string): string {
  return text.replace(STYLE, "");
}

/** The last characters of a text without styles, the index of each, and the index of their end. */
function lettersAtEnd(text: string, most: number): { letters: string; at: number[]; end: number } {
  const from = Math.max(text.length - most, 0);
  const last = text.slice(from).replace(BEGUN_STYLE, "");
  const at: number[] = [];
  let letters = "";
  let next = 0;
  const take = (until: number): void => {
    for (; next < until; next++) {
      at.push(from + next);
      letters += last[next];
    }
  };
  for (const { index, 0: style } of last.matchAll(STYLE)) {
    take(index);
    next = index + style.length;
  }
  take(last.length);
  return { letters, at, end: from + last.length };
}
