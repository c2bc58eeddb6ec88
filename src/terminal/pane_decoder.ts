// A pane's bytes as text for terminals other than tmux.

const C1 = /[\u0080-\u009f]+/g;

/**
 * Removes C1 controls (U+0080 to U+009F). tmux takes none in UTF-8, but xterm does: with U+009D, which a wrongly
 * encoded quote contains, it reads everything up to the next ESC as a title.
 */
export function withoutC1(text: string): string {
  return text.replaceAll(C1, "");
}

/**
 * Decodes a stream that may be cut anywhere. Invalid UTF-8 is replaced, C1 controls are removed. tmux's
 * `ESC k title ESC \`, which other terminals would print, becomes an APC, which they ignore.
 */
export class PaneDecoder {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** ESC at the end of the last piece. */
  #escape = "";

  decode(bytes: Uint8Array): string {
    const text = this.#escape + withoutC1(this.#decoder.decode(bytes, { stream: true }));
    this.#escape = text.endsWith("\x1b") ? "\x1b" : "";
    return text.slice(0, text.length - this.#escape.length).replaceAll("\x1bk", "\x1b_");
  }

  /** Returns the held-back bytes. */
  end(): string {
    const rest = this.#escape + this.#decoder.decode();
    this.#escape = "";
    return rest;
  }
}
