// Masks a text that comes in pieces: a possible beginning of a secret is held back for the next piece.
import type { Masks } from "./masks.ts";
import { MASKED, type TextSpan } from "./text_spans.ts";

/** Characters at the end of a line that is too long, of which the first number that cuts no secret is held back. */
const KEPT_CHARS = [1024, 2048];

export class MaskStream {
  readonly replacement = MASKED;
  /** Maximum characters held back of an unfinished line, if patterns are masked. */
  readonly maxHeldChars = 4096;
  readonly #masks: Masks;
  #held = "";

  constructor(masks: Masks) {
    this.#masks = masks;
  }

  /** Takes a piece and returns the masked text that can be passed on. */
  push(text: string): string {
    const all = this.#held + text;
    const end = this.#masks.hasPatterns ? this.#lineEnd(all) : this.#masks.safeEnd(all);
    this.#held = all.slice(end);
    return this.#masks.lines(all.slice(0, end));
  }

  /** Drops what is held back for a text that more pieces continue; returns the part of it that can be passed on. */
  restart(text: string): string {
    this.#held = "";
    return this.push(text);
  }

  /** Masks rows that no piece continues. */
  rows(rows: readonly string[]): string[] {
    return this.#masks.text(rows.join("\n")).split("\n");
  }

  /** Finds the secrets in the rows of one unstyled line, as `Masks.wrapped` does. */
  wrapped(rows: readonly string[]): TextSpan[] | undefined {
    return this.#masks.wrapped(rows);
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

  /** End of the last line; in a line that is too long, a place over which no secret reaches. */
  #lineEnd(text: string): number {
    const end = text.lastIndexOf("\n") + 1;
    if (text.length - end <= this.maxHeldChars) return end;
    const cuts = KEPT_CHARS.map((kept) => this.#masks.safeEnd(text.slice(0, -kept)));
    return cuts.find((cut) => this.#isApart(text, cut)) ?? this.#masks.safeEnd(text);
  }

  #isApart(text: string, at: number): boolean {
    const [first, rest] = [text.slice(0, at), text.slice(at)].map((part) => this.#masks.lines(part));
    return `${first}${rest}` === this.#masks.lines(text);
  }
}
