// Final output of a program whose pane is held for a watch, read from the screen of the dead pane.
import {
  type CursorPosition,
  missingOutput,
  readShown,
  type ReceivedOutput,
} from "../src/terminal/final_output.ts";
import type { PaneStream } from "./sources/pane_stream.ts";

export class FinalOutput {
  readonly #paneId: string;
  readonly #stream: PaneStream;
  readonly #received: () => ReceivedOutput;
  #from: CursorPosition | undefined;

  constructor(paneId: string, stream: PaneStream, received: () => ReceivedOutput) {
    this.#paneId = paneId;
    this.#stream = stream;
    this.#received = received;
  }

  /** Notes the cursor's place before the program ends. */
  async begin(): Promise<void> {
    await this.#stream.send([this.#query("#{history_size} #{cursor_y} #{cursor_x}")], ({ failed, text }) => {
      if (failed) return;
      const [history = 0, row = 0, column = 0] = text.split(" ").map(Number);
      const { lines, pending } = this.#received();
      this.#from = { row: history + row, column, lines, pending };
    });
  }

  /** Returns the missing output as bytes of the pane, none if all of it came; undefined if that is unknown. */
  async read(): Promise<Uint8Array | undefined> {
    if (!this.#from) return undefined;
    const { row } = this.#from;
    const { text: history } = await this.#stream.send([this.#query("#{history_size}")]);
    const start = `${row - Number(history)}`;
    const shown = await this.#stream.send([["capture-pane", "-p", "-J", "-t", this.#paneId, "-S", start]]);
    if (shown.failed) return undefined;
    return missingOutput(readShown(shown.text), this.#from, this.#received());
  }

  #query(format: string): string[] {
    return ["display-message", "-p", "-t", this.#paneId, format];
  }
}
