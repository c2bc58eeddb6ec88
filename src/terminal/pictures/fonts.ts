// The fonts for pictures, loaded when a picture needs them.
import { AppError, lacksDescriptor, noDescriptor } from "../../errors.ts";
import { unpackWoff } from "./woff.ts";

type Load = () => Promise<Uint8Array | undefined>;

interface Font {
  data: Uint8Array;
  covers: (codePoint: number) => boolean;
}

/** Fonts for regular, bold, oblique and bold oblique text. */
const MONO: readonly Load[] = [
  () => readPackaged(() => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf")),
  () => readPackaged(() => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono-Bold.ttf")),
  () => readPackaged(() => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono-Oblique.ttf")),
  () => readPackaged(() => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono-BoldOblique.ttf")),
];
/**
 * Fallback fonts; each has characters that the previous ones lack: symbols and other alphabets, emoji,
 * Chinese, Japanese and Korean.
 */
const FALLBACKS: readonly Load[] = [
  () => readPackaged(() => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf")),
  () =>
    readPackaged(() =>
      import.meta.resolve("@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf")
    ),
  loadSystemFont,
  () =>
    readPackaged(() => import.meta.resolve("@fontsource/unifontex/files/unifontex-latin-400-normal.woff")),
];
/** Paths of system fonts for Chinese, Japanese and Korean, which look better than the pixels of Unifont. */
const SYSTEM_FONTS = [
  "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
  "/usr/share/fonts/wenquanyi/wqy-microhei/wqy-microhei.ttc",
  "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
  "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
  "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
  "/System/Library/Fonts/Hiragino Sans GB.ttc",
];

/** Loads fonts once and keeps them. */
export class Fonts {
  #mono: Promise<(Font | undefined)[]> | undefined;
  readonly #fallbacks: Promise<Font | undefined>[] = [];

  /** The font files needed to draw these characters, as far as any font has them. */
  async covering(codePoints: ReadonlySet<number>): Promise<Uint8Array[]> {
    const fonts = (await (this.#mono ??= Promise.all(MONO.map(loadFont)))).filter((font) =>
      font !== undefined
    );
    let missing = [...codePoints].filter((codePoint) => !fonts[0]?.covers(codePoint));
    for (let n = 0; n < FALLBACKS.length && missing.length > 0; n++) {
      const font = await (this.#fallbacks[n] ??= loadFont(FALLBACKS[n] as Load));
      const stillMissing = missing.filter((codePoint) => !font?.covers(codePoint));
      if (font !== undefined && stillMissing.length < missing.length) fonts.push(font);
      missing = stillMissing;
    }
    return fonts.map(({ data }) => data);
  }
}

/** Names the packages, so that Deno installs them for programs that import this one from a registry; never called. */
const _packages = (): Promise<unknown>[] => [
  import("dejavu-fonts-ttf/package.json", { with: { type: "json" } }),
  import("@expo-google-fonts/noto-emoji/package.json", { with: { type: "json" } }),
  import("@fontsource/unifontex"),
];

/** Reads a file of a package from Deno's cache. */
export async function readPackaged(locate: () => string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(new URL(locate()));
  } catch (cause) {
    if (lacksDescriptor(cause)) throw noDescriptor("Cannot draw a PNG", cause);
    throw new AppError("unsupported", "Cannot draw a PNG: its fonts and engine cannot be read", {
      hint: "Start the server with --allow-read, or ask for svg or html",
      cause,
    });
  }
}

async function loadFont(load: Load): Promise<Font | undefined> {
  const bytes = await load();
  if (bytes === undefined) return undefined;
  const data = new TextDecoder().decode(bytes.subarray(0, 4)) === "wOFF" ? await unpackWoff(bytes) : bytes;
  return { data, covers: readCoverage(data) };
}

/** The first system font that exists and can be read. */
async function loadSystemFont(): Promise<Uint8Array | undefined> {
  for (const path of SYSTEM_FONTS) {
    const data = await Deno.readFile(path).catch(() => undefined);
    if (data !== undefined) return data;
  }
  return undefined;
}

/** Reads a font's `cmap` table (formats 4 and 12) into a test for code points. */
function readCoverage(font: Uint8Array): (codePoint: number) => boolean {
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
