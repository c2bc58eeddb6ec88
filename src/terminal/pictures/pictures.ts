// Pictures of captured panes. Drawing code is loaded with the first picture.
import { AppError } from "../../errors.ts";
import type { Picture, PngRenderer } from "./png.ts";
import type { CapturedPane, Screen } from "../screen.ts";
import type { ThemeName } from "./theme.ts";

/** A pane to be drawn. */
export interface PictureRequest {
  capture: CapturedPane;
  theme: ThemeName;
}

/** Maximum pixels of a PNG, which takes four bytes of memory per pixel while it is drawn. */
const MAX_PIXELS = 40_000_000;

export class Pictures {
  readonly #masked: ((text: string) => string) | undefined;
  #renderer: Promise<PngRenderer> | undefined;

  /**
   * @param masked Replaces secrets in text before it is drawn
   */
  constructor(masked?: (text: string) => string) {
    this.#masked = masked;
  }

  /** @throws {AppError} `unsupported` for a pane that is too large for a picture */
  async png({ capture, theme }: PictureRequest): Promise<Picture> {
    const [{ pictureSize }, { THEMES }] = await Promise.all([import("./svg.ts"), import("./theme.ts")]);
    const screen = await this.#read(capture);
    const { width, height } = pictureSize(screen);
    if (width * height > MAX_PIXELS) throw tooLarge(screen);
    const renderer = await (this.#renderer ??= loadRenderer());
    return await renderer.draw(screen, THEMES[theme]);
  }

  async svg({ capture, theme }: PictureRequest): Promise<string> {
    const [{ drawSvg }, { THEMES }] = await Promise.all([import("./svg.ts"), import("./theme.ts")]);
    return drawSvg(await this.#read(capture), THEMES[theme]);
  }

  /** A self-contained HTML page. */
  async html({ capture, theme }: PictureRequest, title: string): Promise<string> {
    const [{ writeHtml }, { THEMES }] = await Promise.all([import("./html.ts"), import("./theme.ts")]);
    return writeHtml(await this.#read(capture), THEMES[theme], title);
  }

  #read(capture: CapturedPane): Promise<Screen> {
    return readCapture(this.#masked ? { ...capture, text: this.#masked(capture.text) } : capture);
  }
}

async function loadRenderer(): Promise<PngRenderer> {
  const { PngRenderer } = await import("./png.ts");
  return new PngRenderer();
}

async function readCapture(capture: CapturedPane): Promise<Screen> {
  const { parseScreen } = await import("../screen.ts");
  return await parseScreen(capture);
}

function tooLarge({ columns, rows }: Screen): AppError {
  return new AppError("unsupported", `Cannot draw a pane of ${columns}x${rows.length} cells as an image`, {
    hint: "Ask for html or svg, or make the pane smaller with resize-window",
  });
}
