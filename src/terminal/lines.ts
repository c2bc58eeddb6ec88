// Splits a pane's byte stream into finished lines of text, against which triggers are matched.
import { EscapeParser } from "./escape_parser.ts";
import { LineBlock, type Places, runAt } from "./line_block.ts";
import type { Row } from "./row.ts";
import { RowWriter } from "./row_writer.ts";
import { colourEnd, editRow, effectOf } from "./sequence.ts";
import { wholeCharacters } from "../bytes.ts";

/** Maximum bytes of a line, so that an endless line stays bounded. */
const MAX_LINE = 1 << 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export interface LineReaderOptions {
  /** Width of the pane, which determines where `\r` goes on a wrapped line. */
  columns: number;
  /** Stop before the first sequence whose effect isn't limited to one row (see `LineBlock.stoppedAt`). */
  stopAtMoves?: boolean;
}

/**
 * Removes escape sequences and applies edits within a row (`\r`, backspace, tabs, erasing). A line ends at a
 * line feed, or when the cursor leaves the row. Wrapped lines are one line, because the stream has no wraps.
 * Line feeds include a carriage return. Sequences and characters may be cut anywhere between pushes.
 */
export class LineReader {
  columns: number;
  readonly #stopAtMoves: boolean;
  readonly #escape = new EscapeParser();
  readonly #writer = new RowWriter();
  /** Text of the finished lines, followed by the line being written. */
  #text = new Uint8Array(1 << 16);
  #end = 0;
  #lineStart = 0;
  #lines = 0;
  #places: Places = { text: [0], stream: [0] };
  /** The current line as cells, once it has been edited other than by appending. */
  #row: Row | undefined;
  /** True after a `\r` whose meaning depends on the next byte. */
  #carriageReturn = false;
  #offset = 0;
  #sequenceAt = 0;
  #bells: number[] = [];
  #stopped = false;

  constructor({ columns, stopAtMoves = false }: LineReaderOptions) {
    this.columns = columns;
    this.#stopAtMoves = stopAtMoves;
  }

  /** Number of bytes taken from the stream so far. */
  get offset(): number {
    return this.#offset;
  }

  /** True if an unfinished line may have begun. */
  get begun(): boolean {
    return this.#row !== undefined || this.#end !== this.#lineStart;
  }

  /** True if the line being written has been changed other than by appending to it. */
  get isEdited(): boolean {
    return this.#row !== undefined;
  }

  /** The line being written, in its current state. */
  pending(): string {
    if (!this.begun) return "";
    if (this.#row !== undefined) return this.#row.text();
    const line = this.#text.subarray(this.#lineStart, this.#end);
    return decoder.decode(line.subarray(0, wholeCharacters(line)));
  }

  /** Sequence that draws the line being written on a new row of a terminal, with the cursor in its place. */
  redraw(): string {
    return this.#row === undefined ? this.pending() : this.#row.redraw();
  }

  /** Takes the next bytes, which come at this time (`performance.now()`), and returns the lines that they finish. */
  push(bytes: Uint8Array, now = 0): LineBlock {
    this.#escape.expire(now);
    let at = 0;
    while (at < bytes.length && !this.#stopped) {
      if (this.#escape.active) at = this.#sequence(bytes, at);
      else if (this.#carriageReturn) at += this.#afterCarriageReturn(bytes[at] as number);
      else if (this.#row === undefined) at = this.#append(bytes, at);
      else at = this.#edit(bytes, at, this.#row);
    }
    this.#offset += at;
    this.#bound();
    return this.#take();
  }

  /** Ends the line being written, if it has any text. */
  finish(): LineBlock {
    this.#carriageReturn = false;
    if (this.pending() !== "") this.#endLine(this.#offset);
    return this.#take();
  }

  /** Fast path for most output: copies text line by line without inspecting it further. */
  #append(bytes: Uint8Array, from: number): number {
    this.#reserve(bytes.length - from);
    const text = this.#text;
    const length = bytes.length;
    let end = this.#end;
    let at = from;
    for (; at < length; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x20 && byte !== 0x7f) {
        text[end++] = byte;
      } else if (byte === 0x0a) {
        text[end++] = byte;
        this.#lineStart = end;
        this.#lines++;
      } else if (byte === 0x0d && bytes[at + 1] === 0x0a) {
        this.#place(end, this.#offset + at + 1);
      } else if (byte === 0x1b) {
        const after = colourEnd(bytes, at);
        if (after === 0) break;
        this.#place(end, this.#offset + after);
        at = after - 1;
      } else if (byte === 0x09) {
        text[end++] = byte;
      } else break;
    }
    this.#end = end;
    if (at === length) return at;
    this.#control(bytes[at] as number, this.#offset + at);
    if (this.#stopped) return at;
    this.#place(this.#end, this.#offset + at + 1);
    return at + 1;
  }

  #edit(bytes: Uint8Array, from: number, row: Row): number {
    let at = from;
    while (at < bytes.length && !isControl(bytes[at] as number)) at++;
    this.#writer.write(row, bytes.subarray(from, at));
    if (this.#writer.isTooLong(row)) this.#endLine(this.#offset + at);
    else if (this.#writer.isLong(row)) this.#settle(row, this.#offset + at);
    if (at === bytes.length) return at;
    this.#writer.end(row);
    this.#control(bytes[at] as number, this.#offset + at);
    if (this.#row === undefined) this.#place(this.#end, this.#offset + at + 1);
    return at + 1;
  }

  #sequence(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && this.#escape.active) {
      const byte = bytes[at++] as number;
      if (this.#escape.feed(byte)) this.#control(byte, this.#offset + at - 1);
    }
    if (!this.#escape.active) this.#act(this.#offset + at);
    this.#place(this.#end, this.#offset + at);
    return at;
  }

  #act(after: number): void {
    const effect = effectOf(this.#escape);
    if (effect === "move" || (effect === "mode" && this.#stopAtMoves)) this.#move(after);
    else if (effect === "edit" || (effect === "idle" && this.#row !== undefined)) {
      const row = this.#editedRow();
      editRow(row, this.#escape);
      const above = row.takeAbove();
      if (above !== undefined) this.#endLine(after, above);
      this.#row = row.blank ? undefined : row;
    }
  }

  #move(after: number): void {
    if (this.#stopAtMoves) this.#stopped = true;
    else if (this.begun) this.#endLine(after);
  }

  #control(byte: number, offset: number): void {
    if (byte === 0x1b) {
      this.#sequenceAt = offset;
      this.#escape.begin();
    } else if (byte === 0x07) {
      this.#bells.push(offset);
    } else if (byte === 0x0a) this.#endLine(offset);
    else if (byte === 0x0b || byte === 0x0c) this.#down(offset);
    else if (byte === 0x0d) this.#carriageReturn = true;
    else if (byte === 0x08) this.#editedRow().backspace();
    else if (byte === 0x09) this.#editedRow().tab();
    // From here on, letters may stand for line drawing.
    else if (byte === 0x0e && this.#stopAtMoves) [this.#sequenceAt, this.#stopped] = [offset, true];
  }

  /** Applies a `\r` depending on the next byte; returns the number of bytes taken. */
  #afterCarriageReturn(byte: number): number {
    if (byte === 0x0d) return 1;
    this.#carriageReturn = false;
    if (byte !== 0x0a && this.begun) this.#editedRow().carriageReturn();
    return 0;
  }

  #editedRow(): Row {
    if (this.#row === undefined) {
      this.#row = this.#writer.begin(this.#text.subarray(this.#lineStart, this.#end), this.columns);
      this.#end = this.#lineStart;
      this.#forgetPlaces();
    }
    this.#row.columns = this.columns;
    return this.#row;
  }

  /** Moves to the next row in the same column: a terminal adds a carriage return only to line feeds. */
  #down(offset: number): void {
    const { column } = this.#editedRow();
    this.#endLine(offset);
    if (column > 0) this.#editedRow().moveTo(column);
  }

  #endLine(offset: number, row: Row | undefined = this.#row): void {
    if (row !== undefined) this.#settle(row, offset);
    this.#reserve(1);
    this.#place(this.#end, offset);
    this.#text[this.#end++] = 0x0a;
    this.#lineStart = this.#end;
    this.#lines++;
  }

  /** Turns an edited row back into bytes; it was complete at `offset`. */
  #settle(row: Row, offset: number): void {
    const bytes = encoder.encode(row.text());
    this.#row = undefined;
    this.#reserve(bytes.length);
    this.#place(this.#end, offset);
    this.#text.set(bytes, this.#end);
    this.#end += bytes.length;
    this.#place(this.#end, offset);
  }

  #bound(): void {
    if (this.#end - this.#lineStart <= MAX_LINE) return;
    const whole = wholeCharacters(this.#text.subarray(this.#lineStart, this.#end));
    const rest = this.#text.slice(this.#lineStart + whole, this.#end);
    this.#end -= rest.length;
    this.#endLine(this.#offset - rest.length);
    this.#place(this.#end, this.#offset - rest.length);
    this.#reserve(rest.length);
    this.#text.set(rest, this.#end);
    this.#end += rest.length;
  }

  /** Records that text from `text` on comes from the stream at `stream`. */
  #place(text: number, stream: number): void {
    const places = this.#places;
    let last = places.text.length - 1;
    if ((places.text[last] as number) < text) last++;
    places.text[last] = text;
    places.stream[last] = stream;
  }

  /** Drops the positions recorded for the current line. */
  #forgetPlaces(): void {
    const keep = runAt(this.#places.text, this.#lineStart) + 1;
    this.#places.text.length = this.#places.stream.length = keep;
  }

  #reserve(more: number): void {
    if (this.#end + more <= this.#text.length) return;
    const grown = new Uint8Array(Math.max(this.#text.length * 2, this.#end + more));
    grown.set(this.#text.subarray(0, this.#end));
    this.#text = grown;
  }

  #take(): LineBlock {
    const bells = this.#bells;
    const stoppedAt = this.#stopped ? this.#sequenceAt : undefined;
    this.#bells = [];
    if (this.#lines === 0) {
      return new LineBlock(0, new Uint8Array(), { text: [], stream: [] }, bells, stoppedAt);
    }
    const text = this.#text.slice(0, this.#lineStart);
    const block = new LineBlock(this.#lines, text, this.#places, bells, stoppedAt);
    this.#carryLine();
    return block;
  }

  /** Moves the unfinished line to the front of the buffer. */
  #carryLine(): void {
    const { text, stream } = this.#places;
    const start = this.#lineStart;
    const run = runAt(text, start);
    this.#places = { text: text.slice(run), stream: stream.slice(run) };
    this.#places.stream[0] = (stream[run] as number) + start - (text[run] as number);
    this.#places.text = this.#places.text.map((offset) => Math.max(offset - start, 0));
    this.#text.copyWithin(0, start, this.#end);
    this.#end -= start;
    this.#lineStart = this.#lines = 0;
  }
}

function isControl(byte: number): boolean {
  return byte < 0x20 || byte === 0x7f;
}
