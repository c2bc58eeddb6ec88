// Watches of dead processes that tmux has not answered about: they are continued later, and run until then.
import { bestEffort } from "../../promises.ts";
import { delay } from "../../timer.ts";
import type { ActiveWatch, Watches } from "../watches.ts";
import { activeOf } from "./others_watches.ts";
import type { StoredWatch } from "./watch_records.ts";

/**
 * Time (ms) after which tmux is asked again. It doubles up to a minute: on a host that refuses the login, each attempt
 * is another failed one.
 */
const AGAIN_MS = 1000;
const MAX_AGAIN_MS = 60_000;

export class UnreachedWatches {
  readonly #watches: Watches;
  /** Watches, and the pause (ms) before the next attempt. */
  readonly #unreached: Map<StoredWatch, number> = new Map();
  readonly #closed: AbortController = new AbortController();

  constructor(watches: Watches) {
    this.#watches = watches;
  }

  active(): ActiveWatch[] {
    return [...this.#unreached.keys()].filter(({ id }) => !this.#watches.runs(id)).map(activeOf);
  }

  /** Notes an attempt to continue watches; calls `again` for those that tmux did not answer about. */
  attempted(
    all: readonly StoredWatch[],
    unreached: readonly StoredWatch[],
    again: () => Promise<void>,
  ): void {
    const last = Math.max(0, ...unreached.map((watch) => this.#unreached.get(watch) ?? 0));
    const pauseMs = Math.min(Math.max(2 * last, AGAIN_MS), MAX_AGAIN_MS);
    for (const watch of all) this.#unreached.delete(watch);
    for (const watch of unreached) this.#unreached.set(watch, pauseMs);
    if (unreached.length > 0) bestEffort(this.#later(pauseMs, again));
  }

  close(): void {
    this.#closed.abort();
  }

  async #later(pauseMs: number, again: () => Promise<void>): Promise<void> {
    await delay(pauseMs, this.#closed.signal);
    if (!this.#closed.signal.aborted) await again();
  }
}
