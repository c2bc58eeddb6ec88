// The batches of tmux commands that an engine runs, and their end with it.
import { ShuttingDown } from "../errors.ts";
import { settled } from "../promises.ts";
import type { Exec } from "../tmux_exec/exec.ts";

export class RunningBatches {
  readonly #running: Set<Promise<void>> = new Set();
  readonly #ended: AbortController = new AbortController();

  /** Aborted when the engine closes. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Returns an exec whose batches end here, and whose later ones fail. */
  ending(exec: Exec): Exec {
    const { ended } = this;
    return (commands, options) => {
      const signal = options?.signal ? AbortSignal.any([ended, options.signal]) : ended;
      const reply = exec(commands, { ...options, signal });
      const over = settled(reply).then(() => void this.#running.delete(over));
      this.#running.add(over);
      return reply;
    };
  }

  /** Ends every batch; settles when none of them uses the C library any more. */
  async end(): Promise<void> {
    this.#ended.abort(new ShuttingDown());
    await Promise.all(this.#running);
  }
}
