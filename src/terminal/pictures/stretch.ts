// Neighboring cells of one style, with their colors.
import type { Cell, Colour, Screen, Style } from "../screen.ts";
import { mix, paletteColour, type Theme } from "./theme.ts";

export interface StyledStretch {
  cells: readonly Cell[];
  column: number;
  width: number;
  style: Style;
  foreground: string;
  background: string;
}

/** A row's stretches from left to right. The cell under the cursor is a separate one, in the cursor's color. */
export function stretchesOf(screen: Screen, row: number, theme: Theme): StyledStretch[] {
  const { cursor } = screen;
  const covered = ({ column, width }: Cell): boolean =>
    cursor?.row === row && cursor.column >= column && cursor.column < column + width;
  const groups: Cell[][] = [];
  for (const cell of screen.rows[row] ?? []) {
    const last = groups.at(-1)?.at(-1);
    if (last === undefined || last.style !== cell.style || covered(last) || covered(cell)) {
      groups.push([cell]);
    } else groups.at(-1)?.push(cell);
  }
  return groups.map((cells) => {
    const [first] = cells as [Cell];
    const colours = coloursOf(first.style, theme);
    const shown = covered(first) ? { foreground: theme.background, background: theme.cursor } : colours;
    const width = cells.reduce((sum, cell) => sum + cell.width, 0);
    return { cells, column: first.column, width, style: first.style, ...shown };
  });
}

/** Colors of a style: inverse, dim and hidden are applied; bold uses the bright half of the palette, as in xterm. */
function coloursOf(style: Style, theme: Theme): { foreground: string; background: string } {
  const bright = style.bold && typeof style.foreground === "number" && style.foreground < 8 ? 8 : 0;
  let foreground = resolve(style.foreground, theme, bright) ?? theme.foreground;
  let background = resolve(style.background, theme) ?? theme.background;
  if (style.inverse) [foreground, background] = [background, foreground];
  if (style.dim) foreground = mix(foreground, background, 0.45);
  return { foreground: style.hidden ? background : foreground, background };
}

function resolve(colour: Colour, theme: Theme, bright = 0): string | undefined {
  return typeof colour === "number" ? paletteColour(colour + bright, theme) : colour;
}
