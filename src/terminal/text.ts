// The bytes a command wrote, as the text a terminal would have shown.
import { concatBytes } from "../bytes.ts";
import type { LineBlock } from "./line_block.ts";
import { LineReader } from "./lines.ts";
import { Transcript } from "./transcript.ts";
import { handledLater } from "../promises.ts";

/** Takes finished text: whole lines as valid UTF-8, each ended by `\n`, in order, `count` of them. */
export interface LineSink {
  append(lines: Uint8Array, count: number): void;
}

export interface TextRendererOptions {
  columns: number;
  rows: number;
  /** Screen row the output starts on, 0-based: how far up the cursor can go before it leaves the output. */
  row?: number;
}

const encoder = new TextEncoder();
/** Longest sequence, cut by a push, that still is passed on whole to the emulator. */
const MAX_SEQUENCE = 256;

/**
 * Escape sequences removed, `\r` and cursor motion resolved, wrapped lines joined, cleared text kept,
 * alternate-screen text left out. Text that stays on its row is rendered here (over 100 MB/s); from the first
 * motion off the row an emulator does it (about 10 MB/s), beginning with the last screenful.
 */
export class TextRenderer {
  readonly #sink: LineSink;
  readonly #reader: LineReader;
  #size: { columns: number; rows: number };
  readonly #row: number;
  /** The last lines, which a motion up could still change. */
  #held: LineBlock[] = [];
  #heldLines = 0;
  #given = false;
  #tail = new Uint8Array();
  #transcript: Transcript | undefined;
  /** Bytes that wait to be written, and can take more. */
  #batch: Uint8Array[] | undefined;
  /** Work for the emulator, in order; undefined as long as none was needed. */
  #work: Promise<void> | undefined;

  constructor({ columns, rows, row = 0 }: TextRendererOptions, sink: LineSink) {
    this.#sink = sink;
    this.#size = { columns, rows };
    this.#row = Math.min(row, rows - 1);
    this.#reader = new LineReader({ columns, stopAtMoves: true });
  }

  /** True if the alternate screen was used; what it showed is not in the text. */
  get alternateScreen(): boolean {
    return this.#transcript?.alternateScreen ?? false;
  }

  /** True if the alternate screen is shown now. */
  get onAlternateScreen(): boolean {
    return this.#transcript?.onAlternateScreen ?? false;
  }

  /** Takes the next bytes, copying what it keeps. A producer that can wait awaits `flush` now and then. */
  push(bytes: Uint8Array): void {
    if (this.#work !== undefined) return this.#emulate(bytes.slice());
    const start = this.#reader.offset;
    const block = this.#reader.push(bytes);
    this.#hold(block);
    const tail = concatBytes([this.#tail, bytes.subarray(-MAX_SEQUENCE)]);
    if (block.stoppedAt === undefined) this.#tail = tail.slice(-MAX_SEQUENCE);
    else if (block.stoppedAt >= start) this.#switch(bytes.slice(block.stoppedAt - start));
    else this.#switch(concatBytes([this.#tail.slice(block.stoppedAt - start), bytes]));
  }

  /** The pane has a new size. */
  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    this.#reader.columns = columns;
    if (this.#work === undefined) return;
    this.#batch = undefined;
    this.#then((transcript) => transcript.resize(columns, rows));
  }

  /** Resolves when everything pushed so far has taken effect. */
  async flush(): Promise<void> {
    await this.#work;
  }

  /** Lines that are not in the sink yet because they may still change, the unfinished one last. */
  unsettled(): string[] {
    if (this.#transcript !== undefined) return this.#transcript.screen();
    const lines = this.#held.map((block) => block.text).join("").split("\n");
    const last = this.#reader.pending();
    return last === "" ? lines.slice(0, -1) : lines.with(-1, last);
  }

  /** The line being written as far as everything flushed goes, with the blanks at its end. */
  pending(): string {
    return this.#transcript?.pending() ?? this.#reader.pending();
  }

  /** Ends the text: everything is in the sink when this resolves. */
  async finish(): Promise<void> {
    await this.#work;
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
    this.#sink.append(text.length === bytes.length ? bytes : encoder.encode(text), lines);
  }

  #giveLines(lines: string[]): void {
    if (lines.length === 0) return;
    this.#given = true;
    this.#sink.append(encoder.encode(lines.join("\n") + "\n"), lines.length);
  }

  /** Hands over to the emulator, with the last screenful as it stands and the bytes from the motion on. */
  #switch(rest: Uint8Array): void {
    const lines = this.#held.map((block) => block.text).join("").split("\n");
    this.#giveLines(lines.slice(0, Math.max(this.#heldLines - this.#size.rows, 0)));
    const screenful = lines.slice(-1 - this.#size.rows, -1).map((line) => `${line}\r\n`);
    this.#held = [];
    this.#work = this.#open(screenful.join("") + this.#reader.redraw());
    this.#emulate(rest);
  }

  async #open(screenful: string): Promise<void> {
    const above = this.#given ? 0 : this.#row;
    this.#transcript = await Transcript.open(this.#size, above, (lines) => this.#giveLines(lines));
    await this.#transcript.write(screenful);
  }

  /** Chunks that come while the emulator is at work go to it together. */
  #emulate(bytes: Uint8Array): void {
    if (this.#batch !== undefined) return void this.#batch.push(bytes);
    const batch = this.#batch = [bytes];
    this.#then((transcript) => {
      if (this.#batch === batch) this.#batch = undefined;
      return transcript.write(concatBytes(batch));
    });
  }

  #then(act: (transcript: Transcript) => void | Promise<void>): void {
    this.#work = this.#work?.then(() => act(this.#transcript as Transcript));
    handledLater(this.#work);
  }
}
