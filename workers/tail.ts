// The end of what a pane printed: the last lines of new text, and how much there was in all.
import type { LineBlock } from "../src/terminal/line_block.ts";

const MAX_LINES = 100;
const MAX_BYTES = 16 * 1024;
/** Looked through for the last line. */
const MAX_LINE_BYTES = 1024;
/** Kept between trims, so that trimming is rare. */
const SLACK_BYTES = 4 * MAX_BYTES;

export class Tail {
  #bytes = new Uint8Array(0);
  #dropped = false;
  lines = 0;
  /** Bytes of text, line ends included. */
  bytes = 0;

  add(block: LineBlock): void {
    this.lines += block.lines;
    this.bytes += block.bytes.length;
    const kept = block.bytes.length > SLACK_BYTES ? block.bytes.subarray(-SLACK_BYTES) : block.bytes;
    if (kept.length < block.bytes.length) this.#dropped = true;
    if (this.#bytes.length + kept.length > 2 * SLACK_BYTES) {
      this.#dropped = true;
      this.#bytes = this.#bytes.slice(-MAX_BYTES);
    }
    const joined = new Uint8Array(this.#bytes.length + kept.length);
    joined.set(this.#bytes);
    joined.set(kept, this.#bytes.length);
    this.#bytes = joined;
  }

  /** A part of the stream was lost. */
  gap(): void {
    this.#dropped = true;
  }

  /** The last finished line that has text. */
  lastLine(): string {
    const lines = new TextDecoder().decode(this.#bytes.subarray(-MAX_LINE_BYTES)).split("\n");
    return lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
  }

  /** The last lines with the unfinished one, and whether anything was cut before them. */
  text(pending: string): { output: string; truncated: boolean } {
    const whole = new TextDecoder().decode(this.#bytes) + pending;
    const lines = whole.replace(/\n$/, "").split("\n");
    const kept = lines.slice(-MAX_LINES).join("\n");
    const cut = cutHead(kept, MAX_BYTES);
    return { output: cut, truncated: this.#dropped || cut.length < whole.replace(/\n$/, "").length };
  }
}

/** The end of `text` that is at most `max` UTF-8 bytes, whole characters only. */
function cutHead(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  let start = bytes.length - max;
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return new TextDecoder().decode(bytes.subarray(start));
}
