// Last part of what a pane printed: the last lines of new text, and the total amount.
import { byteLength, characterFrom, lastBytes } from "../../src/bytes.ts";
import type { LineBlock } from "../../src/terminal/line_block.ts";
import { REPORT_BYTES, REPORT_LINES } from "../../src/watch/protocol.ts";

/** Maximum number of bytes from the end that are searched for the last line. */
const MAX_LINE_BYTES = 1024;
/** Size of the buffer: room between trims keeps them rare. */
const CAPACITY = 4 * REPORT_BYTES;

const LINE_FEED = 0x0a;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Tail {
  #bytes = new Uint8Array(0);
  #length = 0;
  #dropped = false;
  lines = 0;
  /** Bytes of text, including line ends. */
  #textBytes = 0;

  add(block: LineBlock): void {
    this.lines += block.lines;
    this.#textBytes += textBytes(block.bytes);
    const kept = block.bytes.subarray(-REPORT_BYTES);
    if (kept.length < block.bytes.length) {
      this.#dropped = true;
      this.#length = 0;
    }
    if (this.#bytes.length === 0 && kept.length > 0) this.#bytes = new Uint8Array(CAPACITY);
    if (this.#length + kept.length > CAPACITY) this.#trim();
    this.#bytes.set(kept, this.#length);
    this.#length += kept.length;
  }

  gap(): void {
    this.#dropped = true;
  }

  /** Returns the last of the finished lines, by default of all, that has text, after `…` if it is cut; empty without one. */
  lastLine(among = Infinity): string {
    const kept = this.#kept(MAX_LINE_BYTES);
    const lines = new TextDecoder().decode(kept).split("\n");
    const at = lines.findLastIndex((line) => line.trim() !== "");
    if (at < lines.length - 1 - among) return "";
    const begin = this.#length - kept.length;
    const isCut = at === 0 && begin > 0 && this.#bytes[begin - 1] !== LINE_FEED;
    return (isCut ? "…" : "") + (lines[at]?.trim() ?? "");
  }

  /** Returns the last lines with the unfinished one; `truncated` is true if there were lines before them. */
  text(pending: string): { output: string; truncated: boolean } {
    const whole = (new TextDecoder().decode(this.#kept()) + pending).replace(/\n$/, "");
    const output = lastBytes(whole.split("\n").slice(-REPORT_LINES).join("\n"), REPORT_BYTES);
    return { output, truncated: this.#dropped || output.length < whole.length };
  }

  /** Returns the size of the text with the unfinished line, in UTF-8 bytes without a final line end. */
  totalBytes(pending: string): number {
    return pending === "" ? Math.max(this.#textBytes - 1, 0) : this.#textBytes + byteLength(pending);
  }

  /** The last bytes, from the beginning of a character. */
  #kept(max: number = CAPACITY): Uint8Array {
    const kept = this.#bytes.subarray(0, this.#length);
    const from = Math.max(kept.length - max, 0);
    return kept.subarray(this.#dropped || from > 0 ? characterFrom(kept, from) : 0);
  }

  #trim(): void {
    this.#dropped = true;
    this.#bytes.copyWithin(0, this.#length - REPORT_BYTES, this.#length);
    this.#length = REPORT_BYTES;
  }
}

/** Size of the text that bytes decode to: a replacement character takes three bytes. */
function textBytes(bytes: Uint8Array): number {
  const text = decoder.decode(bytes);
  return text.includes("\ufffd") ? byteLength(text) : bytes.length;
}
