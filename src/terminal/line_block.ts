// Finished lines of a pane's stream, with the place in the stream of every character.

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Map from a text to its bytes in the stream: from `text[i]` on they are `stream[i]` and following. */
export interface Places {
  /** Offsets into the text's bytes, rising. */
  text: number[];
  /** Offsets into the stream. */
  stream: number[];
}

/** Lines that one push of a LineReader finished, as one block for one regular expression. */
export class LineBlock {
  /** Number of finished lines. */
  readonly lines: number;
  /** The lines as UTF-8 (perhaps invalid), each ended by `\n`. */
  readonly bytes: Uint8Array;
  /** Stream offsets of the bells that rang in this push, also those in the line that is not finished. */
  readonly bells: readonly number[];
  /** Stream offset of a sequence the reader stopped before (`stopAtMoves`). */
  readonly stoppedAt?: number;
  readonly #places: Places;
  #text?: string;

  constructor(lines: number, bytes: Uint8Array, places: Places, bells: number[], stoppedAt?: number) {
    this.lines = lines;
    this.bytes = bytes;
    this.bells = bells;
    this.#places = places;
    if (stoppedAt !== undefined) this.stoppedAt = stoppedAt;
  }

  /** The lines joined, each ended by `\n`; empty when none was finished. */
  get text(): string {
    return this.#text ??= decoder.decode(this.bytes);
  }

  /** Stream offset of the end of `text.slice(0, end)`: how far the pane had printed when that was complete. */
  offsetAt(end: number): number {
    const byte = this.#byteAt(end) - 1;
    const { text, stream } = this.#places;
    const run = runAt(text, Math.max(byte, 0));
    const offset = (stream[run] ?? 0) + byte - (text[run] ?? 0) + 1;
    return Math.min(offset, stream[run + 1] === undefined ? offset : stream[run + 1] as number);
  }

  /** Largest byte length whose decoded text is no longer than `end`. */
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

/** Index of the last entry that is at most `value`, in a rising list. */
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
