// Makes the emulator's screens use rows that share their cells.
import type { Terminal } from "@xterm/headless";
import { type FillCell, FilledCells, shareCells, SharedRow, type XtermRow } from "./shared_row.ts";

interface Buffer {
  readonly lines: {
    length: number;
    get(index: number): XtermRow | undefined;
    set(index: number, line: XtermRow): void;
  };
  x: number;
  y: number;
  ybase: number;
  ydisp: number;
  scrollTop: number;
  scrollBottom: number;
  savedX: number;
  savedY: number;
  readonly savedCurAttrData: { fg: number; bg: number };
  savedCharset: unknown;
  getNullCell(attributes?: unknown): FillCell;
  getBlankLine(attributes: unknown, isWrapped?: boolean): XtermRow;
  setupTabStops(): void;
}

interface Buffers {
  readonly normal: Buffer;
  readonly alt: Buffer;
  activateNormalBuffer(): void;
  reset(): void;
}

/** Private parts of xterm. A test compares the screens with xterm's own. */
interface Internals {
  readonly _core: { readonly buffers: Buffers };
}

const internals = (terminal: Terminal) => (terminal as unknown as Internals)._core;

/** Replaces the terminal's rows by rows that share their cells. */
export function shareRows(terminal: Terminal): void {
  const { buffers } = internals(terminal);
  const filled = new FilledCells();
  for (const buffer of [buffers.normal, buffers.alt]) {
    buffer.getBlankLine = (attributes, isWrapped = false) =>
      new SharedRow(filled.of(terminal.cols, buffer.getNullCell(attributes)), filled, isWrapped);
  }
  const share = () => {
    for (const { lines } of [buffers.normal, buffers.alt]) {
      for (let row = 0; row < lines.length; row++) {
        const line = lines.get(row)!;
        if (!(line instanceof SharedRow)) {
          lines.set(row, new SharedRow(shareCells(line), filled, line.isWrapped));
        }
      }
    }
  };
  terminal.onResize(share);
  buffers.reset = () => reset(terminal, filled);
  share();
  buffers.reset();
}

/** Resets the buffers as if they were new, but reuses their rows. */
function reset(terminal: Terminal, filled: FilledCells): void {
  const { buffers } = internals(terminal);
  const { normal, alt } = buffers;
  buffers.activateNormalBuffer();
  for (const buffer of [normal, alt]) {
    buffer.x =
      buffer.y =
      buffer.ybase =
      buffer.ydisp =
      buffer.scrollTop =
      buffer.savedX =
      buffer.savedY =
        0;
    buffer.scrollBottom = terminal.rows - 1;
    buffer.savedCurAttrData.fg = buffer.savedCurAttrData.bg = 0;
    buffer.savedCharset = undefined;
    buffer.setupTabStops();
  }
  normal.lines.length = terminal.rows;
  const blank = filled.of(terminal.cols, normal.getNullCell());
  for (let row = 0; row < terminal.rows; row++) {
    const line = normal.lines.get(row) as SharedRow;
    line.adopt(blank);
    line.isWrapped = false;
  }
}
