// Draws a captured screen with the sequences of a terminal.
import { withoutC1 } from "./pane_decoder.ts";
import type { CapturedScreen } from "./screen.ts";
import { cellsIn, JOINED } from "./width.ts";

/** Replaces secrets in the output of a pane, which comes in pieces. */
export interface MaskedOutput {
  /** Takes a piece and returns the part that can be passed on. */
  push(text: string): string;
  /** Drops what is held back for a text that more pieces continue; returns as `push` does. */
  restart(text: string): string;
  /** Masks rows that no piece continues. */
  rows(rows: readonly string[]): string[];
  /**
   * Finds the secrets in the rows of one unstyled line, in order, that can be masked before the rest of the line is
   * known. Undefined if the end of the line is secret only when its row is read alone.
   */
  wrapped(rows: readonly string[]): readonly { start: number; end: number }[] | undefined;
  /** Stands for a secret. */
  readonly replacement: string;
  readonly maxHeldChars: number;
  /** True if a part is held back. */
  readonly holds: boolean;
  /** Returns the rest. */
  end(): string;
}

// deno-lint-ignore no-control-regex -- tmux writes these
const STYLE = /\x1b\[[\d;:]*m|[\x0e\x0f]/g;
/** Sequences that tmux writes into a capture: styles, line drawing, links. */
const SEQUENCE = new RegExp(`${STYLE.source}|\\x1b\\]8;[^\\x1b]*\\x1b\\\\`, "g");
const PART = new RegExp(`${SEQUENCE.source}|[^]`, "gu");
/** Ends line drawing and style. */
const PLAIN = "\x0f\x1b[m";
/** Begins and ends line drawing. */
const [SHIFT_OUT, SHIFT_IN] = ["\x0e", "\x0f"];
const SKIN_TONE = /^\p{Emoji_Modifier}/u;

/** Draws a screen on a new terminal. G1 is line drawing, as tmux's captures assume. */
export function drawScreen(screen: CapturedScreen): string {
  return unwrapped(drawRows(rowsOf(screen))) + setModes(screen) + place(screen) + hideCursor(screen);
}

/**
 * Draws a screen without its secrets. Later output continues the line at the cursor, which may end with the beginning
 * of a secret: up to the cursor, that line is therefore masked as output is.
 */
export function drawMaskedScreen(screen: CapturedScreen, masked: MaskedOutput): string {
  const { columns, cursorRow: last } = screen;
  const rows = rowsOf(screen);
  const shown = masked.rows(rows);
  const { before, after } = cut(rows[last] ?? "", screen.cursorColumn);
  const firstWrapped = firstRowOf(screen, { rows, masked });
  const wrapped = wrappedLine([...rows.slice(firstWrapped, last), before], masked);
  const [first, line] = wrapped === undefined ? [last, before] : [firstWrapped, wrapped];
  // The line can't be read by itself.
  if (
    reaches(first, { rows, shown, masked }) || reaches(last + 1, { rows, shown, masked }) ||
    isDivided(line, after, masked)
  ) {
    masked.restart("");
    return unwrapped(drawRows(shown)) + setModes(screen) + place(screen) + hideCursor(screen);
  }
  const others = [
    ...shown.slice(0, first),
    ...rows.slice(first, last + 1).map(styleOf),
    ...shown.slice(last + 1),
  ];
  if (after !== "") others[last] = styleOf(before) + place(screen) + maskLine(after, masked);
  const styled = styleOf(rows.slice(0, first).join(""));
  const begun = styled + masked.restart(line + PLAIN);
  const isLonger = first === last && rows[last] !== shown[last];
  const drawn = unwrapped(drawRows(others)) + setModes(screen) + hideCursor(screen) +
    place({ cursorRow: first, cursorColumn: 0 }) +
    (isLonger && !screen.wrapOff ? unwrapped(begun) : begun);
  const isInPlace = masked.holds || screen.cursorColumn >= columns;
  return isInPlace ? drawn : drawn + place(screen);
}

/** Draws the main screen and switches to the alternate one, if that is shown. */
export function drawMain({ main, rows }: CapturedScreen, masked: MaskedOutput | undefined): string {
  if (main === undefined) return "";
  const shown = rowsOf({ ...main, rows });
  return unwrapped(drawRows(masked?.rows(shown) ?? shown)) + place(main) + "\x1b[?1049h";
}

interface MaskedRows {
  rows: readonly string[];
  /** The rows without secrets. */
  shown: readonly string[];
  masked: MaskedOutput;
}

/** True if a secret reaches over the beginning of a row, or the rest of one is there. */
function reaches(row: number, { rows, shown, masked }: MaskedRows): boolean {
  return masked.rows(["", ...rows.slice(row)]).slice(1).some((each, at) => each !== shown[row + at]);
}

/** True if a secret is found only where the text before the cursor and the text after it are read together. */
function isDivided(before: string, after: string, masked: MaskedOutput): boolean {
  if (withoutSequences(after).trim() === "") return false;
  const parts = maskLine(before, masked) + maskLine(after, masked);
  return withoutSequences(maskLine(before + after, masked)) !== withoutSequences(parts);
}

/** Masks a text that is a line of its own, and not the end of a cut one. */
function maskLine(text: string, masked: MaskedOutput): string {
  return masked.rows([text, ""])[0] ?? "";
}

/** A row that is longer once it is masked must not scroll the screen. */
function unwrapped(drawn: string): string {
  return `\x1b[?7l${drawn}\x1b[?7h`;
}

function rowsOf({ text, rows }: Pick<CapturedScreen, "text" | "rows">): string[] {
  const lines = withoutC1(text).split("\n");
  return Array.from({ length: rows }, (_, row) => lines[row] ?? "");
}

/** The first row of the line at the cursor. Full rows above it may be wrapped, unless a program placed them. */
function firstRowOf(
  { cursorRow: last, cursorColumn, columns, alternateOn, wrapOff, scrollRegion }: CapturedScreen,
  { rows, masked }: Pick<MaskedRows, "rows" | "masked">,
): number {
  let first = last;
  if (alternateOn || wrapOff || scrollRegion || cursorColumn === 0) return last;
  while (first > 0 && cellsIn(withoutSequences(rows[first - 1] ?? "").trimEnd()) >= columns) first--;
  return rows.slice(first, last + 1).join("").length <= masked.maxHeldChars ? first : last;
}

/**
 * The rows as one line, in which each secret that is known without the rest of the line is masked in its own cells.
 * Undefined if only the last row can be read.
 */
function wrappedLine(rows: readonly string[], masked: MaskedOutput): string | undefined {
  const line = rows.join("");
  if (rows.length === 1) return line;
  const secrets = masked.wrapped(rows.map(withoutSequences));
  if (secrets === undefined || secrets.length === 0) return secrets && line;
  const unstyled = withoutSequences(line);
  let at = 0;
  let isDrawing = false;
  return line.replace(PART, (part) => {
    if (withoutSequences(part) === "") {
      if (part === SHIFT_OUT || part === SHIFT_IN) isDrawing = part === SHIFT_OUT;
      return part;
    }
    const secret = secrets.find(({ end }) => at < end);
    const isSecret = secret !== undefined && at >= secret.start;
    const isFirst = at === secret?.start;
    at += part.length;
    if (!isSecret) return part;
    if (!isFirst) return "";
    const replacement = sized(masked.replacement, cellsIn(unstyled.slice(secret.start, secret.end)));
    return isDrawing ? SHIFT_IN + replacement + SHIFT_OUT : replacement;
  });
}

function sized(text: string, cells: number): string {
  return text.slice(0, cells).padEnd(cells);
}

function drawRows(rows: readonly string[]): string {
  const drawn = rows.map((row, n) => row === "" ? "" : `\x1b[${n + 1};1H${row}`).join("");
  return `\x1b)0${drawn}${PLAIN}`;
}

/** Sets what the program changed of a new terminal's modes. The cursor moves to the first cell. */
function setModes({ wrapOff, scrollRegion }: CapturedScreen): string {
  const region = scrollRegion ? `\x1b[${scrollRegion.top + 1};${scrollRegion.bottom + 1}r` : "";
  return region + (wrapOff ? "\x1b[?7l" : "");
}

function place({ cursorRow, cursorColumn }: Pick<CapturedScreen, "cursorRow" | "cursorColumn">): string {
  return `\x1b[${cursorRow + 1};${cursorColumn + 1}H`;
}

function hideCursor({ cursor }: CapturedScreen): string {
  return cursor === undefined ? "\x1b[?25l" : "";
}

function styleOf(text: string): string {
  return text.match(STYLE)?.join("") ?? "";
}

function withoutSequences(text: string): string {
  return text.replaceAll(SEQUENCE, "");
}

/** Cuts a row at a column, up to which it is filled with blanks. */
function cut(row: string, column: number): { before: string; after: string } {
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
  // The number of cells before the cursor isn't known.
  if (JOINED.test(row.slice(0, end)) || SKIN_TONE.test(row.slice(end))) {
    const before = row.trimEnd();
    return { before: before + (column > cellsIn(withoutSequences(before)) ? " " : ""), after: "" };
  }
  const blanks = cells < column ? PLAIN + " ".repeat(column - cells) : "";
  return { before: row.slice(0, end) + blanks, after: row.slice(end) };
}
