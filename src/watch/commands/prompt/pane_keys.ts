// Presses keys in one pane through a control client, and reads its cursor and rows.
import type { Command } from "../../../tmux_exec/exec.ts";
import { findModeFailure, typeInNoMode } from "../../../tmux/pane_mode.ts";

/** Runs tmux commands in order; returns the output of the last one. */
export type Send = (...commands: Command[]) => Promise<string>;

/** Place of a pane's cursor: column and row from 0, and the number of rows in the history above the screen. */
export interface CursorPlace {
  readonly column: number;
  readonly row: number;
  readonly history: number;
  readonly width: number;
  readonly height: number;
  /** The character that the cursor is on; empty or a blank behind the text of a row. */
  readonly character: string;
}

export class PaneKeys {
  readonly paneId: string;
  readonly #send: Send;

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

  async cursor(): Promise<CursorPlace> {
    const format = "#{cursor_x} #{cursor_y} #{history_size} #{pane_width} #{pane_height} #{cursor_character}";
    const text = await this.#send(["display-message", "-p", "-t", this.paneId, format]);
    const [, column, row, history, width, height, character] =
      /^(\d+) (\d+) (\d+) (\d+) (\d+) (.*)/.exec(text) ?? [];
    return {
      column: Number(column),
      row: Number(row),
      history: Number(history),
      width: Number(width),
      height: Number(height),
      character: character ?? "",
    };
  }

  /** Returns rows with their colours; rows above the screen have negative numbers. */
  async capture(first: number, last = first): Promise<string> {
    return await this.#send([
      "capture-pane",
      "-p",
      "-e",
      "-S",
      `${first}`,
      "-E",
      `${last}`,
      "-t",
      this.paneId,
    ]);
  }
}
