// Finished lines of a pane's stream, with the position of every character in the stream.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Maps offsets in a text to offsets in the stream: bytes from `text[i]` on are at `stream[i]` and following. */
export interface Places {
  /** Ascending offsets in the text's bytes. */
  text: number[];
  /** Offsets in the stream. */
  stream: number[];
}

/** A line of a block: offsets of its first byte and of the byte after its line feed. */
export interface LineRange {
  begin: number;
  end: number;
}

/** Lines that one push of a LineReader finished, in one block so that one regular expression can search them. */
export class LineBlock {
  readonly lines: number;
  /** The lines as UTF-8 (possibly invalid), each ended by `\n`. */
  readonly bytes: Uint8Array;
  /** Stream offsets of the bells in this push, including those in the unfinished line. */
  readonly bells: readonly number[];
  /** Stream offset of the sequence before which the reader stopped (`stopAtMoves`). */
  readonly stoppedAt?: number;
  readonly #places: Places;
  #text?: string;

  constructor(
    lines: number,
    bytes: Uint8Array,
    places: Places,
    bells: readonly number[],
    stoppedAt?: number,
  ) {
    this.lines = lines;
    this.bytes = bytes;
    this.bells = bells;
    this.#places = places;
    if (stoppedAt !== undefined) this.stoppedAt = stoppedAt;
  }

  /** The lines, each ended by `\n`; empty if none was finished. */
  get text(): string {
    return this.#text ??= decoder.decode(this.bytes);
  }

  /** Stream offset at which `text.slice(0, end)` was complete. */
  offsetAt(end: number): number {
    return this.streamAt(this.#byteAt(end));
  }

  /** Stream offset at which `bytes.subarray(0, end)` was complete. */
  streamAt(end: number): number {
    const byte = end - 1;
    const { text, stream } = this.#places;
    const run = runAt(text, Math.max(byte, 0));
    const offset = (stream[run] ?? 0) + byte - (text[run] ?? 0) + 1;
    return Math.min(offset, stream[run + 1] === undefined ? offset : stream[run + 1] as number);
  }

  *ranges(): Generator<LineRange> {
    for (let begin = 0; begin < this.bytes.length;) {
      const end = this.bytes.indexOf(0x0a, begin) + 1;
      yield { begin, end };
      begin = end;
    }
  }

  /** Returns a block of these lines only. */
  keep(ranges: readonly LineRange[], bells: readonly number[]): LineBlock {
    const bytes = new Uint8Array(ranges.reduce((sum, { begin, end }) => sum + end - begin, 0));
    const places: Places = { text: [], stream: [] };
    let length = 0;
    for (const { begin, end } of ranges) {
      bytes.set(this.bytes.subarray(begin, end), length);
      this.#copyPlaces({ begin, end }, { places, at: length });
      length += end - begin;
    }
    return new LineBlock(ranges.length, bytes, places, bells);
  }

  #copyPlaces({ begin, end }: LineRange, to: { places: Places; at: number }): void {
    const { text, stream } = this.#places;
    const first = runAt(text, begin);
    for (let run = first; run < text.length && (run === first || text[run]! < end); run++) {
      const from = Math.max(text[run]!, begin);
      to.places.text.push(to.at + from - begin);
      to.places.stream.push(stream[run]! + from - text[run]!);
    }
  }

  /** Largest byte length whose decoded text has at most `end` characters. */
  #byteAt(end: number): number {
    if (this.text.length === this.bytes.length) return end;
    let low = 0;
    let high = this.bytes.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (decoder.decode(this.bytes.subarray(0, middle)).length <= end) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Index of the last entry in an ascending list that is at most `value`. */
export function runAt(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
