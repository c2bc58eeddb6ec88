// Presses keys in one pane through a control client, and reads its cursor and rows.
import type { Command, Send } from "../../tmux_exec/exec.ts";
import { findModeFailure, typeInNoMode } from "../../tmux/typing/pane_mode.ts";
import { dropStep } from "../../tmux/capture/grid.ts";

/** Place of a pane's cursor: column and row from 0, and the number of rows that have scrolled off the screen. */
export interface CursorPlace {
  readonly column: number;
  readonly row: number;
  readonly history: number;
  readonly width: number;
  readonly height: number;
  /** The character that the cursor is on; empty or a blank after the text of a row. */
  readonly character: string;
}

export class PaneKeys {
  readonly paneId: string;
  readonly #send: Send;
  readonly #scrolled: ScrolledRows = new ScrolledRows();

  constructor(paneId: string, send: Send) {
    this.paneId = paneId;
    this.#send = send;
  }

  /** @throws {AppError} `busy` if a person has begun to scroll in the pane */
  async press(...keys: Command[]): Promise<void> {
    const typing = typeInNoMode(this.paneId, (...before) => this.#send(...before, ...keys));
    await typing.catch((error: Error) => {
      throw findModeFailure(error.message) ?? error;
    });
  }

  keys(...names: string[]): Command {
    return ["send-keys", "-t", this.paneId, ...names];
  }

  literal(text: string): Command {
    return ["send-keys", "-l", "-t", this.paneId, "--", text];
  }

  /** True while a full-screen program draws. */
  async onAlternateScreen(): Promise<boolean> {
    const text = await this.#send(["display-message", "-p", "-t", this.paneId, "#{alternate_on}"]);
    return text.trim() === "1";
  }

  async title(): Promise<string> {
    return await this.#send(["display-message", "-p", "-t", this.paneId, "#{pane_title}"]);
  }

  async cursor(): Promise<CursorPlace> {
    const sizes = "#{history_size} #{pane_width} #{pane_height} #{history_limit}";
    const format = `#{cursor_x} #{cursor_y} ${sizes} #{cursor_character}`;
    const text = await this.#send(["display-message", "-p", "-t", this.paneId, format]);
    const [, ...fields] = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (.*)/.exec(text) ?? [];
    const [column = 0, row = 0, size = 0, width = 0, height = 0, limit = 0] = fields.slice(0, -1).map(Number);
    const history = this.#scrolled.count({ size, limit, screen: `${width} ${height}` });
    return { column, row, history, width, height, character: fields.at(-1) ?? "" };
  }

  /** Returns rows with their colours; rows above the screen have negative numbers. */
  async capture(first: number, last = first): Promise<string> {
    const rows = ["-S", `${first}`, "-E", `${last}`];
    return await this.#send(["capture-pane", "-p", "-e", ...rows, "-t", this.paneId]);
  }
}

/** Counts the rows that have scrolled off a screen, although tmux drops the oldest ones of a full history. */
class ScrolledRows {
  #dropped = 0;
  #last = { size: 0, screen: "" };

  count({ size, limit, screen }: { size: number; limit: number; screen: string }): number {
    const step = dropStep(limit);
    // A screen of another size takes rows from the history, and clear-history leaves none.
    const isFull = size > limit - step && screen === this.#last.screen;
    if (isFull && size < this.#last.size) this.#dropped += step;
    this.#last = { size, screen };
    return size + this.#dropped;
  }
}
