// Lines of rendered text, kept in memory or elsewhere, and read by line number.
import type { LineSink } from "./text.ts";
import { characterFrom, concatBytes, wholeCharacters } from "../bytes.ts";

export interface ReadLimit {
  lines: number;
  /** UTF-8 bytes, including the line ends between lines. */
  bytes: number;
}

/** Part of a text: lines joined by `\n`, without a final `\n`. */
export interface LineSlice {
  text: string;
  lines: number;
  /** Set if even a single line exceeds the limit and is cut: the number of its missing bytes. */
  cut?: number;
}

/** A line with its number, or a note that says how many lines are lost from there on. */
export interface StoredLine {
  offset: number;
  lines: number;
  text: string;
}

/** Stores bytes and returns a function that reads them; undefined if there is no room left. */
export type Keep = (bytes: Uint8Array) => (() => Uint8Array) | undefined;

/** Lines that were stored together; without `read`, they are lost. */
interface LineChunk {
  first: number;
  read?: () => Uint8Array;
}

/** A line, or a number of lost lines. */
type FoundLine = Uint8Array | number;

const inMemory: Keep = (bytes) => () => bytes;
const LINE_FEED = 0x0a;
/** Bytes kept for now although there is no room, because the end of a text is read first. */
const UNKEPT_BYTES = 64 * 1024;
/** Maximum bytes of a stored piece. Smaller pieces leave room for the first lines of a large push. */
const CHUNK_BYTES = 64 * 1024;
/** Maximum bytes of small appends that are stored together. */
const COLLECTED_BYTES = 4 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A chunk for which there was no room. */
interface Unkept {
  chunk: LineChunk;
  bytes: number;
}

/** Sink that keeps everything it has room for, and the end of the rest. */
export class MemoryLines implements LineSink {
  readonly #keep: Keep;
  #chunks: LineChunk[] = [];
  /** Bytes of the last chunk and room for more: appends share one if they are small, because it costs 300 bytes. */
  #collected = new Uint8Array();
  #collectedBytes = 0;
  /** Chunks for which there was no room, oldest first. */
  #unkept: Unkept[] = [];
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

  /** Size of the text in UTF-8 bytes, without a final line end. */
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

  /** Stores the small appends that are collected so far. */
  seal(): void {
    if (this.#collectedBytes === 0) return;
    const { first, read } = this.#chunks.pop()!;
    this.#store(read!().slice(), first);
    this.#collected = new Uint8Array();
    this.#collectedBytes = 0;
  }

  #append(lines: Uint8Array, count: number): void {
    if (this.#collectedBytes + lines.length > COLLECTED_BYTES) this.seal();
    if (lines.length > COLLECTED_BYTES) this.#store(lines, this.#lines);
    else this.#collect(lines);
    this.#lines += count;
    this.#bytes += lines.length;
  }

  #collect(lines: Uint8Array): void {
    const from = this.#collectedBytes;
    const to = this.#collectedBytes += lines.length;
    if (to > this.#collected.length) {
      this.#collected = concatBytes([this.#collected.subarray(0, from), new Uint8Array(Math.max(to, 512))]);
    }
    const bytes = this.#collected;
    bytes.set(lines, from);
    // A new chunk, because `extended` has copied the last one.
    const { first } = from === 0 ? { first: this.#lines } : this.#chunks.pop()!;
    this.#chunks.push({ first, read: () => bytes.subarray(0, to) });
  }

  #store(lines: Uint8Array, first: number): void {
    const kept = this.#keep(lines);
    const chunk = { first, read: kept ?? (() => lines) };
    this.#chunks.push(chunk);
    if (kept === undefined) this.#hold({ chunk, bytes: lines.length });
  }

  /** Returns these lines followed by others, which aren't added to this object. */
  extended(lines: Uint8Array, count: number): MemoryLines {
    const longer = new MemoryLines();
    longer.#chunks = [...this.#chunks];
    longer.#lines = this.#lines;
    longer.#bytes = this.#bytes;
    longer.#isWhole = this.#isWhole;
    longer.append(lines, count);
    return longer;
  }

  /** Lines from number `from` (0-based) on, as many as the limit allows. */
  read(from: number, limit: ReadLimit): LineSlice {
    return collect(this.#forward(from), limit, { fromEnd: false });
  }

  /** The last lines, as many as the limit allows, from number `from` at the earliest. */
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
    // Lines that are appended while these are read are left out: they may be in a chunk that was already read.
    const chunks = [...this.#chunks];
    const lines = this.#lines;
    for (let index = this.#chunkOf(from); index < chunks.length; index++) {
      const { first, read } = chunks[index]!;
      let skip = Math.max(from - first, 0);
      const chunk = read?.();
      if (chunk === undefined) yield (chunks[index + 1]?.first ?? lines) - first - skip;
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

  #chunkOf(line: number): number {
    return Math.max(this.#chunks.findLastIndex(({ first }) => first <= line), 0);
  }

  #hold(unkept: Unkept): void {
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

  /** Marks a chunk as lost, and merges neighboring lost chunks. */
  #lose(chunk: LineChunk): void {
    this.#isWhole = false;
    delete chunk.read;
    const index = this.#chunks.lastIndexOf(chunk);
    const before = this.#chunks[index - 1];
    if (before && before.read === undefined) this.#chunks.splice(index, 1);
  }
}

/** Splits bytes into pieces of whole lines. Each piece is a copy, so that its memory is freed when it is lost. */
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

/** The first bytes of a line, without a cut character. */
function firstOf(line: Uint8Array, bytes: number): Uint8Array {
  const first = line.subarray(0, bytes);
  return first.subarray(0, wholeCharacters(first));
}

/** The last bytes of a line, without a cut character. */
function lastOf(line: Uint8Array, bytes: number): Uint8Array {
  return line.subarray(characterFrom(line, line.length - bytes));
}
