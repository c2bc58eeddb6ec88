// Selects the lines of an output that match a pattern, with lines around them, as `grep -n -C` prints them.
import { byteLength, characterFrom } from "../bytes.ts";
import type { RE2JS } from "re2js";
import type { StoredLine } from "../terminal/memory_lines.ts";
import { TimeSlice } from "../timer.ts";

export interface GrepOptions {
  pattern: RE2JS;
  /** Number of lines shown before and after each match. */
  context: number;
  maxLines: number;
  /** UTF-8 bytes. */
  maxBytes: number;
  /** Keeps the last matches instead of the first. */
  fromEnd: boolean;
  signal?: AbortSignal | undefined;
}

export interface Matches {
  /** `OFFSET:LINE` for a match and `OFFSET-LINE` for a line around it; with context, `--` between groups. */
  text: string;
  matches: number;
  isCut: boolean;
  /** First line that isn't in `text`, if the end is cut off. */
  next?: number;
}

/** Maximum characters of a line that is searched again. */
const MAX_SEARCHED_CHARS = 1 << 20;
/** Number of lines between checks of the clock. */
const LINES_PER_CHECK = 2000;
const encoder = new TextEncoder();

/**
 * Reads all lines once, in linear time.
 * @param lines Backwards, if the last matches are wanted
 */
export async function grep(lines: Iterable<StoredLine>, options: GrepOptions): Promise<Matches> {
  const picked = new Picked(options);
  // More context than this can't be shown.
  const context = Math.min(options.context, options.maxLines);
  let around: StoredLine[] = [];
  let after = 0;
  let matches = 0;
  let read = 0;
  const slice = new TimeSlice(options.signal);
  for (const line of lines) {
    if (++read % LINES_PER_CHECK === 0 && slice.over) await slice.pass();
    if (options.pattern.test(line.text)) {
      matches++;
      picked.addMatch(line, around);
      around = [];
      after = context;
    } else if (after > 0) {
      after--;
      picked.add(line, "-");
    } else if (context > 0) {
      around.push(line);
      if (around.length >= 2 * context) around = around.slice(-context);
    }
  }
  return { ...picked.result(), matches };
}

/** The lines to show, as long as there is room. */
class Picked {
  readonly #options: GrepOptions;
  readonly #rows: string[] = [];
  #room: number;
  #before: StoredLine | undefined;
  #next: number | undefined;
  #isTrimmed = false;

  constructor(options: GrepOptions) {
    this.#options = options;
    this.#room = options.maxBytes;
  }

  /** Adds a match and the lines before it; at the start of the text, only as many as leave room for the match. */
  addMatch(line: StoredLine, before: readonly StoredLine[]): void {
    const near = before.slice(-Math.max(this.#options.context, 1));
    const kept = this.#rows.length === 0 ? this.#nearest(near, line) : near;
    this.#isTrimmed ||= kept.length < near.length;
    for (const each of kept) this.add(each, "-");
    this.add(line, ":");
  }

  #nearest(before: readonly StoredLine[], line: StoredLine): readonly StoredLine[] {
    let lines = this.#options.maxLines - 1;
    let room = this.#room - rowBytes(line);
    const first = before.findLastIndex((each) => --lines < 0 || (room -= rowBytes(each)) < 0);
    return before.slice(first + 1);
  }

  add(line: StoredLine, mark: ":" | "-"): void {
    if (this.#next !== undefined) return;
    const rows = [...this.#separator(line), `${line.offset}${mark}${line.text}`];
    const bytes = byteLength(rows.join("\n")) + 1;
    const fits = this.#rows.length + rows.length <= this.#options.maxLines && bytes <= this.#room + 1;
    if (!fits) return this.#stop(line, mark);
    this.#rows.push(...rows);
    this.#room -= bytes;
    this.#before = line;
  }

  result(): Omit<Matches, "matches"> {
    const { fromEnd } = this.#options;
    const rows = fromEnd ? this.#rows.toReversed() : this.#rows;
    const next = fromEnd ? undefined : this.#next;
    const isCut = this.#next !== undefined || this.#isTrimmed;
    return { text: rows.join("\n"), isCut, ...(next === undefined ? {} : { next }) };
  }

  #separator(line: StoredLine): string[] {
    if (this.#options.context === 0 || this.#before === undefined) return [];
    const [upper, lower] = this.#options.fromEnd ? [line, this.#before] : [this.#before, line];
    return upper.offset + upper.lines === lower.offset ? [] : ["--"];
  }

  /** Shows a part of a line that is too long for any answer, because otherwise reading would never get past it. */
  #stop(line: StoredLine, mark: string): void {
    this.#next = line.offset;
    const room = this.#room - 100;
    if (this.#rows.length > 0 || this.#options.maxLines === 0 || room <= 0) return;
    const bytes = encoder.encode(line.text);
    const from = mark === ":" ? windowAt(line.text, { bytes, room, pattern: this.#options.pattern }) : 0;
    const part = new TextDecoder().decode(bytes.subarray(from, from + room), { stream: true });
    const note = from === 0 ? "the rest of this line" : `bytes ${from} to ${from + room} of this line`;
    this.#rows.push(`${line.offset}${mark}${part}`, `[${note}: offset ${line.offset}]`);
    if (this.#options.fromEnd) this.#rows.reverse();
    this.#next = line.offset + line.lines;
  }
}

/** Bytes of a line with its offset and line end. */
function rowBytes({ offset, text }: StoredLine): number {
  return byteLength(`${offset}:${text}`) + 1;
}

/** Byte offset of the part of a long line that shows a match with the text around it. */
function windowAt(
  text: string,
  { bytes, room, pattern }: { bytes: Uint8Array; room: number; pattern: RE2JS },
): number {
  const end = byteLength(text.slice(0, matchEnd(text, pattern)));
  if (end <= room) return 0;
  return characterFrom(bytes, Math.min(end - Math.floor(room * 3 / 4), bytes.length - room));
}

/** End of the first match, found with `test`: for half a megabyte, `find` takes a second, `test` ten milliseconds. */
function matchEnd(text: string, pattern: RE2JS): number {
  if (text.length > MAX_SEARCHED_CHARS) return 0;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pattern.test(text.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return high;
}
