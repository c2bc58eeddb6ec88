// The last output of a program whose pane is held for a watch, read off the screen of the dead pane.
import { type Came, type CursorPosition, missingOutput, readShown } from "../src/terminal/final_output.ts";
import type { PaneStream } from "./pane_stream.ts";

export class FinalOutput {
  readonly #paneId: string;
  readonly #stream: PaneStream;
  readonly #came: () => Came;
  #from: CursorPosition | undefined;

  constructor(paneId: string, stream: PaneStream, came: () => Came) {
    this.#paneId = paneId;
    this.#stream = stream;
    this.#came = came;
  }

  /** Notes where the cursor is now. */
  async begin(): Promise<void> {
    await this.#stream.send([this.#ask("#{history_size} #{cursor_y} #{cursor_x}")], ({ failed, text }) => {
      if (failed) return;
      const [history = 0, row = 0, column = 0] = text.split(" ").map(Number);
      const { lines, pending } = this.#came();
      this.#from = { row: history + row, column, lines, pending };
    });
  }

  /** Returns it as bytes of the pane; undefined where nothing is missing, or that is unknown. */
  async read(): Promise<Uint8Array | undefined> {
    if (!this.#from) return undefined;
    const { row } = this.#from;
    const { text: history } = await this.#stream.send([this.#ask("#{history_size}")]);
    const start = `${row - Number(history)}`;
    const shown = await this.#stream.send([["capture-pane", "-p", "-J", "-t", this.#paneId, "-S", start]]);
    if (shown.failed) return undefined;
    return missingOutput(readShown(shown.text), this.#from, this.#came());
  }

  #ask(format: string): string[] {
    return ["display-message", "-p", "-t", this.#paneId, format];
  }
}
