// A row of the emulator that shares its cells with equal rows until it is written to.
import xterm from "@xterm/headless";

interface Attributes {
  fg: number;
  bg: number;
  extended: unknown;
}

/** A cell, or the appearance of an erased cell, in xterm's form. */
export interface FillCell extends Attributes {
  content: number;
}

/** xterm's row: the part used here. `_data` has three numbers per cell. */
export interface XtermRow {
  _data: Uint32Array;
  _combined: Record<number, string>;
  _extendedAttrs: Record<number, unknown>;
  length: number;
  isWrapped: boolean;
  set(column: number, value: unknown): void;
  setCell(column: number, cell: FillCell): void;
  setCellFromCodepoint(column: number, codePoint: number, width: number, attributes: Attributes): void;
  addCodepointToCell(column: number, codePoint: number, width: number): void;
  getWidth(column: number): number;
  hasContent(column: number): number;
  insertCells(column: number, count: number, fill: FillCell): void;
  deleteCells(column: number, count: number, fill: FillCell): void;
  replaceCells(start: number, end: number, fill: FillCell, respectProtect?: boolean): void;
  copyCellsFrom(from: XtermRow, column: number, to: number, length: number, reverse: boolean): void;
  fill(fill: FillCell, respectProtect?: boolean): void;
  resize(columns: number, fill: FillCell): boolean;
  copyFrom(line: XtermRow): void;
  clone(): XtermRow;
  translateToString(trimRight?: boolean, start?: number, end?: number, columns?: number[]): string;
}

type LineClass = new (columns: number, fill?: FillCell, isWrapped?: boolean) => XtermRow;

interface Internals {
  readonly _core: {
    readonly buffer: { readonly lines: { get(index: number): { readonly constructor: unknown } } };
  };
}

const smallest = new xterm.Terminal({ cols: 2, rows: 1, allowProposedApi: true }) as unknown as Internals;
const XtermLine = smallest._core.buffer.lines.get(0).constructor as LineClass;

const NUMBERS = 3;
/** Parts of a cell's first number. */
const CODE_POINT = 0x1fffff;
const COMBINED = 1 << 21;
const WIDTH_SHIFT = 22;
/** Flags of a background: the cell is protected from selective erasing, or has more attributes. */
const PROTECTED = 1 << 29;
const EXTENDED = 1 << 28;
const SPACE = 0x20;

/** Cells that no row changes anymore. */
interface Cells extends XtermRow {
  /** Text without trailing blanks, cached at the first use. */
  text?: string;
  /** Set if all cells are equal to this one. */
  all?: FillCell;
}

/**
 * Row that is erased, copied and shifted by reference, so that a sequence that changes the whole screen costs
 * one step per row. xterm's own rows write every erased cell: 10,000 cells for the two bytes `ESC c`.
 */
export class SharedRow extends XtermLine {
  /** The shared cells; undefined if this row has its own. */
  shared: Cells | undefined;

  readonly #filled: FilledCells;

  constructor(cells: Cells, filled: FilledCells, isWrapped: boolean) {
    super(0, undefined, isWrapped);
    this.#filled = filled;
    this.adopt(cells);
  }

  /** True if the row was filled with one visible character and nothing has been written since. */
  get isPattern(): boolean {
    return ((this.shared?.all?.content ?? 0) & CODE_POINT) !== 0;
  }

  adopt(cells: Cells): void {
    this._data = cells._data;
    this._combined = cells._combined;
    this._extendedAttrs = cells._extendedAttrs;
    this.length = cells.length;
    this.shared = cells;
  }

  override set(column: number, value: unknown): void {
    this.#own();
    super.set(column, value);
  }

  override setCell(column: number, cell: FillCell): void {
    if (this.shared !== undefined) this.#own();
    super.setCell(column, cell);
  }

  override setCellFromCodepoint(
    column: number,
    codePoint: number,
    width: number,
    attributes: Attributes,
  ): void {
    if (this.shared !== undefined) this.#own();
    const { fg, bg } = attributes;
    const at = column * NUMBERS;
    const data = this._data;
    if ((bg & EXTENDED) !== 0) this._extendedAttrs[column] = attributes.extended;
    data[at] = codePoint | (width << WIDTH_SHIFT);
    data[at + 1] = fg;
    data[at + 2] = bg;
  }

  override addCodepointToCell(column: number, codePoint: number, width: number): void {
    this.#own();
    super.addCodepointToCell(column, codePoint, width);
  }

  override insertCells(column: number, count: number, fill: FillCell): void {
    if (this.#isAll(fill)) return;
    const at = column % this.length;
    this.#unhalve(at - 1, fill);
    const inserted = Math.min(count, this.length - at);
    this.#shift({ from: at, to: at + inserted, count: this.length - at - inserted }, fill);
    this.#unhalve(this.length - 1, fill);
  }

  override deleteCells(column: number, count: number, fill: FillCell): void {
    if (this.#isAll(fill)) return;
    const at = column % this.length;
    const deleted = Math.min(count, this.length - at);
    this.#shift({ from: at + deleted, to: at, count: this.length - at - deleted }, fill);
    this.#unhalve(at - 1, fill);
    const isSecondHalf = this.getWidth(at) === 0 && !this.hasContent(at);
    if (isSecondHalf) this.setCellFromCodepoint(at, 0, 1, fill);
  }

  override replaceCells(start: number, end: number, fill: FillCell, respectProtect = false): void {
    if (this.#isAll(fill)) return;
    if (start === 0 && end >= this.length) this.fill(fill, respectProtect);
    else super.replaceCells(start, end, fill, respectProtect);
  }

  override copyCellsFrom(from: XtermRow, column: number, to: number, length: number, reverse: boolean): void {
    this.#own();
    super.copyCellsFrom(from, column, to, length, reverse);
  }

  override fill(fill: FillCell, respectProtect = false): void {
    if (this.#isAll(fill)) return;
    if (respectProtect && this.#hasProtected()) super.fill(fill, respectProtect);
    else this.adopt(this.#filled.of(this.length, fill));
  }

  override resize(columns: number, fill: FillCell): boolean {
    this.#own();
    return super.resize(columns, fill);
  }

  override copyFrom(line: XtermRow): void {
    this.isWrapped = line.isWrapped;
    this.adopt(shareCells(line));
  }

  override clone(): XtermRow {
    return new SharedRow(shareCells(this), this.#filled, this.isWrapped);
  }

  override translateToString(trimRight = false, start = 0, end?: number, columns?: number[]): string {
    if (!trimRight || start !== 0 || end !== undefined || columns !== undefined) {
      return super.translateToString(trimRight, start, end, columns);
    }
    return this.shared === undefined ? textOf(this) : this.shared.text ??= textOf(this);
  }

  #own(): void {
    if (this.shared === undefined) return;
    this.shared = undefined;
    this._data = this._data.slice();
    this._combined = { ...this._combined };
    this._extendedAttrs = { ...this._extendedAttrs };
  }

  #isAll({ content, fg, bg }: FillCell): boolean {
    const all = this.shared?.all;
    return all !== undefined && all.content === content && all.fg === fg && all.bg === bg &&
      (bg & EXTENDED) === 0;
  }

  /** Moves cells within the row and fills the vacated ones. */
  #shift({ from, to, count }: { from: number; to: number; count: number }, fill: FillCell): void {
    this.#own();
    const { _data: data, _combined: combined, _extendedAttrs: extended } = this;
    data.copyWithin(to * NUMBERS, from * NUMBERS, (from + count) * NUMBERS);
    if (!isEmpty(combined) || !isEmpty(extended)) {
      for (let moved = 0; moved < count; moved++) {
        const at = from < to ? count - 1 - moved : moved;
        if ((data[(to + at) * NUMBERS]! & COMBINED) !== 0) combined[to + at] = combined[from + at]!;
        if ((data[(to + at) * NUMBERS + 2]! & EXTENDED) !== 0) extended[to + at] = extended[from + at];
      }
    }
    const blank = from < to ? { start: from, end: to } : { start: to + count, end: from + count };
    for (let at = blank.start; at < blank.end; at++) this.setCell(at, fill);
  }

  /** Blanks a wide character that has lost one half. */
  #unhalve(column: number, fill: FillCell): void {
    if (column >= 0 && this._data[column * NUMBERS]! >> WIDTH_SHIFT === 2) {
      this.setCellFromCodepoint(column, 0, 1, fill);
    }
  }

  #hasProtected(): boolean {
    for (let at = 2; at < this._data.length; at += NUMBERS) {
      if ((this._data[at]! & PROTECTED) !== 0) return true;
    }
    return false;
  }
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}

/** Makes the cells of a row shared, and returns them. */
export function shareCells(line: XtermRow): Cells {
  if (!(line instanceof SharedRow)) return line.clone();
  if (line.shared !== undefined) return line.shared;
  const cells: Cells = new XtermLine(0);
  cells._data = line._data;
  cells._combined = line._combined;
  cells._extendedAttrs = line._extendedAttrs;
  cells.length = line.length;
  return line.shared = cells;
}

/** Cells that are all equal, created once for consecutive requests by the rows of a screen. */
export class FilledCells {
  #last: Cells = new XtermLine(0);

  of(columns: number, { content, fg, bg, extended }: FillCell): Cells {
    const all = this.#last.all;
    const isLast = this.#last.length === columns && all?.content === content && all.fg === fg &&
      all.bg === bg;
    if (isLast && ((bg & EXTENDED) === 0 || all.extended === extended)) return this.#last;
    const cell = { content, fg, bg, extended };
    this.#last = new XtermLine(columns, cell);
    this.#last.all = cell;
    return this.#last;
  }
}

/** The text of a row without trailing blanks. */
function textOf({ _data: data, _combined: combined, length }: XtermRow): string {
  let end = length;
  while (end > 0 && (data[(end - 1) * NUMBERS]! & (CODE_POINT | COMBINED)) === 0) end--;
  let text = "";
  const codes: number[] = [];
  for (let column = 0; column < end;) {
    const content = data[column * NUMBERS]!;
    if ((content & COMBINED) === 0) codes.push(content & CODE_POINT || SPACE);
    else {
      text += String.fromCodePoint(...codes) + combined[column];
      codes.length = 0;
    }
    column += content >> WIDTH_SHIFT || 1;
  }
  return text + String.fromCodePoint(...codes);
}
