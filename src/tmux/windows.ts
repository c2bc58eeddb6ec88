// Windows: listing, making, renaming, arranging, ending.
import type { Tmux } from "./tmux.ts";

export class Windows {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  async kill(windowId: string): Promise<void> {
    await this.#tmux.run([["has-session", "-t", windowId], ["kill-window", "-t", windowId]]);
  }
}
