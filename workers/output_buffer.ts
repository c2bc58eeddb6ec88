// What one pane prints as text: its lines, the unfinished one, and the end of it all.
import type { Came } from "../src/terminal/final_output.ts";
import type { LineBlock } from "../src/terminal/line_block.ts";
import { LineReader } from "../src/terminal/lines.ts";
import type { Report } from "../src/watch/protocol.ts";
import { Tail } from "./tail.ts";

export class OutputBuffer {
  readonly #reader: LineReader | undefined;
  readonly #tail = new Tail();
  #over = false;

  /** Without `columns` nobody wants to know. */
  constructor(columns: number | undefined) {
    this.#reader = columns === undefined ? undefined : new LineReader({ columns });
  }

  set columns(columns: number) {
    if (this.#reader) this.#reader.columns = columns;
  }

  /** Lines that are finished now. */
  push(bytes: Uint8Array): LineBlock | undefined {
    const block = this.#reader?.push(bytes);
    if (block && !this.#over) this.#tail.add(block);
    return block;
  }

  /** The line that is not finished, and where in the pane's byte stream it ends. */
  get unfinished(): { line: string; place: number } | undefined {
    return this.#reader && { line: this.#reader.pending(), place: this.#reader.offset };
  }

  /** True if there may be such a line. */
  get begun(): boolean {
    return this.#reader?.begun === true;
  }

  /** Some of it was lost. */
  gap(): void {
    this.#tail.gap();
  }

  /** Drops all later output. */
  finish(): void {
    if (this.#reader) this.#tail.add(this.#reader.finish());
    this.#over = true;
  }

  /** Finished lines so far. */
  get lines(): number {
    return this.#tail.lines;
  }

  lastLine(): string {
    return this.#tail.lastLine();
  }

  came(): Came {
    const { output } = this.#tail.text("");
    return { lines: this.lines, pending: this.#reader?.pending() ?? "", last: output.split("\n") };
  }

  report(): Omit<Report, "state"> {
    const pending = this.#over ? "" : this.#reader?.pending() ?? "";
    const { output, truncated } = this.#tail.text(pending);
    return {
      output,
      outputTruncated: truncated,
      totalLines: this.lines + (pending === "" ? 0 : 1),
      totalBytes: this.#tail.bytes + new TextEncoder().encode(pending).length,
    };
  }
}
