// Pipes of one tmux server's panes, and a poll of these panes.
import { PANE_STATE, PanePipe, type PanePipeOptions } from "./pane_pipe.ts";
import type { PaneCopy } from "../src/watch/protocol.ts";
import { bestEffort, settled } from "../src/promises.ts";

export type PanePipesOptions = Pick<PanePipeOptions, "exec" | "pipeContext" | "files">;

/** Polling interval (ms): without a client, tmux does not report that a pane was resized or has died. */
const POLL_MS = 250;
const FORMAT = `#{pane_id} ${PANE_STATE}`;

export class PanePipes {
  readonly #options: PanePipesOptions;
  readonly #pipes: Map<string, PanePipe> = new Map();
  #clock: ReturnType<typeof setInterval> | undefined;
  #polling = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PanePipesOptions) {
    this.#options = options;
  }

  /** Returns the pipe of a pane, which is opened at the first request, or its copy where that is what can be read. */
  of(paneId: string, copy?: PaneCopy): PanePipe {
    const open = this.#pipes.get(paneId);
    if (open && !open.closed) return open;
    const pipe = new PanePipe({
      ...this.#options,
      paneId,
      ...(copy && { copy }),
      inTurn: (act) => this.#inTurn(act),
    });
    this.#pipes.set(paneId, pipe);
    this.#clock ??= setInterval(() => void bestEffort(this.#poll()), POLL_MS);
    return pipe;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = settled(done);
    return done;
  }

  async #poll(): Promise<void> {
    for (const [paneId, pipe] of this.#pipes) if (pipe.closed) this.#pipes.delete(paneId);
    if (this.#pipes.size === 0) {
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
    for (const [paneId, pipe] of this.#pipes) pipe.noteState(states.get(paneId) ?? "");
  }
}
