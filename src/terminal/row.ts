// A terminal line that is edited in place: carriage return, backspace, erasing, motion within the row.
import { characterWidth, JOINER } from "./width.ts";

/** Maximum UTF-16 units of a cell; further combining marks are dropped. */
const MAX_CELL = 32;
const ASCII: readonly string[] = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/**
 * The cells of one logical line (wrapped rows joined). A wide character or tab is in its first cell; the
 * other cells it covers hold "". Motion stays within the terminal row of the cursor, as in a terminal.
 */
export class Row {
  columns: number;
  #cells: string[] = [];
  #at = 0;
  /** First cell of the cursor's terminal row. */
  #start = 0;
  #last = " ";
  /** True if the whole terminal row of the cursor was erased, and there are others above. */
  #isDivided = false;
  #hasJoiner = false;

  constructor(columns: number) {
    this.columns = Math.max(columns, 2);
  }

  get length(): number {
    return this.#cells.length;
  }

  /** Column of the cursor in its terminal row, 0-based. */
  get column(): number {
    return this.#at - this.#start;
  }

  /** True if nothing is written and the cursor is at the start, as in a new row. */
  get blank(): boolean {
    return this.#cells.length === 0 && this.#at === 0;
  }

  /** True if the next character is added at the end. */
  get isAtEnd(): boolean {
    return this.#at === this.#cells.length;
  }

  text(): string {
    return this.#cells.join("");
  }

  /** Sequence that draws this row on a terminal and places the cursor. */
  redraw(): string {
    const rowsBelow = Math.floor(Math.max(this.#cells.length - 1, 0) / this.columns) -
      this.#start / this.columns;
    const up = rowsBelow >= 1 ? `\x1b[${Math.floor(rowsBelow)}A` : "";
    return `${this.text()}\r${up}\x1b[${this.#at - this.#start + 1}G`;
  }

  write(text: string): void {
    for (const character of text) this.#put(character);
  }

  /** Like `write`, for ASCII bytes. */
  writeAscii(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === 0x09) this.tab();
      else this.#place(ASCII[byte] as string, 1);
    }
  }

  /** Repeats the last character, up to the end of the terminal row. */
  repeat(count: number): void {
    for (let n = Math.min(count, this.columns - this.column); n > 0; n--) this.#put(this.#last);
  }

  carriageReturn(): void {
    this.#at = this.#start;
  }

  backspace(): void {
    this.#at = Math.max(this.#at - 1, 0);
    if (this.#at < this.#start) this.#start = Math.max(this.#start - this.columns, 0);
  }

  /** Moves to a column of the terminal row, 0-based. */
  moveTo(column: number): void {
    this.#at = this.#start + Math.min(Math.max(column, 0), this.columns - 1);
  }

  /** Moves right (left if negative) by cells, within the terminal row. */
  moveBy(cells: number): void {
    this.moveTo(Math.min(this.#at - this.#start, this.columns - 1) + cells);
  }

  tab(): void {
    const from = this.#at;
    this.moveTo((Math.floor((from - this.#start) / 8) + 1) * 8);
    if (from !== this.#cells.length || this.#at <= from) return;
    this.#cells.push("\t");
    while (this.#cells.length < this.#at) this.#cells.push("");
  }

  backTab(count: number): void {
    this.moveTo((Math.ceil((this.#at - this.#start) / 8) - count) * 8);
  }

  /** Erases from the cursor on (0), up to and including the cursor (1), or the whole terminal row (2). */
  erase(mode: number): void {
    const end = this.#start + this.columns;
    if (mode === 0) this.#blank(this.#at, end);
    else if (mode === 1) this.#blank(this.#start, this.#at + 1);
    else if (mode === 2) this.#blank(this.#start, end);
  }

  /** Removes the terminal rows above the cursor's, which no longer continue on one that was erased. */
  takeAbove(): Row | undefined {
    if (!this.#isDivided) return undefined;
    this.#isDivided = false;
    const above = new Row(this.columns);
    above.#cells = this.#cells.splice(0, this.#start);
    this.#at -= this.#start;
    this.#start = 0;
    return above;
  }

  /** Erases everything from the cursor on, including wrapped rows below. */
  eraseBelow(): void {
    this.#isDivided = this.#start > 0 && this.#at === this.#start;
    this.#split(this.#at);
    this.#cells.length = Math.min(this.#cells.length, this.#at);
  }

  eraseCharacters(count: number): void {
    this.#blank(this.#at, Math.min(this.#at + count, this.#start + this.columns));
  }

  /** Deletes characters; the rest of the terminal row moves left. */
  deleteCharacters(count: number): void {
    const end = this.#start + this.columns;
    const deleted = Math.min(count, end - this.#at);
    this.#untab(end);
    for (const cell of [this.#at, this.#at + deleted, end]) this.#split(cell);
    const hasMore = this.#cells.length > end;
    this.#cells.splice(this.#at, deleted);
    if (hasMore) this.#cells.splice(end - deleted, 0, ...blanks(deleted));
  }

  /** Inserts blanks; text at the cursor moves right, and off the end of the terminal row. */
  insertBlanks(count: number): void {
    if (this.#at >= this.#cells.length) return;
    const end = this.#start + this.columns;
    const inserted = Math.min(count, end - this.#at);
    this.#untab(end);
    for (const cell of [this.#at, end - inserted, end]) this.#split(cell);
    const { length } = this.#cells;
    this.#cells.splice(this.#at, 0, ...blanks(inserted));
    this.#cells.splice(end, length > end ? inserted : this.#cells.length);
  }

  #put(character: string): void {
    if (character === "\t") return this.tab();
    const width = characterWidth(character);
    if (width === 0 || (this.#hasJoiner && character >= "\x80" && this.#isJoined)) this.#combine(character);
    else this.#place(character, width);
  }

  #place(character: string, width: 1 | 2): void {
    if (this.#at - this.#start + width > this.columns) this.#start = this.#at;
    this.#pad(this.#at);
    if (this.#at < this.#cells.length) this.#split(this.#at), this.#split(this.#at + width);
    this.#cells[this.#at] = character;
    if (width === 2) this.#cells[this.#at + 1] = "";
    this.#at += width;
    this.#last = character;
  }

  /** True if the next character is drawn into the cells of the one before the cursor. */
  get #isJoined(): boolean {
    return this.#cells[this.#before()]?.endsWith(JOINER) ?? false;
  }

  /** First cell of the character before the cursor. */
  #before(): number {
    let cell = Math.min(this.#at, this.#cells.length) - 1;
    while (cell > 0 && this.#cells[cell] === "") cell--;
    return cell;
  }

  #combine(mark: string): void {
    this.#hasJoiner ||= mark === JOINER;
    const cell = this.#before();
    const base = this.#cells[cell] ?? "";
    if (cell >= 0 && base.length < MAX_CELL) this.#cells[cell] = base + mark;
  }

  #pad(length: number): void {
    while (this.#cells.length < length) this.#cells.push(" ");
  }

  /** Replaces the tabs from the cursor on by blanks, because moved tabs would end in other columns. */
  #untab(end: number): void {
    for (let cell = this.#at; cell < Math.min(end, this.#cells.length); cell++) {
      if (this.#cells[cell] !== "\t") continue;
      this.#cells[cell] = " ";
      for (let next = cell + 1; this.#cells[next] === ""; next++) this.#cells[next] = " ";
    }
  }

  /** Replaces a character that covers both sides of `cell` by blanks. */
  #split(cell: number): void {
    if (this.#cells[cell] !== "") return;
    let first = cell;
    while (first > 0 && this.#cells[first] === "") first--;
    this.#cells[first] = " ";
    for (let next = first + 1; this.#cells[next] === ""; next++) this.#cells[next] = " ";
  }

  #blank(from: number, to: number): void {
    this.#isDivided = this.#start > 0 && from === this.#start && to >= this.#start + this.columns;
    this.#split(from);
    this.#split(to);
    if (to >= this.#cells.length) this.#cells.length = Math.min(this.#cells.length, from);
    else this.#cells.fill(" ", from, to);
  }
}

function blanks(count: number): string[] {
  return new Array<string>(count).fill(" ");
}
