// Watches of dead processes that tmux has not answered about: they are continued later, and run until then.
import { bestEffort } from "../promises.ts";
import { delay } from "../timer.ts";
import type { ActiveWatch, Watches } from "../watch/watches.ts";
import { activeOf } from "./others_watches.ts";
import { ageOf, type StoredWatch } from "../watch/watch_records.ts";

/**
 * Time (ms) after which tmux is asked again. It doubles up to a minute, and ends at the watch's deadline: on a host
 * that refuses the login, each attempt is another failed one.
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
    const leftMs = unreached.map((watch) => (watch.timeout - ageOf(watch)) * 1000);
    const pauseMs = Math.max(Math.min(2 * last, MAX_AGAIN_MS, ...leftMs), AGAIN_MS);
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
