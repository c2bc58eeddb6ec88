// Masks a text that comes in pieces: a possible beginning of a secret is held back for the next piece.
import type { Masks } from "./masks.ts";

/** Maximum characters held back of an unfinished line, if patterns are masked. */
const MAX_HELD_CHARS = 4096;

export class MaskStream {
  readonly #masks: Masks;
  #held = "";

  constructor(masks: Masks) {
    this.#masks = masks;
  }

  /** Takes a piece and returns the masked text that can be passed on. */
  push(text: string): string {
    const all = this.#held + text;
    const end = this.#masks.hasPatterns ? lineEnd(all) : this.#masks.safeEnd(all);
    this.#held = all.slice(end);
    return this.#masks.lines(all.slice(0, end));
  }

  /** Returns the rest. */
  end(): string {
    const rest = this.#masks.text(this.#held);
    this.#held = "";
    return rest;
  }
}

function lineEnd(text: string): number {
  const end = text.lastIndexOf("\n") + 1;
  return text.length - end > MAX_HELD_CHARS ? text.length : end;
}
