// Line sink that masks lines before it passes them on.
import type { LineSink } from "../terminal/text.ts";
import type { Masks } from "./masks.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

export class MaskedLines implements LineSink {
  readonly #masks: Masks;
  readonly #sink: LineSink;

  constructor(masks: Masks, sink: LineSink) {
    this.#masks = masks;
    this.#sink = sink;
  }

  append(lines: Uint8Array, count: number): void {
    const text = decoder.decode(lines);
    const masked = this.#masks.lines(text);
    this.#sink.append(masked === text ? lines : encoder.encode(masked), count);
  }
}
