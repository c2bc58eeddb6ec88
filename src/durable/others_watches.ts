// Watches that other processes follow: those of dead ones for a client that still has a cursor of theirs, and all that
// run.
import type { RecordStore } from "../records/record_store.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { ActiveWatch, Watches } from "../watch/watches.ts";
import { ageOf, isOverdue, readWatch, type StoredWatch, WATCH_LETTER } from "../watch/watch_records.ts";

export interface OthersWatchesOptions {
  store: RecordStore;
  watches: Watches;
  /** Ids of the panes in scope; undefined if all are. */
  visiblePanes(tmux: Tmux): Promise<ReadonlySet<string> | undefined>;
}

export class OthersWatches {
  readonly #options: OthersWatchesOptions;
  /** Tokens of the dead processes whose cursors the client has. */
  readonly #tokens: Set<string> = new Set();
  /** Watches whose results are, or have been, in the inbox. */
  readonly #filed: Set<string> = new Set();
  /** Those that still run, by socket. */
  readonly #active: Map<string, readonly StoredWatch[]> = new Map();

  constructor(options: OthersWatchesOptions) {
    this.#options = options;
  }

  /** Reads the watches of a cursor's process from now on, if that is dead. */
  follow(cursor: string, serverKey: string): void {
    const { store, watches: { inbox } } = this.#options;
    const [token] = cursor.split("-");
    if (!token || !store.hasDied(token, serverKey)) return;
    inbox.inherit([token]);
    this.#tokens.add(token);
  }

  /** Files the results of all processes that the inbox has not had, and notes which watches still run. */
  async read(tmux: Tmux, serverKey: string): Promise<void> {
    if (this.#tokens.size === 0) return;
    const { store, visiblePanes } = this.#options;
    const stored = store.list<StoredWatch>(serverKey, WATCH_LETTER)
      .filter(({ id, isTask }) => this.#tokens.has(id.split("-")[1]!) && !isTask)
      .flatMap((watch) => readWatch(watch) ?? []);
    const visible = stored.length === 0 ? undefined : await visiblePanes(tmux);
    const inScope = stored.filter(({ paneIds }) => paneIds.every((id) => visible?.has(id) ?? true));
    inScope.sort((one, other) => (one.ended ?? Infinity) - (other.ended ?? Infinity));
    for (const watch of inScope) this.#file(watch);
    this.#active.set(tmux.socketPath, inScope.filter(({ id, result }) => !result && !store.owns(id)));
  }

  /** Returns those that another process follows. */
  active(): ActiveWatch[] {
    return [...this.#active.values()].flat().map(activeOf);
  }

  /** Returns all running watches on a tmux server that other processes follow. */
  running(serverKey: string): ActiveWatch[] {
    const { store } = this.#options;
    return store.list<StoredWatch>(serverKey, WATCH_LETTER)
      .filter((watch) =>
        readWatch(watch) && watch.ended === undefined && !store.owns(watch.id) &&
        !(store.isElsewhere(watch.id) && isOverdue(watch))
      )
      .map(activeOf);
  }

  #file({ id, result, ended }: StoredWatch): void {
    if (!result) return;
    const { inbox } = this.#options.watches;
    if (!this.#filed.has(id) && !inbox.holds(id)) inbox.add(id, result, { ended });
    this.#filed.add(id);
  }
}

/** Describes a stored watch that is not over. */
export function activeOf(stored: StoredWatch): ActiveWatch {
  const { id: watchId, paneIds, triggers, commandId } = stored;
  return {
    watchId,
    paneId: paneIds[0]!,
    paneIds,
    triggers: triggers.map(({ event }) => event),
    elapsed: ageOf(stored),
    ...(commandId !== undefined && { commandId }),
  };
}
