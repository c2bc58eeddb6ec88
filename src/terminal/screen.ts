// A captured pane as cells.
import type { IBufferCell, IBufferLine, Terminal } from "@xterm/headless";
import { openEmulator } from "./emulator.ts";
import { withoutC1 } from "./pane_decoder.ts";
import { getOrCreate } from "../maps.ts";

/** A palette index, `#rrggbb`, or undefined for the terminal's default color. */
export type Colour = number | string | undefined;

export interface Style {
  foreground: Colour;
  background: Colour;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  hidden: boolean;
  strikethrough: boolean;
  overline: boolean;
}

/** One character with the cells it covers; unwritten cells are blanks. */
export interface Cell {
  /** A character with its combining marks, or a space. */
  text: string;
  column: number;
  width: 1 | 2;
  /** Equal styles of one screen are the same object. */
  style: Style;
}

export interface Screen {
  columns: number;
  rows: readonly (readonly Cell[])[];
  /** Position of the cursor, 0-based. */
  cursor?: { column: number; row: number };
}

/** A pane as captured from tmux. */
export interface CapturedPane {
  /** Output of `capture-pane -p -e -N`: one line per row, with colors and trailing blanks. */
  text: string;
  columns: number;
  rows: number;
  /** Position of the cursor, 0-based; absent if hidden. */
  cursor?: { column: number; row: number };
}

/** A captured pane with the place of its cursor, 0-based, visible or not. */
export interface CapturedScreen extends CapturedPane {
  cursorColumn: number;
  cursorRow: number;
  /** True on the screen of a full-screen program. */
  alternateOn: boolean;
  /** The main screen, which is shown again once that program ends. */
  main?: Pick<CapturedScreen, "text" | "cursorColumn" | "cursorRow">;
  /** True if a program turned the wrapping of long lines off (DECAWM). */
  wrapOff?: boolean;
  /** Rows that scroll, 0-based, if a program has set some (DECSTBM). */
  scrollRegion?: { top: number; bottom: number };
}

/** Parses a capture into cells. */
export async function parseScreen({ text, columns, rows, cursor }: CapturedPane): Promise<Screen> {
  const terminal = await openEmulator({ columns, rows });
  const lines = withoutC1(text).replace(/\n$/, "").split("\n").slice(0, rows);
  const placed = lines.map((line, row) => `\x1b[${row + 1};1H${line}`).join("");
  await new Promise<void>((resolve) => terminal.write(LINE_DRAWING + placed, resolve));
  const screen = screenOf(terminal);
  terminal.dispose();
  return { ...screen, ...(cursor && { cursor }) };
}

/** The cells that an emulator currently shows, without the cursor. */
export function screenOf(terminal: Terminal): Screen {
  const { cols: columns, rows: height, buffer: { active } } = terminal;
  const styles = new Map<string, Style>();
  const rowAt = (row: number): Cell[] => readRow(active.getLine(active.viewportY + row), columns, styles);
  return { columns, rows: Array.from({ length: height }, (_, row) => rowAt(row)) };
}

/** tmux's captures shift to G1 (SO) for line drawing, because tmux has set up its own terminal that way. */
const LINE_DRAWING = "\x1b)0\x1b[?7l";

function readRow(line: IBufferLine | undefined, columns: number, styles: Map<string, Style>): Cell[] {
  const cells: Cell[] = [];
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const width = cell.getWidth() === 2 ? 2 : 1;
    const style = styleOf(cell);
    const shared = getOrCreate(styles, Object.values(style).join(), () => style);
    cells.push({ text: cell.getChars() || " ", column, width, style: shared });
  }
  return cells;
}

function styleOf(cell: IBufferCell): Style {
  return {
    foreground: colourOf(cell.isFgPalette(), cell.isFgRGB(), cell.getFgColor()),
    background: colourOf(cell.isBgPalette(), cell.isBgRGB(), cell.getBgColor()),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
    hidden: cell.isInvisible() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
    overline: cell.isOverline() !== 0,
  };
}

function colourOf(indexed: boolean, rgb: boolean, value: number): Colour {
  if (indexed) return value;
  return rgb ? `#${value.toString(16).padStart(6, "0")}` : undefined;
}
