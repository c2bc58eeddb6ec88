// Sources of the panes of a tmux server whose clients may not attach, and a poll of these panes.
import {
  PANE_STATE,
  UnattachedPaneSource,
  type UnattachedPaneSourceOptions,
} from "./unattached_pane_source.ts";
import type { SpoolRef } from "../../src/watch/protocol.ts";
import { bestEffort, settled } from "../../src/promises.ts";

export type UnattachedPaneSourcesOptions = Pick<
  UnattachedPaneSourceOptions,
  "exec" | "pipeContext" | "files"
>;

/** Polling interval (ms): without a client, tmux does not report that a pane was resized or has died. */
const POLL_MS = 250;
const FORMAT = `#{pane_id} ${PANE_STATE}`;

export class UnattachedPaneSources {
  readonly #options: UnattachedPaneSourcesOptions;
  readonly #sources: Map<string, UnattachedPaneSource> = new Map();
  #clock: ReturnType<typeof setInterval> | undefined;
  #polling = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: UnattachedPaneSourcesOptions) {
    this.#options = options;
  }

  /** Returns the source of a pane: a pipe of its own, or the spool of the command that has its pipe. */
  of(paneId: string, commandSpool?: SpoolRef): UnattachedPaneSource {
    const open = this.#sources.get(paneId);
    if (open && !open.closed) return open;
    const source = new UnattachedPaneSource({
      ...this.#options,
      paneId,
      ...(commandSpool && { commandSpool }),
      inTurn: (act) => this.#inTurn(act),
    });
    this.#sources.set(paneId, source);
    this.#clock ??= setInterval(() => void bestEffort(this.#poll()), POLL_MS);
    return source;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = settled(done);
    return done;
  }

  async #poll(): Promise<void> {
    for (const [paneId, source] of this.#sources) if (source.closed) this.#sources.delete(paneId);
    if (this.#sources.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      return;
    }
    if (this.#polling) return;
    this.#polling = true;
    try {
      const { stdout } = await this.#options.exec([["list-panes", "-a", "-F", FORMAT]]);
      this.#notify(new TextDecoder().decode(stdout));
    } finally {
      this.#polling = false;
    }
  }

  #notify(text: string): void {
    const states = new Map(
      text.split("\n").map((row) => {
        const space = row.indexOf(" ");
        return [row.slice(0, space), row.slice(space + 1)];
      }),
    );
    for (const [paneId, source] of this.#sources) source.noteState(states.get(paneId) ?? "");
  }
}
