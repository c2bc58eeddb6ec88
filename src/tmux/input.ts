// Typing into panes: keys, bytes and pastes, none of which tmux may read as its own syntax.
import type { Tmux } from "./tmux.ts";

export class Input {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** Presses named keys (`Enter`, `C-c`); the names must be tmux's. */
  async keys(paneId: string, names: readonly string[]): Promise<void> {
    await this.#tmux.run([["has-session", "-t", paneId], ["send-keys", "-t", paneId, "--", ...names]]);
  }
}
