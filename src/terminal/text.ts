// Renders the bytes that a command wrote as the text that a terminal would have shown.
import { concatBytes } from "../bytes.ts";
import { EmulatorQueue, type PaneSize } from "./emulator_queue.ts";
import type { LineBlock } from "./line_block.ts";
import { LineReader } from "./lines.ts";
import { Transcript } from "./transcript.ts";

/** Receives finished text: `count` whole lines as valid UTF-8, in order, each ended by `\n`. */
export interface LineSink {
  append(lines: Uint8Array, count: number): void;
}

export interface TextRendererOptions extends PaneSize {
  /** Screen row on which the output starts, 0-based: the cursor can go up that far before it leaves the output. */
  row?: number;
  /** Maximum bytes that wait for the emulator; 64 MiB by default. */
  maxWaiting?: number;
}

const encoder = new TextEncoder();
/** Longest sequence across two pushes that is passed to the emulator as a whole. */
const MAX_SEQUENCE = 256;

/**
 * Removes escape sequences, applies `\r` and cursor motion, joins wrapped lines, keeps cleared text and
 * leaves out alternate-screen text. Output that stays on its row is rendered here (over 100 MB/s); from the
 * first motion off the row on, an emulator renders it (about 10 MB/s), beginning with the last screenful.
 */
export class TextRenderer {
  readonly #sink: LineSink;
  readonly #reader: LineReader;
  #size: PaneSize;
  readonly #row: number;
  readonly #maxWaiting: number | undefined;
  /** The last lines, which an upward motion could still change. */
  #held: LineBlock[] = [];
  #heldLines = 0;
  #given = false;
  #tail = new Uint8Array();
  #transcript: Transcript | undefined;
  /** Undefined until the emulator is needed. */
  #queue: EmulatorQueue | undefined;

  constructor({ columns, rows, row = 0, maxWaiting }: TextRendererOptions, sink: LineSink) {
    this.#sink = sink;
    this.#size = { columns, rows };
    this.#row = Math.min(row, rows - 1);
    this.#maxWaiting = maxWaiting;
    this.#reader = new LineReader({ columns, stopAtMoves: true });
  }

  /** True if the alternate screen was used; its content isn't in the text. */
  get alternateScreen(): boolean {
    return this.#transcript?.alternateScreen ?? false;
  }

  get onAlternateScreen(): boolean {
    return this.#transcript?.onAlternateScreen ?? false;
  }

  /** True if output was dropped, because more was pushed than the emulator could render. */
  get isLossy(): boolean {
    return this.#queue?.isLossy ?? false;
  }

  /**
   * Takes the next bytes and copies what it keeps. A producer that can wait should sometimes await `flush`: beyond
   * `maxWaiting`, output is dropped.
   */
  push(bytes: Uint8Array): void {
    if (this.#queue !== undefined) return this.#queue.push(bytes.slice());
    const start = this.#reader.offset;
    const block = this.#reader.push(bytes);
    this.#hold(block);
    const tail = concatBytes([this.#tail, bytes.subarray(-MAX_SEQUENCE)]);
    if (block.stoppedAt === undefined) this.#tail = tail.slice(-MAX_SEQUENCE);
    else if (block.stoppedAt >= start) this.#switch(bytes.slice(block.stoppedAt - start));
    else this.#switch(concatBytes([this.#tail.slice(block.stoppedAt - start), bytes]));
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    this.#reader.columns = columns;
    this.#queue?.push(this.#size);
  }

  /** Resolves when everything pushed so far has taken effect. */
  async flush(): Promise<void> {
    await this.#queue?.flush();
  }

  /** Lines that aren't in the sink yet because they may still change; the unfinished one is last. */
  unsettled(): string[] {
    if (this.#transcript !== undefined) return this.#transcript.screen();
    const lines = this.#held.map((block) => block.text).join("").split("\n");
    const last = this.#reader.pending();
    return last === "" ? lines.slice(0, -1) : lines.with(-1, last);
  }

  /** The line being written, after everything flushed so far, with trailing blanks. */
  pending(): string {
    return this.#transcript?.pending() ?? this.#reader.pending();
  }

  /** Number of the unsettled lines below the cursor's. */
  get belowCursor(): number {
    return this.#transcript?.belowCursor ?? 0;
  }

  /** Ends the text: everything is in the sink when this resolves. */
  async finish(): Promise<void> {
    await this.flush();
    if (this.#transcript !== undefined) return this.#transcript.finish();
    this.#hold(this.#reader.finish());
    for (const block of this.#held) this.#give(block);
    this.#held = [];
  }

  #hold(block: LineBlock): void {
    if (block.lines === 0) return;
    this.#held.push(block);
    this.#heldLines += block.lines;
    let first = this.#held[0] as LineBlock;
    while (this.#heldLines - first.lines >= this.#size.rows) {
      this.#give(first);
      this.#held.shift();
      this.#heldLines -= first.lines;
      first = this.#held[0] as LineBlock;
    }
  }

  #give({ text, bytes, lines }: LineBlock): void {
    this.#given = true;
    // Only text that replaces bytes has other bytes.
    this.#sink.append(text.includes("\ufffd") ? encoder.encode(text) : bytes, lines);
  }

  #giveLines(lines: string[]): void {
    if (lines.length === 0) return;
    this.#given = true;
    this.#sink.append(encoder.encode(lines.join("\n") + "\n"), lines.length);
  }

  /** Switches to the emulator, with the last screenful and the bytes from the motion on. */
  #switch(rest: Uint8Array): void {
    const lines = this.#held.map((block) => block.text).join("").split("\n");
    this.#giveLines(lines.slice(0, Math.max(this.#heldLines - this.#size.rows, 0)));
    const screenful = lines.slice(-1 - this.#size.rows, -1).map((line) => `${line}\r\n`);
    this.#held = [];
    this.#queue = new EmulatorQueue(this.#open(screenful.join("") + this.#reader.redraw()), this.#maxWaiting);
    this.#queue.push(rest);
  }

  async #open(screenful: string): Promise<Transcript> {
    const above = this.#given ? 0 : this.#row;
    const transcript = await Transcript.open(this.#size, above, (lines) => this.#giveLines(lines));
    this.#transcript = transcript;
    await transcript.write(screenful);
    return transcript;
  }
}
