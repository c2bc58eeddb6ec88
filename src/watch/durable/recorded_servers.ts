// The tmux servers of this machine that records on disk are about, at whichever sockets.
import type { RecordStore } from "../../durable/record_store.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { bestEffort } from "../../promises.ts";
import type { TmuxPlace } from "./stored_command.ts";

export interface RecordedServersOptions {
  store: RecordStore;
  /** Returns a tmux server; undefined if its machine is not configured here. */
  connect(place: TmuxPlace): Tmux | undefined;
  /** True if calls may use the socket. */
  seesSocket(path: string): boolean;
}

export class RecordedServers {
  readonly #options: RecordedServersOptions;
  /** Servers by key; undefined for those that have ended or may not be used. */
  readonly #known: Map<string, Tmux | undefined> = new Map();

  constructor(options: RecordedServersOptions) {
    this.#options = options;
  }

  /** Returns those at other sockets than this one's. */
  async besides({ socketPath }: Tmux): Promise<Tmux[]> {
    for (const key of this.#options.store.serverKeys()) {
      // A server that can't be reached now is tried again at the next call.
      if (!this.#known.has(key)) await bestEffort(this.#find(key));
    }
    const found = [...this.#known.values()].filter((tmux) => tmux !== undefined);
    return [...new Set(found)].filter((tmux) => tmux.socketPath !== socketPath);
  }

  async #find(key: string): Promise<void> {
    const { connect, seesSocket } = this.#options;
    const place = await this.#placeOf(key);
    if (!place) return;
    const tmux = place.host === undefined ? connect(place) : undefined;
    const isUsed = tmux !== undefined && seesSocket(tmux.socketPath) && await tmux.servers.key() === key;
    this.#known.set(key, isUsed ? tmux : undefined);
  }

  /** Place that a record names; watches of earlier versions name none. */
  async #placeOf(key: string): Promise<TmuxPlace | undefined> {
    for await (const record of this.#options.store.records(key)) {
      const { socket, host } = record as Partial<TmuxPlace>;
      if (typeof socket === "string") return { socket, host };
    }
    return undefined;
  }
}
