// Characters that a TrueType font can draw.

/** Reads a font's `cmap` table (formats 4 and 12) into a test for code points. */
export function readCoverage(font: Uint8Array): (codePoint: number) => boolean {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const cmap = findTable(view, 0x636d6170);
  const ranges: [first: number, last: number][] = [];
  for (let n = view.getUint16(cmap + 2) - 1; n >= 0; n--) {
    const at = cmap + view.getUint32(cmap + 8 + n * 8);
    const format = view.getUint16(at);
    if (format === 12) ranges.push(...groups(view, at));
    else if (format === 4) ranges.push(...segments(view, at));
  }
  return (codePoint) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

/** Offset of a table of the font, or of a collection's first font. */
function findTable(view: DataView, tag: number): number {
  const font = view.getUint32(0) === 0x74746366 ? view.getUint32(12) : 0;
  for (let n = 0; n < view.getUint16(font + 4); n++) {
    const entry = font + 12 + n * 16;
    if (view.getUint32(entry) === tag) return view.getUint32(entry + 8);
  }
  throw new TypeError("Cannot read font: no cmap table");
}

function groups(view: DataView, at: number): [number, number][] {
  return Array.from({ length: view.getUint32(at + 12) }, (_, n) => {
    const group = at + 16 + n * 12;
    return [view.getUint32(group), view.getUint32(group + 4)];
  });
}

function segments(view: DataView, at: number): [number, number][] {
  const size = view.getUint16(at + 6);
  const all = Array.from({ length: size / 2 }, (_, n): [number, number] => {
    const segment = at + 14 + n * 2;
    return [view.getUint16(segment + size + 2), view.getUint16(segment)];
  });
  return all.filter(([first]) => first !== 0xffff);
}
