// Lines of rendered text, kept in memory or wherever else, and read by line number.
import type { LineSink } from "./text.ts";
import { wholeCharacters } from "./utf8.ts";

/** How much a read may answer. */
export interface ReadLimit {
  lines: number;
  /** UTF-8 bytes, the line ends between lines counted. */
  bytes: number;
}

/** Part of a text: lines joined by `\n`, without a final one. */
export interface LineSlice {
  text: string;
  lines: number;
  /** Set when even one line was longer than the limit and is here in part. */
  cut?: boolean;
}

/** Puts bytes away and answers how to have them back. */
export type Keep = (bytes: Uint8Array) => () => Uint8Array;

const inMemory: Keep = (bytes) => () => bytes;
const LINE_FEED = 0x0a;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A sink that remembers everything. */
export class MemoryLines implements LineSink {
  readonly #keep: Keep;
  #chunks: (() => Uint8Array)[] = [];
  /** Number of the first line of each chunk. */
  #firsts: number[] = [];
  #lines = 0;
  #bytes = 0;

  constructor(keep: Keep = inMemory) {
    this.#keep = keep;
  }

  get lines(): number {
    return this.#lines;
  }

  /** UTF-8 bytes of the text, without a final line end. */
  get bytes(): number {
    return Math.max(this.#bytes - 1, 0);
  }

  append(lines: Uint8Array, count: number): void {
    this.#chunks.push(this.#keep(lines));
    this.#firsts.push(this.#lines);
    this.#lines += count;
    this.#bytes += lines.length;
  }

  /** These lines with others after them, which are not kept. */
  extended(lines: Uint8Array, count: number): MemoryLines {
    const longer = new MemoryLines();
    longer.#chunks = [...this.#chunks];
    longer.#firsts = [...this.#firsts];
    longer.#lines = this.#lines;
    longer.#bytes = this.#bytes;
    longer.append(lines, count);
    return longer;
  }

  /** Lines from number `from` (0-based) on, as many as the limit takes. */
  read(from: number, limit: ReadLimit): LineSlice {
    return collect(this.#forward(from), limit);
  }

  /** The last lines, as many as the limit takes, none before number `from`. */
  readTail(limit: ReadLimit, from = 0): LineSlice {
    const lines = Math.min(limit.lines, this.#lines - from);
    return collect(this.#backward(), { ...limit, lines }, true);
  }

  *#forward(from: number): Generator<Uint8Array> {
    for (let index = this.#chunkOf(from); index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index]!();
      let skip = Math.max(from - (this.#firsts[index] as number), 0);
      let end = -1;
      for (let at = 0; at < chunk.length; at = end + 1) {
        end = chunk.indexOf(LINE_FEED, at);
        if (skip-- <= 0) yield chunk.subarray(at, end);
      }
    }
  }

  *#backward(): Generator<Uint8Array> {
    for (let index = this.#chunks.length - 1; index >= 0; index--) {
      const chunk = this.#chunks[index]!();
      for (let end = chunk.length - 1; end >= 0;) {
        const before = end === 0 ? -1 : chunk.lastIndexOf(LINE_FEED, end - 1);
        yield chunk.subarray(before + 1, end);
        end = before;
      }
    }
  }

  /** Index of the chunk that holds a line. */
  #chunkOf(line: number): number {
    return Math.max(this.#firsts.findLastIndex((first) => first <= line), 0);
  }
}

function collect(source: Iterable<Uint8Array>, limit: ReadLimit, fromEnd = false): LineSlice {
  const taken: string[] = [];
  let room = limit.bytes;
  let cut = false;
  for (const line of source) {
    if (taken.length >= limit.lines) break;
    if (line.length > room) {
      cut = taken.length === 0 && room > 0;
      if (cut) taken.push(part(line, room, fromEnd));
      break;
    }
    taken.push(decoder.decode(line));
    room -= line.length + 1;
  }
  if (fromEnd) taken.reverse();
  return { text: taken.join("\n"), lines: taken.length, ...(cut && { cut }) };
}

/** The first (or last) bytes of a line, without half a character. */
function part(line: Uint8Array, bytes: number, fromEnd: boolean): string {
  if (!fromEnd) {
    const first = line.subarray(0, bytes);
    return decoder.decode(first.subarray(0, wholeCharacters(first)));
  }
  let start = line.length - bytes;
  while (((line[start] ?? 0) & 0xc0) === 0x80) start++;
  return decoder.decode(line.subarray(start));
}
