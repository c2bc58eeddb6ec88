// The tmux servers of this machine, at any socket, that records on disk are about.
import type { RecordStore } from "../records/record_store.ts";
import type { Libc } from "../ffi/libc.ts";
import { exists } from "../process/probe.ts";
import { pidOfKey } from "../tmux/server_key.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { bestEffort } from "../promises.ts";
import type { ServerAddress } from "../tmux/server_address.ts";

export interface RecordedServersOptions {
  store: RecordStore;
  libc: Libc;
  /** Returns a tmux server; undefined if its machine is not configured here. */
  connect(address: ServerAddress): Tmux | undefined;
  /** True if calls may use the socket. */
  seesSocket(path: string, host?: string): boolean;
}

/** A server at another socket that takes longer (ms) to reply is tried again later: waiting calls wait for it. */
export const PROBE_MS = 1000;

export class RecordedServers {
  readonly #options: RecordedServersOptions;
  /** Servers by key; undefined for those that have ended or may not be used. */
  readonly #known: Map<string, Tmux | undefined> = new Map();

  constructor(options: RecordedServersOptions) {
    this.#options = options;
  }

  /** Returns those at other sockets than this one's. */
  async besides({ socketPath }: Tmux): Promise<Tmux[]> {
    const { store, libc } = this.#options;
    // Looking for one at its socket takes 30 ms if it has ended.
    const running = store.serverKeys().filter((key) => exists(libc, pidOfKey(key)));
    // A server that can't be reached now is tried again at the next call.
    const unknown = running.filter((key) => !this.#known.has(key));
    await Promise.all(unknown.map((key) => bestEffort(this.#find(key))));
    const found = running.map((key) => this.#known.get(key)).filter((tmux) => tmux !== undefined);
    return [...new Set(found)].filter((tmux) => tmux.socketPath !== socketPath);
  }

  /** Returns those, with their keys, that have ended after the process with this token, which had kept records of them. */
  async ended(token: string): Promise<{ tmux: Tmux; key: string }[]> {
    const { store } = this.#options;
    const keys = store.serverKeys().filter((key) => store.hasDied(token, key));
    const asked = keys.map(async (key) => {
      const address = await this.#addressOf(key);
      const tmux = address && this.#connect(address);
      return tmux && await tmux.servers.key({ timeoutMs: PROBE_MS }) !== key ? [{ tmux, key }] : [];
    });
    return (await Promise.all(asked.map((each) => each.catch(() => [])))).flat();
  }

  async #find(key: string): Promise<void> {
    const address = await this.#addressOf(key);
    if (!address) return;
    const tmux = this.#connect(address);
    this.#known.set(key, await tmux?.servers.key({ timeoutMs: PROBE_MS }) === key ? tmux : undefined);
  }

  /** Returns a server of this machine that may be used. Connecting already cleans up there. */
  #connect(address: ServerAddress): Tmux | undefined {
    const { connect, seesSocket } = this.#options;
    return address.host === undefined && seesSocket(address.socket) ? connect(address) : undefined;
  }

  /** Address that a record names; watches of earlier versions name none. */
  async #addressOf(key: string): Promise<ServerAddress | undefined> {
    for await (const record of this.#options.store.records(key)) {
      const { socket, host } = record as Partial<ServerAddress>;
      if (typeof socket === "string") return { socket, host };
    }
    return undefined;
  }
}
