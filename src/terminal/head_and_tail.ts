// Keeps the first and last lines of a text of any length.
import type { LineSink } from "./text.ts";

export interface HeadAndTailLimit {
  /** UTF-8 bytes kept from the beginning. */
  head: number;
  /** UTF-8 bytes kept from the end, roughly. */
  tail: number;
}

interface TextChunk {
  bytes: Uint8Array;
  lines: number;
}

export class HeadAndTail implements LineSink {
  readonly #limit: HeadAndTailLimit;
  readonly #head: TextChunk[] = [];
  readonly #tail: TextChunk[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  /** Number of lines that were dropped. */
  omitted = 0;
  /** Total number of lines. */
  count = 0;

  constructor(limit: HeadAndTailLimit) {
    this.#limit = limit;
  }

  append(bytes: Uint8Array, lines: number): void {
    this.count += lines;
    const chunk = { bytes, lines };
    if (this.#tail.length === 0 && this.#headBytes + bytes.length <= this.#limit.head) {
      this.#headBytes += bytes.length;
      return void this.#head.push(chunk);
    }
    this.#tail.push(chunk);
    this.#tailBytes += bytes.length;
    this.#trim();
  }

  /** The kept lines, with a line that says how many are missing. */
  lines(): string[] {
    const gap = this.omitted > 0 ? [`[${this.omitted} lines left out here]`] : [];
    return [...textOf(this.#head), ...gap, ...textOf(this.#tail)];
  }

  #trim(): void {
    for (let first = this.#tail[0]; first; first = this.#tail[0]) {
      if (this.#tailBytes - first.bytes.length < this.#limit.tail) return;
      this.#tail.shift();
      this.#tailBytes -= first.bytes.length;
      this.omitted += first.lines;
    }
  }
}

function textOf(chunks: readonly TextChunk[]): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return chunks.flatMap(({ bytes }) => decoder.decode(bytes).split("\n").slice(0, -1));
}
