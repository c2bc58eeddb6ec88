// Recordings of a pane in the asciicast v2 format (docs.asciinema.org/manual/asciicast/v2).
import { PaneDecoder } from "./pane_decoder.ts";
import type { CapturedScreen } from "./screen.ts";
import { drawMain, drawMaskedScreen, drawScreen, type MaskedOutput } from "./screen_drawing.ts";

export interface AsciicastOptions {
  columns: number;
  rows: number;
  /** Start of the recording, in epoch seconds. */
  startedAt: number;
  title?: string;
  /** Replaces secrets in what the pane prints. */
  masked?: MaskedOutput;
}

/** Encodes what happens in a pane as lines of a recording, each ended by `\n`. Times are seconds since the start. */
export class AsciicastEncoder {
  readonly #options: AsciicastOptions;
  readonly #decoder = new PaneDecoder();
  #latest = 0;
  /** Characters of later output that are left out, because a secret may have begun in output that was lost. */
  #leftOut = 0;
  /** True if output was lost that no screen has shown yet. */
  #isLost = false;
  /** True if output was left out that the encoder was notified of, and no screen has shown it. */
  #isMissing = false;
  /** True if no screen can show lost output, which is marked once more comes. */
  #isUnshown = false;

  constructor(options: AsciicastOptions) {
    this.#options = options;
  }

  header(): string {
    const { columns, rows, startedAt, title } = this.#options;
    return line({ version: 2, width: columns, height: rows, timestamp: Math.floor(startedAt), title });
  }

  /** The screen at the beginning of the recording, or later when it has to be redrawn. */
  screen(capture: CapturedScreen, seconds = 0): string {
    const { masked } = this.#options;
    this.#leftOut = 0;
    this.#isLost = this.#isMissing = this.#isUnshown = false;
    const main = drawMain(capture, masked);
    const drawn = masked ? drawMaskedScreen(capture, masked) : drawScreen(capture);
    return this.#event(seconds, "o", (seconds > 0 ? CLEAR : "") + main + drawn);
  }

  /** Encodes output of the pane. A character that is cut at the end is held back; empty if nothing is complete. */
  output(bytes: Uint8Array, seconds: number): string {
    const text = this.#decoder.decode(bytes);
    const mark = this.#isUnshown && text !== "" ? LOST : "";
    if (mark !== "") this.#isLost = this.#isMissing = this.#isUnshown = false;
    // Until a screen comes, what follows the loss stands in the file without a mark.
    if (this.#isLost && text !== "") this.#isMissing = true;
    return this.#event(seconds, "o", mark + this.#masked(text));
  }

  /** Notes that output was lost; `screen` or `unshown` has to follow. If secrets are masked, output is left out until then. */
  lost(): void {
    const { masked } = this.#options;
    this.#isLost = true;
    if (masked === undefined) return;
    if (masked.holds) this.#isMissing = true;
    masked.restart("");
    this.#leftOut = Infinity;
  }

  /** Notes that output is missing between the last screen and what comes next. */
  missing(): void {
    this.lost();
    this.#isMissing = true;
    this.unshown();
  }

  /** Has lost output marked that no screen can show. The rest of its line is left out if secrets are masked. */
  unshown(): void {
    const { masked } = this.#options;
    this.#isLost = this.#isUnshown = true;
    masked?.restart("");
    // The stream holds back no more of a line.
    this.#leftOut = Math.min(this.#leftOut, (masked?.maxHeldChars ?? 0) + 1);
  }

  resize(columns: number, rows: number, seconds: number): string {
    return this.#event(seconds, "r", `${columns}x${rows}`);
  }

  /**
   * Ends the recording with the rest of a cut character. A loss that nothing follows is marked only if the pane is
   * still `alive`, because its end may look like one.
   */
  finish(seconds: number, { alive = false }: { alive?: boolean } = {}): string {
    const text = this.#masked(this.#decoder.end());
    const held = this.#options.masked?.end() ?? "";
    const mark = this.#isMissing || alive && this.#isLost ? LOST : "";
    return this.#event(seconds, "o", mark + (this.#leftOut > 0 ? text : text + held));
  }

  /** Masks a text. What is left out is read all the same: the next secret may begin in it. */
  #masked(text: string): string {
    const { masked } = this.#options;
    if (masked === undefined) return text;
    const line = text.indexOf("\n") + 1;
    const isLast = this.#leftOut < Infinity && line > 0 && line < this.#leftOut;
    const left = isLast ? line : Math.min(text.length, this.#leftOut);
    if (left > 0 && this.#leftOut === Infinity) this.#isMissing = true;
    this.#leftOut = isLast ? 0 : this.#leftOut - left;
    if (left > 0) masked.push(text.slice(0, left));
    return masked.push(text.slice(left));
  }

  #event(seconds: number, code: "o" | "r", data: string): string {
    if (data === "") return "";
    this.#latest = Math.max(this.#latest, seconds);
    return line([Math.round(this.#latest * 1e6) / 1e6, code, data]);
  }
}

/** Clears the main screen; it wraps and scrolls as a new one. */
const CLEAR = "\x1b[?1049l\x1b[m\x1b[r\x1b[?7h\x1b[2J";
const LOST = "\x1b[m\r\n[output lost]\r\n";

function line(value: unknown): string {
  return JSON.stringify(value) + "\n";
}
