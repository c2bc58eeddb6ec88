// Masks a text that comes in pieces: a possible beginning of a secret is held back for the next piece.
import type { Masks } from "./masks.ts";
import { MASKED } from "./text_spans.ts";

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

  /**
   * Drops what is held back for the rows of an unfinished line, which more pieces continue; returns the part that can be
   * passed on. If more is secret when each row is a line, or the line is too long to be held back, only the last row is
   * unfinished.
   */
  restart(rows: readonly string[]): string {
    this.#held = "";
    const line = rows.join("");
    const masked = this.rows(rows);
    const isLine = line.length <= MAX_HELD_CHARS &&
      countShown(masked.join("")) >= countShown(this.#masks.text(line));
    return isLine ? this.push(line) : masked.slice(0, -1).join("") + this.push(rows.at(-1) ?? "");
  }

  /** Masks rows that no piece continues. */
  rows(rows: readonly string[]): string[] {
    return this.#masks.text(rows.join("\n")).split("\n");
  }

  /** True if the next piece continues a text that is held back. */
  get holds(): boolean {
    return this.#held !== "";
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

/** Number of characters that are not masked. */
function countShown(text: string): number {
  return text.replaceAll(MASKED, "").length;
}
