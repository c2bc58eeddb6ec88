// A screen as an SVG picture.
import { type CellBox, findShape } from "./box_drawing.ts";
import type { Cell, Screen } from "../screen.ts";
import { stretchesOf, type StyledStretch } from "./stretch.ts";
import type { Theme } from "./theme.ts";

const CELL = { width: 10, height: 20 };
const MARGIN = 10;
/** At this font size, DejaVu Sans Mono's advance of 1233/2048 em is one cell. */
const FONT_SIZE = 16.61;
const FONTS = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace";
const BASELINE = 15;
/** Chromium no longer inherits xml:space, which other programs use: neighboring blanks became one (seen in 156). */
const KEEP_BLANKS = "<style>text{white-space:pre}</style>";
/** Characters that any monospace font draws one cell wide, so that they can be set in a row. */
const PLAIN = /^[ -~\u00a1-\u02af\u0370-\u052f]$/;

export interface PictureSize {
  width: number;
  height: number;
}

/** Draws a screen. Text stays text; lines and blocks are drawn as shapes. */
export function drawSvg(screen: Screen, theme: Theme): string {
  return frameSvg(pictureSize(screen.columns, screen.rows.length), theme, drawRows(screen, theme).join(""));
}

export function drawRows(screen: Screen, theme: Theme): string[] {
  return screen.rows.map((_, row) => drawRow(stretchesOf(screen, row, theme), row, theme));
}

export function frameSvg({ width, height }: PictureSize, theme: Theme, rows: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" font-family="${FONTS}" font-size="${FONT_SIZE}" xml:space="preserve">${KEEP_BLANKS}` +
    `<rect width="${width}" height="${height}" fill="${theme.background}"/>${rows}</svg>\n`;
}

export function pictureSize(columns: number, rows: number): PictureSize {
  return { width: columns * CELL.width + 2 * MARGIN, height: rows * CELL.height + 2 * MARGIN };
}

function drawRow(stretches: StyledStretch[], row: number, theme: Theme): string {
  const top = MARGIN + row * CELL.height;
  const backgrounds = stretches.filter(({ background }) => background !== theme.background);
  const before = stretches.filter(({ foreground, background }) => foreground !== background);
  const draw = (stretch: StyledStretch): string =>
    drawShapes(stretch, top) + drawText(stretch, top) + drawLines(stretch, top);
  return [...backgrounds.map((stretch) => drawBackground(stretch, top)), ...before.map(draw)].join("");
}

function drawBackground({ column, width, background }: StyledStretch, top: number): string {
  return `<path d="${rectangle(left(column), top, width * CELL.width, CELL.height)}" fill="${background}"/>`;
}

function drawShapes({ cells, foreground }: StyledStretch, top: number): string {
  const filled: string[] = [];
  const others: string[] = [];
  for (const cell of cells) {
    const shape = findShape(cell.text, boxOf(cell, top));
    if (shape === undefined) continue;
    if (shape.stroke !== undefined) {
      others.push(
        `<path d="${shape.path}" fill="none" stroke="${foreground}" stroke-width="${shape.stroke}"/>`,
      );
    } else if (shape.opacity !== undefined) {
      others.push(`<path d="${shape.path}" fill="${foreground}" fill-opacity="${shape.opacity}"/>`);
    } else filled.push(shape.path);
  }
  if (filled.length > 0) others.push(`<path d="${filled.join("")}" fill="${foreground}"/>`);
  return others.join("");
}

function drawText({ cells, foreground, style }: StyledStretch, top: number): string {
  const weight = style.bold ? ' font-weight="bold"' : "";
  const slant = style.italic ? ' font-style="italic"' : "";
  const attributes = `fill="${foreground}"${weight}${slant}`;
  return textRuns(cells).map((run) => {
    const [first] = run as [Cell];
    const text = escapeXml(run.map((cell) => cell.text).join(""));
    const alone = run.length === 1 && !PLAIN.test(first.text);
    const x = alone ? left(first.column) + first.width * CELL.width / 2 : left(first.column);
    const place = alone
      ? ' text-anchor="middle"'
      : run.length > 1
      ? ` textLength="${run.length * CELL.width}"`
      : "";
    return `<text x="${x}" y="${top + BASELINE}" ${attributes}${place}>${text}</text>`;
  }).join("");
}

/** Runs of plain neighboring characters, without surrounding blanks; any other character is a run of its own. */
function textRuns(cells: readonly Cell[]): Cell[][] {
  const runs: Cell[][] = [];
  let run: Cell[] = [];
  const end = (): void => {
    const last = run.findLastIndex((cell) => cell.text !== " ");
    if (last >= 0) runs.push(run.slice(run.findIndex((cell) => cell.text !== " "), last + 1));
    run = [];
  };
  for (const cell of cells) {
    if (PLAIN.test(cell.text)) run.push(cell);
    else {
      end();
      if (findShape(cell.text, boxOf(cell, 0)) === undefined) runs.push([cell]);
    }
  }
  end();
  return runs;
}

function drawLines({ column, width, foreground, style }: StyledStretch, top: number): string {
  const line = (y: number): string => rectangle(left(column), top + y, width * CELL.width, 1);
  const lines = (style.underline ? line(BASELINE + 2) : "") +
    (style.strikethrough ? line(BASELINE - 5) : "") +
    (style.overline ? line(0) : "");
  return lines === "" ? "" : `<path d="${lines}" fill="${foreground}"/>`;
}

function boxOf({ column, width }: Cell, top: number): CellBox {
  return { x: left(column), y: top, width: width * CELL.width, height: CELL.height };
}

function left(column: number): number {
  return MARGIN + column * CELL.width;
}

function rectangle(x: number, y: number, width: number, height: number): string {
  return `M${x} ${y}h${width}v${height}h-${width}z`;
}

/** Escapes text for XML, which can't contain control characters, lone surrogates, U+FFFE or U+FFFF. */
export function escapeXml(text: string): string {
  return text.toWellFormed().replace(
    /[&<>"\p{Cc}\ufffe\uffff]/gu,
    (character) => ENTITIES[character] ?? "\ufffd",
  );
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
