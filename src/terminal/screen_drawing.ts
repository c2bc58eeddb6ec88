// Draws a captured screen with the sequences of a terminal.
import type { CapturedPane } from "./screen.ts";
import { characterWidth } from "./width.ts";

/** Replaces secrets in the output of a pane, which comes in pieces. */
export interface MaskedOutput {
  /** Takes a piece and returns the part that can be passed on. */
  push(text: string): string;
  /** Drops what is held back for the rows of an unfinished line, which more pieces continue; returns as `push` does. */
  restart(rows: readonly string[]): string;
  /** Masks rows that no piece continues. */
  rows(rows: readonly string[]): string[];
  /** True if a part is held back. */
  readonly holds: boolean;
  /** Returns the rest. */
  end(): string;
}

/** Sequences that tmux writes into a capture: styles, links, line drawing. */
// deno-lint-ignore no-control-regex -- tmux writes these
const SEQUENCE = /\x1b\[[\d;:]*m|\x1b\]8;[^\x1b]*\x1b\\|[\x0e\x0f]/g;
/** A sequence or a character. */
const PART = new RegExp(`${SEQUENCE.source}|[^]`, "gu");
/** Ends line drawing and style. */
const PLAIN = "\x0f\x1b[m";

/** Draws a screen on a new terminal. G1 is line drawing, as tmux's captures assume. */
export function drawScreen(capture: CapturedPane): string {
  return drawRows(rowsOf(capture)) + place(capture.cursor);
}

/**
 * Draws a screen without its secrets. Later output continues the line at the cursor, which may end with the beginning
 * of a secret: up to the cursor, that line goes the way of the output.
 */
export function drawMaskedScreen(capture: CapturedPane, masked: MaskedOutput): string {
  const { columns, cursor } = capture;
  const rows = rowsOf(capture);
  const shown = masked.rows(rows);
  const last = cursor?.row ?? 0;
  let first = last;
  while (first > 0 && cellsIn(rows[first - 1]!.trimEnd()) >= columns) first--;
  const { before, after } = cut(rows[last] ?? "", cursor?.column ?? 0);
  const line = [...rows.slice(first, last), before];
  const isMasked = rows.slice(first, last + 1).some((row, index) => row !== shown[first + index]);
  // Neither part of a secret that the cursor stands in may be drawn.
  if (!cursor || isMasked && cellsIn(after.trimEnd()) > 0) {
    masked.restart([]);
    return drawRows(shown) + place(cursor);
  }
  const others = [
    ...shown.slice(0, first),
    ...line.map(styleOf),
    ...shown.slice(last + 1),
  ];
  if (after !== "") others[last] += place(cursor) + after;
  const begun = masked.restart([...line.slice(0, -1), before + PLAIN]);
  const drawn = drawRows(others) + place({ row: first, column: 0 }) + styleOf(rows.slice(0, first).join("")) +
    begun;
  const isInPlace = masked.holds || cursor.column >= columns;
  return isInPlace ? drawn : drawn + place(cursor);
}

function rowsOf({ text, rows }: CapturedPane): string[] {
  const lines = text.split("\n");
  return Array.from({ length: rows }, (_, row) => lines[row] ?? "");
}

function drawRows(rows: readonly string[]): string {
  const drawn = rows.map((row, n) => row === "" ? "" : `\x1b[${n + 1};1H${row}`).join("");
  return `\x1b)0${drawn}${PLAIN}`;
}

function place(cursor: CapturedPane["cursor"]): string {
  return cursor === undefined ? "\x1b[?25l" : `\x1b[${cursor.row + 1};${cursor.column + 1}H`;
}

/** The sequences of a text. */
function styleOf(text: string): string {
  return text.match(SEQUENCE)?.join("") ?? "";
}

function cellsIn(row: string): number {
  let cells = 0;
  for (const character of row.replaceAll(SEQUENCE, "")) cells += characterWidth(character);
  return cells;
}

/** Cuts a row at a column, up to which it is filled with blanks. */
function cut(row: string, column: number): { before: string; after: string } {
  let cells = 0;
  let end = row.length;
  for (const { index, 0: part } of row.matchAll(PART)) {
    const width = cellsIn(part);
    if (cells + width > column) {
      end = index;
      break;
    }
    cells += width;
  }
  return { before: row.slice(0, end) + " ".repeat(column - cells), after: row.slice(end) };
}
