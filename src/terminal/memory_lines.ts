// Lines of rendered text, kept in memory or elsewhere, and read by line number.
import type { LineSink } from "./text.ts";
import { characterFrom, wholeCharacters } from "../bytes.ts";

/** Limits of a read. */
export interface ReadLimit {
  lines: number;
  /** UTF-8 bytes, the line ends between lines counted. */
  bytes: number;
}

/** Part of a text: lines joined by `\n`, without a final one. */
export interface LineSlice {
  text: string;
  lines: number;
  /** Set when even one line was longer than the limit and is here in part: how many of its bytes are not. */
  cut?: number;
}

/** A line by its number, or a line that says how many are lost from there on. */
export interface StoredLine {
  offset: number;
  lines: number;
  text: string;
}

/** Stores bytes and returns a function that reads them; undefined if there is no room left. */
export type Keep = (bytes: Uint8Array) => (() => Uint8Array) | undefined;

/** Lines that were stored together; without `read` they are lost. */
interface LineChunk {
  /** Number of its first line. */
  first: number;
  read?: () => Uint8Array;
}

/** A line, or how many are lost between two. */
type FoundLine = Uint8Array | number;

const inMemory: Keep = (bytes) => () => bytes;
const LINE_FEED = 0x0a;
/** This much of what has no room is kept for now, since the end of a text is read first. */
const UNKEPT_BYTES = 64 * 1024;
/** Lines that come together are stored in pieces of at most this many bytes, so that there is room for the first ones. */
const CHUNK_BYTES = 64 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A sink that keeps everything it has room for, and the end of the rest. */
export class MemoryLines implements LineSink {
  readonly #keep: Keep;
  #chunks: LineChunk[] = [];
  /** Chunks that were not kept, the oldest first. */
  #unkept: { chunk: LineChunk; bytes: number }[] = [];
  #unkeptBytes = 0;
  #lines = 0;
  #bytes = 0;
  #isWhole = true;

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

  /** True if no line was lost. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  append(lines: Uint8Array, count: number): void {
    if (lines.length <= CHUNK_BYTES) return this.#append(lines, count);
    for (const piece of pieces(lines)) this.#append(piece, countLines(piece));
  }

  #append(lines: Uint8Array, count: number): void {
    const kept = this.#keep(lines);
    const chunk = { first: this.#lines, read: kept ?? (() => lines) };
    this.#chunks.push(chunk);
    this.#lines += count;
    this.#bytes += lines.length;
    if (kept === undefined) this.#hold({ chunk, bytes: lines.length });
  }

  /** These lines with others after them, which are not kept. */
  extended(lines: Uint8Array, count: number): MemoryLines {
    const longer = new MemoryLines();
    longer.#chunks = [...this.#chunks];
    longer.#lines = this.#lines;
    longer.#bytes = this.#bytes;
    longer.#isWhole = this.#isWhole;
    longer.append(lines, count);
    return longer;
  }

  /** Lines from number `from` (0-based) on, as many as the limit takes. */
  read(from: number, limit: ReadLimit): LineSlice {
    return collect(this.#forward(from), limit, { fromEnd: false });
  }

  /** The last lines, as many as the limit takes, none before number `from`. */
  readTail(limit: ReadLimit, from = 0): LineSlice {
    return collect(this.#backward(from), limit, { fromEnd: true });
  }

  /** Lines from number `from` on. */
  *forward(from = 0): Generator<StoredLine> {
    let offset = Math.min(from, this.#lines);
    for (const found of this.#forward(from)) {
      const line = storedLine(found, offset);
      yield line;
      offset += line.lines;
    }
  }

  /** Lines from the last one back to number `from`. */
  *backward(from = 0): Generator<StoredLine> {
    let end = this.#lines;
    for (const found of this.#backward(from)) {
      const line = storedLine(found, end);
      end -= line.lines;
      yield { ...line, offset: end };
    }
  }

  *#forward(from: number): Generator<FoundLine> {
    for (let index = this.#chunkOf(from); index < this.#chunks.length; index++) {
      const { first, read } = this.#chunks[index]!;
      let skip = Math.max(from - first, 0);
      const chunk = read?.();
      if (chunk === undefined) yield this.#end(index) - first - skip;
      else {
        for (let at = 0; at < chunk.length;) {
          const end = chunk.indexOf(LINE_FEED, at);
          if (skip-- <= 0) yield chunk.subarray(at, end);
          at = end + 1;
        }
      }
    }
  }

  *#backward(from: number): Generator<FoundLine> {
    let line = this.#lines;
    for (let index = this.#chunks.length - 1; index >= 0 && line > from; index--) {
      const { first, read } = this.#chunks[index]!;
      const chunk = read?.();
      if (chunk === undefined) yield line - Math.max(first, from);
      else {
        for (let end = chunk.length - 1; end >= 0 && line-- > from;) {
          const before = end === 0 ? -1 : chunk.lastIndexOf(LINE_FEED, end - 1);
          yield chunk.subarray(before + 1, end);
          end = before;
        }
      }
      line = first;
    }
  }

  /** Index of the chunk that holds a line. */
  #chunkOf(line: number): number {
    return Math.max(this.#chunks.findLastIndex(({ first }) => first <= line), 0);
  }

  /** Number of the line after a chunk. */
  #end(index: number): number {
    return this.#chunks[index + 1]?.first ?? this.#lines;
  }

  #hold(unkept: { chunk: LineChunk; bytes: number }): void {
    this.#unkept.push(unkept);
    this.#unkeptBytes += unkept.bytes;
    for (
      let oldest = this.#unkept[0]!;
      this.#unkeptBytes - oldest.bytes >= UNKEPT_BYTES;
      oldest = this.#unkept[0]!
    ) {
      this.#unkept.shift();
      this.#unkeptBytes -= oldest.bytes;
      this.#lose(oldest.chunk);
    }
  }

  /** Neighbours that are lost become one. */
  #lose(chunk: LineChunk): void {
    this.#isWhole = false;
    delete chunk.read;
    const index = this.#chunks.lastIndexOf(chunk);
    const before = this.#chunks[index - 1];
    if (before && before.read === undefined) this.#chunks.splice(index, 1);
  }
}

/** Whole lines. Each piece is a copy, whose memory is freed when it is lost. */
function* pieces(lines: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < lines.length;) {
    const last = lines.lastIndexOf(LINE_FEED, from + CHUNK_BYTES - 1);
    const end = last < from ? lines.indexOf(LINE_FEED, from) : last;
    yield lines.slice(from, from = end + 1);
  }
}

function countLines(lines: Uint8Array): number {
  let count = 0;
  for (let at = lines.indexOf(LINE_FEED); at >= 0; at = lines.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

function collect(
  source: Iterable<FoundLine>,
  limit: ReadLimit,
  { fromEnd }: { fromEnd: boolean },
): LineSlice {
  const taken: string[] = [];
  let lines = 0;
  let room = limit.bytes;
  let cut: number | undefined;
  for (const found of source) {
    if (taken.length >= limit.lines) break;
    const line = typeof found === "number" ? encoder.encode(lost(found)) : found;
    if (line.length > room) {
      if (taken.length > 0 || room <= 0) break;
      const kept = (fromEnd ? lastOf : firstOf)(line, room);
      taken.push(decoder.decode(kept));
      lines++;
      cut = line.length - kept.length;
      break;
    }
    taken.push(decoder.decode(line));
    lines += typeof found === "number" ? found : 1;
    room -= line.length + 1;
  }
  if (fromEnd) taken.reverse();
  return { text: taken.join("\n"), lines, ...(cut !== undefined && { cut }) };
}

function storedLine(found: FoundLine, offset: number): StoredLine {
  if (typeof found === "number") return { offset, lines: found, text: lost(found) };
  return { offset, lines: 1, text: decoder.decode(found) };
}

function lost(lines: number): string {
  return `[${lines} lines are lost here: neither memory nor disk had room for them]`;
}

/** The first bytes of a line, without half a character. */
function firstOf(line: Uint8Array, bytes: number): Uint8Array {
  const first = line.subarray(0, bytes);
  return first.subarray(0, wholeCharacters(first));
}

/** The last bytes of a line, without half a character. */
function lastOf(line: Uint8Array, bytes: number): Uint8Array {
  return line.subarray(characterFrom(line, line.length - bytes));
}
