// Finds text in bytes: literal, by regular expression, or by similarity; offsets are bytes in any encoding.
import { Buffer } from "node:buffer";
import type { RE2JS } from "re2js";
import { type ByteWindow, REACH } from "./byte_windows.ts";
import { AppError } from "../../errors.ts";
import { characterFrom, wholeCharacters } from "../../bytes.ts";
import { compileRegex } from "../../regex.ts";
import type { TimeSlice } from "../../timer.ts";

export interface Hit {
  /** Offset in the whole buffer (bytes). */
  offset: number;
  length: number;
  /** Offset at which a search must begin to find this hit first. */
  resume: number;
  /** Similarity from 0 to 1; absent if it wasn't requested. */
  similarity?: number;
}

export interface FinderOptions {
  query: string;
  mode: "literal" | "regex";
  /** Similarity (0 to 1) from which a line is a hit too. */
  threshold?: number | undefined;
  similarity: boolean;
  slice: TimeSlice;
}

/** Returns the hits that begin in a window, at `next` or later, in order. */
export type Finder = (window: ByteWindow, next: number) => Promise<Hit[]>;

type Ratio = (a: string, b: string) => number;
type Range = { offset: number; length: number };

const NEWLINE = 10;
/** Longer lines aren't compared for similarity, whose cost is the product of the lengths of line and query. */
const MAX_ALIKE_BYTES = 4096;
/** Longest query whose similarity is measured (characters); with 200, the longest line takes 0.7 s. */
const MAX_ALIKE_QUERY = 200;

/** @throws {AppError} `invalid-argument` for a pattern RE2 can't take, or a long query to compare */
export async function createFinder(options: FinderOptions): Promise<Finder> {
  const { query, mode, threshold, similarity, slice } = options;
  if (threshold !== undefined || similarity) checkLength(query);
  const ratio = threshold !== undefined || similarity ? await loadRatio() : undefined;
  const exact = mode === "literal" ? literalFinder(query) : regexFinder(await compileRegex(query));
  const alike = threshold === undefined ? undefined : alikeFinder(query, { threshold, ratio: ratio!, slice });
  return async (window, next) => {
    const found: Hit[] = [];
    for (const range of exact(window, next)) {
      if (ratio && slice.over) await slice.pass();
      found.push(toHit(range, window, ratio && { query, ratio }));
    }
    if (!alike) return found;
    const others = await alike(window, (line, base) => exact(lineWindow(line, base), base).length > 0);
    return [...found, ...others].sort((a, b) => a.offset - b.offset);
  };
}

function checkLength(query: string): void {
  if ([...query].length <= MAX_ALIKE_QUERY) return;
  throw new AppError("invalid-argument", `Cannot compare a query of ${[...query].length} characters`, {
    hint: `Shorten query to ${MAX_ALIKE_QUERY} characters, or leave out fuzzyMatch and includeSimilarity`,
  });
}

async function loadRatio(): Promise<Ratio> {
  const { ratio } = await import("fuzzball");
  return (a, b) => a === b ? 1 : ratio(a, b, { full_process: false }) / 100;
}

function toHit(
  { offset, length }: Range,
  { bytes, base }: ByteWindow,
  compare: { query: string; ratio: Ratio } | undefined,
): Hit {
  if (!compare) return { offset, length, resume: offset };
  const text = new TextDecoder().decode(bytes.subarray(offset - base, offset - base + length));
  return { offset, length, resume: offset, similarity: compare.ratio(compare.query, text) };
}

function literalFinder(query: string): (window: ByteWindow, next: number) => Range[] {
  const needle = Buffer.from(query);
  return ({ bytes, base, start, end }, next) => {
    const within = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const found: Range[] = [];
    let at = within.indexOf(needle, Math.max(start, next) - base);
    while (at >= 0 && at + base < end) {
      found.push({ offset: at + base, length: needle.length });
      at = within.indexOf(needle, at + needle.length);
    }
    return found;
  };
}

/** A match lies within one line, so the borders between windows make no difference. */
function regexFinder(regex: RE2JS): (window: ByteWindow, next: number) => Range[] {
  return (window, next) => {
    const { bytes, base, start, end } = window;
    const first = Math.max(start, next);
    if (first >= end) return [];
    const from = lineStart(bytes, first - base);
    const until = lineEnd(bytes, Math.max(first, end - 1) - base);
    if (!regex.test(bytes.subarray(from, until))) return [];
    const found: Range[] = [];
    for (const line of linesOf(bytes, from, until)) {
      found.push(...matchesIn(regex, bytes.subarray(line.from, line.until), {
        from: Math.max(0, first - base - line.from),
        base: base + line.from,
        end,
      }));
    }
    return found;
  };
}

function matchesIn(regex: RE2JS, line: Uint8Array, { from, base, end }: {
  from: number;
  base: number;
  end: number;
}): Range[] {
  const found: Range[] = [];
  if (!regex.test(line)) return found;
  const matcher = regex.matcher(line);
  for (let at = from; at <= line.length && matcher.find(at);) {
    const [start, stop] = [matcher.start(), matcher.end()];
    if (base + start >= end) break;
    // An empty match has nothing to show.
    if (stop > start) found.push({ offset: base + start, length: stop - start });
    at = stop > start ? stop : stop + 1;
  }
  return found;
}

/** At most one hit in a line without a match: the most similar part of about the query's length. */
function alikeFinder(
  query: string,
  compare: Comparison,
): (window: ByteWindow, matches: (line: Uint8Array, base: number) => boolean) => Promise<Hit[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const wanted = [...query];
  return async ({ bytes: all, base, begin, start, end }, matches) => {
    const found: Hit[] = [];
    // A range can begin and end within a line, and within a character.
    const bytes = all.subarray(0, wholeCharacters(all));
    const first = start === begin ? characterFrom(bytes, start - base) : nextLine(bytes, start - base);
    for (const line of linesOf(bytes, first, bytes.length)) {
      if (base + line.from >= end) break;
      const part = bytes.subarray(line.from, line.until);
      if (part.length === 0 || part.length > MAX_ALIKE_BYTES || matches(part, base + line.from)) continue;
      const text = decode(decoder, part);
      const best = text === undefined ? undefined : await mostAlike([...text], wanted, compare);
      if (!best) continue;
      found.push({
        offset: base + line.from + Buffer.byteLength(best.before),
        length: Buffer.byteLength(best.text),
        resume: base + line.from,
        similarity: best.similarity,
      });
    }
    return found;
  };
}

interface Comparison {
  readonly threshold: number;
  readonly ratio: Ratio;
  readonly slice: TimeSlice;
}

interface Alike {
  before: string;
  text: string;
  similarity: number;
}

/**
 * The part may also be one character longer or shorter than the query, because a single extra or missing
 * letter is the likeliest slip.
 */
async function mostAlike(
  line: readonly string[],
  query: readonly string[],
  { threshold, ratio, slice }: Comparison,
): Promise<Alike | undefined> {
  const wanted = query.join("");
  let best: Alike | undefined;
  for (const length of partLengths(query.length, line.length)) {
    const bound = commonCharacters(line, query, length);
    for (let at = 0; at + length <= line.length; at++) {
      // No more characters can agree than both have.
      const most = 2 * bound[at]! / (length + query.length);
      if (most < Math.max(threshold, best?.similarity ?? 0)) continue;
      if (slice.over) await slice.pass();
      const text = line.slice(at, at + length).join("");
      const similarity = ratio(wanted, text);
      if (similarity < threshold || similarity <= (best?.similarity ?? 0)) continue;
      best = { before: line.slice(0, at).join(""), text, similarity };
    }
  }
  return best;
}

function partLengths(query: number, line: number): Set<number> {
  return new Set([query, query + 1, query - 1].map((length) => Math.min(length, line)).filter(Boolean));
}

/** For each part of `length` characters of the line: the number of characters that it shares with the query. */
function commonCharacters(line: readonly string[], query: readonly string[], length: number): number[] {
  const spare = new Map<string, number>();
  for (const character of query) spare.set(character, (spare.get(character) ?? 0) + 1);
  const bound: number[] = [];
  let common = 0;
  line.forEach((character, at) => {
    common += use(spare, character, -1) > 0 ? 1 : 0;
    if (at >= length) common -= use(spare, line[at - length]!, 1) >= 0 ? 1 : 0;
    if (at >= length - 1) bound.push(common);
  });
  return bound;
}

/** Takes one of a character out of the spare ones, or puts one back; returns the number that were spare before. */
function use(spare: Map<string, number>, character: string, by: 1 | -1): number {
  const before = spare.get(character) ?? 0;
  spare.set(character, before + by);
  return before;
}

function decode(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function lineWindow(bytes: Uint8Array, base: number): ByteWindow {
  return { bytes, base, begin: base, start: base, end: base + bytes.length };
}

function* linesOf(
  bytes: Uint8Array,
  from: number,
  until: number,
): Generator<{ from: number; until: number }> {
  for (let at = from; at < until;) {
    const end = lineEnd(bytes, at);
    yield { from: at, until: end };
    at = end + 1;
  }
}

/** Start of the line that contains byte `at`, at most as far back as a match can reach. */
function lineStart(bytes: Uint8Array, at: number): number {
  return Math.max(at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1, at - REACH);
}

function lineEnd(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(NEWLINE, at);
  return end < 0 ? bytes.length : end;
}

/** Start of the first line that begins at `at` or later. */
function nextLine(bytes: Uint8Array, at: number): number {
  return at === 0 || bytes[at - 1] === NEWLINE ? at : lineEnd(bytes, at) + 1;
}
