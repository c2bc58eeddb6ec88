// Watches of dead processes that tmux has not answered about: they are continued later, and run until then.
import { bestEffort } from "../promises.ts";
import { delay } from "../timer.ts";
import type { ActiveWatch, Watches } from "../watch/watches.ts";
import { activeOf } from "./others_watches.ts";
import { serverKeyOf } from "../commands/durable/stored_command.ts";
import { cancelledResult } from "../watch/inbox.ts";
import { ageOf, idsOf, type StoredWatch } from "../watch/watch_records.ts";

/**
 * Time (ms) after which tmux is asked again. It doubles up to a minute, and ends at the watch's deadline: on a host
 * that refuses the login, each attempt is another failed one.
 */
const AGAIN_MS = 1000;
const MAX_AGAIN_MS = 60_000;

export class UnreachedWatches {
  readonly #watches: Watches;
  /** Watches that no attempt has continued, and the pause (ms) before the next one. */
  readonly #unreached: Map<StoredWatch, number> = new Map();
  /** Pauses before attempts. */
  readonly #pauses: Set<{ watches: readonly StoredWatch[]; end(): void }> = new Set();
  readonly #closed: AbortController = new AbortController();

  constructor(watches: Watches) {
    this.#watches = watches;
  }

  active(): ActiveWatch[] {
    return this.#waiting().map(activeOf);
  }

  /** Stops one of these watches; returns false for any other. */
  stop(watchId: string): boolean {
    const stored = this.#waiting().find(({ id }) => id === watchId);
    if (!stored) return false;
    this.#unreached.delete(stored);
    const { paneIds } = stored;
    const cancelled = cancelledResult({ paneIds, elapsed: ageOf(stored), ids: idsOf(stored) });
    this.#watches.file(watchId, cancelled, stored);
    return true;
  }

  /** False for a watch that was stopped during an attempt. */
  has(watch: StoredWatch): boolean {
    return this.#unreached.has(watch);
  }

  /** Notes that an attempt to continue watches begins. */
  attempting(all: readonly StoredWatch[]): void {
    for (const watch of all) if (!this.has(watch)) this.#unreached.set(watch, 0);
  }

  /** Notes the end of an attempt; calls `again` for the watches that tmux did not answer about. */
  attempted(
    all: readonly StoredWatch[],
    unanswered: readonly StoredWatch[],
    again: (left: readonly StoredWatch[]) => Promise<void>,
  ): void {
    const unreached = unanswered.filter((watch) => this.has(watch));
    const last = Math.max(0, ...unreached.map((watch) => this.#unreached.get(watch) ?? 0));
    const leftMs = unreached.map((watch) => (watch.timeout - ageOf(watch)) * 1000);
    const pauseMs = Math.max(Math.min(2 * last, MAX_AGAIN_MS, ...leftMs), AGAIN_MS);
    for (const watch of all) this.#unreached.delete(watch);
    for (const watch of unreached) this.#unreached.set(watch, pauseMs);
    if (unreached.length > 0) bestEffort(this.#later(pauseMs, unreached, again));
  }

  /** Ends the pause before the next attempt: this tmux server has just answered. */
  askNow(serverKey: string): void {
    for (const { watches, end } of this.#pauses) {
      if (watches.some(({ id }) => serverKeyOf(id) === serverKey)) end();
    }
  }

  close(): void {
    this.#closed.abort();
  }

  #waiting(): StoredWatch[] {
    const { inbox } = this.#watches;
    return [...this.#unreached.keys()].filter(({ id }) => !this.#watches.runs(id) && !inbox.holds(id));
  }

  async #later(
    pauseMs: number,
    watches: readonly StoredWatch[],
    again: (left: readonly StoredWatch[]) => Promise<void>,
  ): Promise<void> {
    const asked = new AbortController();
    const pause = { watches, end: () => asked.abort() };
    this.#pauses.add(pause);
    await delay(pauseMs, AbortSignal.any([asked.signal, this.#closed.signal]));
    this.#pauses.delete(pause);
    if (!this.#closed.signal.aborted) await again(watches.filter((watch) => this.has(watch)));
  }
}
