// Draws a captured screen with the sequences of a terminal.
import type { CapturedScreen } from "./screen.ts";
import { characterWidth, JOINED } from "./width.ts";

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

// deno-lint-ignore no-control-regex -- tmux writes these
const STYLE = /\x1b\[[\d;:]*m|[\x0e\x0f]/g;
/** Sequences that tmux writes into a capture: styles, line drawing, links. */
const SEQUENCE = new RegExp(`${STYLE.source}|\\x1b\\]8;[^\\x1b]*\\x1b\\\\`, "g");
/** A sequence or a character. */
const PART = new RegExp(`${SEQUENCE.source}|[^]`, "gu");
/** Ends line drawing and style. */
const PLAIN = "\x0f\x1b[m";
const TAB_CELLS = 8;

/** Draws a screen on a new terminal. G1 is line drawing, as tmux's captures assume. */
export function drawScreen(screen: CapturedScreen): string {
  return drawRows(rowsOf(screen)) + place(screen) + hideCursor(screen);
}

/**
 * Draws a screen without its secrets. Later output continues the line at the cursor, which may end with the beginning
 * of a secret: up to the cursor, that line goes the way of the output.
 */
export function drawMaskedScreen(screen: CapturedScreen, masked: MaskedOutput): string {
  const { columns, cursorRow: last } = screen;
  const rows = rowsOf(screen);
  const shown = masked.rows(rows);
  const { before, after } = cut(rows[last] ?? "", screen.cursorColumn);
  const first = firstRowOf(screen, rows);
  const unfinished = [...rows.slice(first, last), before];
  const isMasked = rows.slice(first, last + 1).some((row, index) => row !== shown[first + index]);
  const mask = (text: string): string => masked.rows([text, ""])[0] ?? "";
  if (standsInSecret({ before: unfinished.join(""), after, isMasked }, mask)) {
    masked.restart([]);
    return drawRows(shown) + place(screen) + hideCursor(screen);
  }
  const others = [
    ...shown.slice(0, first),
    ...rows.slice(first, last + 1).map(styleOf),
    ...shown.slice(last + 1),
  ];
  if (after !== "") others[last] = styleOf(before) + place(screen) + mask(after);
  const drawn = drawRows(others) + hideCursor(screen) + place({ cursorRow: first, cursorColumn: 0 }) +
    styleOf(rows.slice(0, first).join("")) +
    masked.restart([...unfinished.slice(0, -1), before + PLAIN]);
  const isInPlace = masked.holds || screen.cursorColumn >= columns;
  return isInPlace ? drawn : drawn + place(screen);
}

/** True if a secret is found only where the text before the cursor and the text behind it are read together. */
function standsInSecret(
  { before, after, isMasked }: { before: string; after: string; isMasked: boolean },
  mask: (text: string) => string,
): boolean {
  if (withoutSequences(after).trim() === "") return false;
  const parts = mask(before) + mask(after);
  return withoutSequences(mask(before + after)) !== withoutSequences(parts) ||
    isMasked && parts === before + after;
}

function rowsOf({ text, rows }: CapturedScreen): string[] {
  const lines = text.split("\n");
  return Array.from({ length: rows }, (_, row) => lines[row] ?? "");
}

/** The first row of the line at the cursor: full rows above may be wrapped. Full-screen programs don't wrap theirs. */
function firstRowOf(
  { cursorRow, cursorColumn, columns, alternateOn }: CapturedScreen,
  rows: readonly string[],
): number {
  let first = cursorRow;
  if (alternateOn || cursorColumn === 0) return first;
  while (first > 0 && cellsIn(withoutSequences(rows[first - 1] ?? "").trimEnd()) >= columns) first--;
  return first;
}

/** A row that is longer once it is masked must not scroll the screen. */
function drawRows(rows: readonly string[]): string {
  const drawn = rows.map((row, n) => row === "" ? "" : `\x1b[${n + 1};1H${row}`).join("");
  return `\x1b)0\x1b[?7l${drawn}\x1b[?7h${PLAIN}`;
}

function place({ cursorRow, cursorColumn }: Pick<CapturedScreen, "cursorRow" | "cursorColumn">): string {
  return `\x1b[${cursorRow + 1};${cursorColumn + 1}H`;
}

function hideCursor({ cursor }: CapturedScreen): string {
  return cursor === undefined ? "\x1b[?25l" : "";
}

/** The styles of a text. */
function styleOf(text: string): string {
  return text.match(STYLE)?.join("") ?? "";
}

function withoutSequences(text: string): string {
  return text.replaceAll(SEQUENCE, "");
}

/** Cells of a text without sequences that begins in a column. */
function cellsIn(text: string, column = 0): number {
  let cells = 0;
  for (const character of text) {
    cells += character === "\t" ? TAB_CELLS - (column + cells) % TAB_CELLS : characterWidth(character);
  }
  return cells;
}

/** Cuts a row at a column, up to which it is filled with blanks. */
function cut(row: string, column: number): { before: string; after: string } {
  if (JOINED.test(row)) {
    const before = row.trimEnd();
    const isBehind = column > cellsIn(withoutSequences(before));
    return { before: before + (isBehind ? " " : ""), after: "" };
  }
  let cells = 0;
  let end = row.length;
  for (const { index, 0: part } of row.matchAll(PART)) {
    const width = cellsIn(withoutSequences(part), cells);
    if (cells + width > column) {
      end = index;
      break;
    }
    cells += width;
  }
  const blanks = cells < column ? PLAIN + " ".repeat(column - cells) : "";
  return { before: row.slice(0, end) + blanks, after: row.slice(end) };
}
