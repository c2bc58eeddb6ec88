// A screen as a PNG picture.
import { findShape } from "./box_drawing.ts";
import { Fonts, readPackaged } from "./fonts.ts";
import type { Screen } from "../screen.ts";
import { drawSvg, pictureSize } from "./svg.ts";
import type { Theme } from "./theme.ts";

type RenderEngine = typeof import("@resvg/resvg-wasm").Resvg;

export interface Picture {
  png: Uint8Array;
  width: number;
  height: number;
}

/** Draws pictures; loads the engine and the fonts with the first one and keeps them. */
export class PngRenderer {
  readonly #fonts = new Fonts();
  #engine: Promise<RenderEngine> | undefined;

  async draw(screen: Screen, theme: Theme): Promise<Picture> {
    const Resvg = await (this.#engine ??= loadEngine());
    const fontBuffers = await this.#fonts.covering(glyphsOf(screen));
    const font = { fontBuffers, defaultFontFamily: "DejaVu Sans Mono", monospaceFamily: "DejaVu Sans Mono" };
    const drawing = new Resvg(drawSvg(screen, theme), { font });
    const image = drawing.render();
    const png = image.asPng();
    image.free();
    drawing.free();
    return { png, ...pictureSize(screen.columns, screen.rows.length) };
  }
}

async function loadEngine(): Promise<RenderEngine> {
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  const wasm = await readPackaged(() => import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm"));
  try {
    await initWasm(wasm);
  } catch (error) {
    // The package has one engine per process, and another renderer has already initialized it.
    if (!String(error).includes("Already initialized")) throw error;
  }
  return Resvg;
}

function glyphsOf({ rows }: Screen): Set<number> {
  const texts = new Set(rows.flatMap((cells) => cells.map((cell) => cell.text)));
  const drawn = [...texts].filter((text) => findShape(text, NOWHERE) === undefined);
  return new Set(drawn.flatMap((text) => [...text].map((character) => character.codePointAt(0) as number)));
}

const NOWHERE = { x: 0, y: 0, width: 1, height: 1 };
