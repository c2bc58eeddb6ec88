// Box drawing, block and Powerline characters as shapes that connect from cell to cell.

/** One cell of the picture, in pixels. */
export interface CellBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Shape that replaces a glyph. */
export interface Shape {
  /** SVG path data. */
  path: string;
  /** Width of the line to stroke; absent: the path is filled. */
  stroke?: number;
  opacity?: number;
}

// Weights of the arms left, up, right, down of U+2500-257F: 0 none, 1 light, 2 heavy, 3 double.
const ARMS = ("1010 2020 0101 0202 1010 2020 0101 0202 1010 2020 0101 0202 0011 0021 0012 0022 " +
  "1001 2001 1002 2002 0110 0120 0210 0220 1100 2100 1200 2200 0111 0121 0211 0112 " +
  "0212 0221 0122 0222 1101 2101 1201 1102 1202 2201 2102 2202 1011 2011 1021 2021 " +
  "1012 2012 1022 2022 1110 2110 1120 2120 1210 2210 1220 2220 1111 2111 1121 2121 " +
  "1211 1112 1212 2211 1221 2112 1122 2221 2122 2212 1222 2222 1010 2020 0101 0202 " +
  "3030 0303 0031 0013 0033 3001 1003 3003 0130 0310 0330 3100 1300 3300 0131 0313 " +
  "0333 3101 1303 3303 3031 1013 3033 3130 1310 3330 3131 1313 3333 0000 0000 0000 " +
  "0000 0000 0000 0000 1000 0100 0010 0001 2000 0200 0020 0002 1020 0102 2010 0201").split(" ");
/** Quadrants of U+2596-259F: 1 upper left, 2 upper right, 4 lower left, 8 lower right. */
const QUADRANTS = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];
/** Number of dashes per cell, by the low byte of U+25xx. */
const DASHES: ReadonlyMap<number, number> = new Map(
  [
    ...[4, 5, 6, 7].map((low) => [low, 3] as const),
    ...[8, 9, 10, 11].map((low) => [low, 4] as const),
    ...[0x4c, 0x4d, 0x4e, 0x4f].map((low) => [low, 2] as const),
  ],
);
/** Distance of a double line's two lines from the middle. */
const APART = 2;

/** The shape to draw for a character in its cell; undefined if its glyph is good enough. */
export function findShape(character: string, box: CellBox): Shape | undefined {
  const code = character.codePointAt(0) as number;
  if (code >= 0xe0b0 && code <= 0xe0b3) return powerline(code - 0xe0b0, box);
  if (code < 0x2500 || code > 0x259f) return undefined;
  const low = code - 0x2500;
  if (low >= 0x80) return block(low - 0x80, box);
  if (low >= 0x6d && low <= 0x73) return curve(low - 0x6d, box);
  const arms = [...ARMS[low] as string].map(Number);
  const dashes = DASHES.get(low);
  return { path: dashes === undefined ? lines(arms, box) : dashed(arms, dashes, box) };
}

/** Center of the cell for a line of odd width. */
function middle({ x, y, width, height }: CellBox): [number, number] {
  return [x + Math.floor(width / 2) + 0.5, y + Math.floor(height / 2) + 0.5];
}

function lines(arms: number[], box: CellBox): string {
  const centre = middle(box);
  const ends = [box.x, box.y, box.x + box.width, box.y + box.height];
  return arms.map((weight, side) => {
    if (weight === 0) return "";
    const axis = side % 2;
    const sign = side < 2 ? -1 : 1;
    const offsets = weight === 3 ? [-APART, APART] : [0];
    const half = weight === 2 ? 1.5 : 0.5;
    return offsets.map((offset) => {
      const from = (centre[axis] as number) + sign * armStart(arms, side, offset);
      const across = (centre[1 - axis] as number) + offset;
      return span(axis, from, ends[side] as number, across - half, across + half);
    }).join("");
  }).join("");
}

/** Distance from the center at which a line of an arm begins: before or after the line that it joins. */
function armStart(arms: number[], side: number, offset: number): number {
  const [before, after] = (side % 2 === 0 ? [arms[1], arms[3]] : [arms[0], arms[2]]) as [number, number];
  const opposite = arms[(side + 2) % 4] !== 0;
  const inner = APART - 0.5;
  if (offset !== 0 && (offset < 0 ? before : after) === 3) return inner;
  if (opposite) return -0.5;
  if (offset === 0 && before === 3 && after === 3) return inner;
  if (before === 3 || after === 3) return -APART - 0.5;
  return before === 2 || after === 2 ? -1.5 : -0.5;
}

function dashed(arms: number[], count: number, box: CellBox): string {
  const axis = arms[0] === 0 ? 1 : 0;
  const half = Math.max(...arms) === 2 ? 1.5 : 0.5;
  const across = middle(box)[1 - axis] as number;
  const start = axis === 0 ? box.x : box.y;
  const step = (axis === 0 ? box.width : box.height) / count;
  return Array.from({ length: count }, (_, n) => {
    const from = start + n * step;
    return span(axis, from + step * 0.2, from + step * 0.8, across - half, across + half);
  }).join("");
}

/** Arcs down-right, down-left, up-left, up-right; diagonals rising, falling, both. */
function curve(kind: number, box: CellBox): Shape {
  const { x, y, width, height } = box;
  const [cx, cy] = middle(box);
  const rising = `M${x + width} ${y}L${x} ${y + height}`;
  const falling = `M${x} ${y}L${x + width} ${y + height}`;
  if (kind >= 4) return { path: (kind === 5 ? "" : rising) + (kind === 4 ? "" : falling), stroke: 1 };
  const right = kind === 0 || kind === 3;
  const radius = (right ? 1 : -1) * Math.floor(width / 2);
  const down = kind < 2;
  const bend = cy + (down ? 1 : -1) * Math.abs(radius);
  return {
    path: `M${cx} ${down ? y + height : y}V${bend}Q${cx} ${cy} ${cx + radius} ${cy}H${right ? x + width : x}`,
    stroke: 1,
  };
}

function block(low: number, { x, y, width, height }: CellBox): Shape {
  const part = (left: number, top: number, right: number, bottom: number): Shape => ({
    path: span(0, x + left * width, x + right * width, y + top * height, y + bottom * height),
  });
  if (low === 0) return part(0, 0, 1, 0.5);
  if (low <= 8) return part(0, 1 - low / 8, 1, 1);
  if (low <= 0xf) return part(0, 0, (16 - low) / 8, 1);
  if (low === 0x10) return part(0.5, 0, 1, 1);
  if (low <= 0x13) return { ...part(0, 0, 1, 1), opacity: (low - 0x10) / 4 };
  if (low === 0x14) return part(0, 0, 1, 1 / 8);
  if (low === 0x15) return part(7 / 8, 0, 1, 1);
  const quarters = QUADRANTS[low - 0x16] as number;
  const paths = [0, 1, 2, 3].filter((quarter) => quarters & (1 << quarter)).map((quarter) => {
    const left = (quarter % 2) / 2;
    const top = quarter < 2 ? 0 : 0.5;
    return part(left, top, left + 0.5, top + 0.5).path;
  });
  return { path: paths.join("") };
}

/** Triangle to the right, its outline, triangle to the left, its outline. */
function powerline(kind: number, { x, y, width, height }: CellBox): Shape {
  const [base, tip] = kind < 2 ? [x, x + width] : [x + width, x];
  const path = `M${base} ${y}L${tip} ${y + height / 2}L${base} ${y + height}`;
  return kind % 2 === 0 ? { path: path + "Z" } : { path, stroke: 1 };
}

/** A rectangle between two places along an axis (0 across, 1 down) and two places across it. */
function span(axis: number, from: number, to: number, near: number, far: number): string {
  // All rectangles have the same winding; otherwise overlaps would cut each other out.
  const [start, end] = from < to ? [from, to] : [to, from];
  const [x, y, right, bottom] = axis === 0 ? [start, near, end, far] : [near, start, far, end];
  return `M${x} ${y}H${right}V${bottom}H${x}Z`;
}
