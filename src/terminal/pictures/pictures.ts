// Pictures of captured panes. Drawing code is loaded with the first picture.
import { AppError } from "../../errors.ts";
import type { Picture, PngRenderer } from "./png.ts";
import type { CapturedPane, Screen } from "../screen.ts";
import type { ThemeName } from "./theme.ts";

export interface PictureRequest {
  capture: CapturedPane;
  theme: ThemeName;
}

/** Maximum pixels of a PNG, which takes four bytes of memory per pixel while it is drawn. */
const MAX_PIXELS = 40_000_000;
/** Maximum cells of any picture: a screen of a million takes 0.7 s to read, and 80 MB. */
const MAX_CELLS = 1_000_000;

export class Pictures {
  readonly #masked: ((text: string) => string) | undefined;
  #renderer: Promise<PngRenderer> | undefined;

  /** @param masked Replaces secrets in text before it is drawn */
  constructor(masked?: (text: string) => string) {
    this.#masked = masked;
  }

  /** @throws {AppError} `unsupported` for a pane that is too large for a picture */
  async png({ capture, theme }: PictureRequest): Promise<Picture> {
    const [{ pictureSize }, { THEMES }] = await Promise.all([import("./svg.ts"), import("./theme.ts")]);
    const { width, height } = pictureSize(capture.columns, capture.rows);
    if (width * height > MAX_PIXELS) throw tooLarge(capture);
    const screen = await this.#read(capture);
    const renderer = await (this.#renderer ??= loadRenderer());
    return await renderer.draw(screen, THEMES[theme]);
  }

  /** @throws {AppError} `unsupported` for a pane that is too large for a picture */
  async svg({ capture, theme }: PictureRequest): Promise<string> {
    const [{ drawSvg }, { THEMES }] = await Promise.all([import("./svg.ts"), import("./theme.ts")]);
    return drawSvg(await this.#read(capture), THEMES[theme]);
  }

  /**
   * A self-contained HTML page.
   * @throws {AppError} `unsupported` for a pane that is too large for a picture
   */
  async html({ capture, theme }: PictureRequest, title: string): Promise<string> {
    const [{ writeHtml }, { THEMES }] = await Promise.all([import("./html.ts"), import("./theme.ts")]);
    return writeHtml(await this.#read(capture), THEMES[theme], title);
  }

  async #read(capture: CapturedPane): Promise<Screen> {
    if (capture.columns * capture.rows > MAX_CELLS) throw tooLarge(capture);
    return await readCapture(this.#masked ? { ...capture, text: this.#masked(capture.text) } : capture);
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

function tooLarge({ columns, rows }: CapturedPane): AppError {
  const isDrawable = columns * rows <= MAX_CELLS;
  return new AppError("unsupported", `Cannot draw a pane of ${columns}x${rows} cells as an image`, {
    hint: `${isDrawable ? "Ask for html or svg, or make" : "Make"} the pane smaller with resize-window`,
  });
}
