// Watches of dead processes that tmux has not answered about: they are continued later, and run until then.
import { bestEffort } from "../../promises.ts";
import { delay } from "../../timer.ts";
import type { ActiveWatch, Watches } from "../watches.ts";
import { activeOf } from "./others_watches.ts";
import type { StoredWatch } from "./watch_records.ts";

/** Time (ms) after which tmux is asked again. */
const AGAIN_MS = 1000;

export class UnreachedWatches {
  readonly #watches: Watches;
  readonly #unreached: Set<StoredWatch> = new Set();
  readonly #closed: AbortController = new AbortController();

  constructor(watches: Watches) {
    this.#watches = watches;
  }

  active(): ActiveWatch[] {
    return [...this.#unreached].filter(({ id }) => !this.#watches.runs(id)).map(activeOf);
  }

  /** Notes an attempt to continue watches; calls `again` for those that tmux did not answer about. */
  attempted(
    all: readonly StoredWatch[],
    unreached: readonly StoredWatch[],
    again: () => Promise<void>,
  ): void {
    for (const watch of all) this.#unreached.delete(watch);
    for (const watch of unreached) this.#unreached.add(watch);
    if (unreached.length > 0) bestEffort(this.#later(again));
  }

  close(): void {
    this.#closed.abort();
  }

  async #later(again: () => Promise<void>): Promise<void> {
    await delay(AGAIN_MS, this.#closed.signal);
    if (!this.#closed.signal.aborted) await again();
  }
}
