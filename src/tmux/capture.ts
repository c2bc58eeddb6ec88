// Reading what a pane shows and has shown.
import type { Tmux } from "./tmux.ts";

export interface CaptureOptions {
  /** First and last row as `capture-pane -S/-E` takes them: 0 is the top of the screen, negative is scrollback. */
  start?: number | "-";
  end?: number | "-";
  /** Keep SGR escape sequences. */
  colors?: boolean;
  /** Join wrapped rows. */
  join?: boolean;
}

export class Capture {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** The rows asked for (default: the visible screen), each ended by a newline, as tmux prints them. */
  async text(paneId: string, options: CaptureOptions = {}): Promise<string> {
    return await this.#tmux.run([
      ["has-session", "-t", paneId],
      [
        "capture-pane",
        "-p",
        "-t",
        paneId,
        ...(options.colors ? ["-e"] : []),
        ...(options.join === false ? [] : ["-J"]),
        ...(options.start === undefined ? [] : ["-S", String(options.start)]),
        ...(options.end === undefined ? [] : ["-E", String(options.end)]),
      ],
    ]);
  }
}
