// Unpacks WOFF fonts, in which packages ship them, to TrueType.

const HEADER = 12;
const ENTRY = 16;

/** Unpacks a WOFF 1 file (w3.org/TR/WOFF), which has the same tables, each deflated. */
export async function unpackWoff(woff: Uint8Array): Promise<Uint8Array> {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength);
  const count = view.getUint16(12);
  const tables = await Promise.all(
    Array.from({ length: count }, (_, n) => unpackTable(woff, view, 44 + n * 20)),
  );
  const size = tables.reduce((sum, { data }) => sum + padded(data.length), HEADER + count * ENTRY);
  const font = new Uint8Array(size);
  const out = new DataView(font.buffer);
  out.setUint32(0, view.getUint32(4));
  out.setUint16(4, count);
  let at = HEADER + count * ENTRY;
  tables.forEach(({ tag, checksum, data }, n) => {
    [tag, checksum, at, data.length].forEach((field, k) => out.setUint32(HEADER + n * ENTRY + k * 4, field));
    font.set(data, at);
    at += padded(data.length);
  });
  return font;
}

async function unpackTable(woff: Uint8Array, view: DataView, entry: number) {
  const [tag, offset, packed, length, checksum] = [0, 4, 8, 12, 16].map((at) => view.getUint32(entry + at));
  const stored = woff.slice(offset!, offset! + packed!);
  return { tag: tag!, checksum: checksum!, data: packed! < length! ? await inflate(stored) : stored };
}

async function inflate(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function padded(length: number): number {
  return (length + 3) & ~3;
}
