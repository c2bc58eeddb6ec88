// The ports that programs on another machine listen on, found through a shell there.

import {
  type ListeningPort,
  type ListeningSocket,
  type PortMonitor,
  type SocketOwner,
  SocketOwners,
  type TakenPort,
} from "../listening.ts";
import { isLive } from "../linux/foreground.ts";
import { findOwners } from "../linux/listening.ts";
import { parseListening } from "../linux/socket_table.ts";
import { RemoteProc } from "./proc.ts";

/** Runs code in the shell that has the script's functions; undefined on an unknown system. */
export type Ask = (code: string) => Promise<string | undefined>;

/** One pane's ports as they were at the last refresh: one request each, more for a new socket. */
export class RemoteListening implements PortMonitor {
  readonly #panePid: number;
  readonly #closed: () => void;
  readonly #owners = new SocketOwners();
  #ports: readonly ListeningPort[] | undefined;
  #first: readonly ListeningPort[] | undefined;

  constructor(panePid: number, closed: () => void = () => {}) {
    this.#panePid = panePid;
    this.#closed = closed;
  }

  get first(): readonly ListeningPort[] | undefined {
    return this.#first;
  }

  poll(): readonly ListeningPort[] | undefined {
    return this.#ports;
  }

  close(): void {
    this.#closed();
  }

  /** Returns the ports; undefined on a system that this program does not know. */
  async refresh(ask: Ask): Promise<readonly ListeningPort[] | undefined> {
    const ports = await this.#ask(ask);
    this.#ports = ports ?? [];
    this.#first ??= this.#ports;
    return ports;
  }

  async #ask(ask: Ask): Promise<ListeningPort[] | undefined> {
    const now = performance.now();
    const text = await ask(`tm_ports ${Number(this.#panePid)}`);
    if (text === undefined) return undefined;
    const sockets = readSockets(text);
    const proc = new RemoteProc();
    proc.take(text);
    const pids = [...proc.stats.values()].filter(isLive).map(({ pid }) => pid);
    const wanted = this.#owners.wanted(sockets, new Set(pids), now);
    if (wanted.size > 0 && pids.length > 0) {
      const session = proc.stat(this.#panePid)?.session ?? 0;
      const found = await askOwners(ask, { wanted, session: `${session}`, pids });
      this.#owners.learn(wanted, found, { now, tookMs: performance.now() - now });
    }
    return this.#owners.ports(sockets);
  }
}

/** Returns the programs that listen on a port of the machine. */
export async function askTaken(ask: Ask, port: number): Promise<TakenPort[] | undefined> {
  const text = await ask("tm_table $$");
  if (text === undefined) return undefined;
  const sockets = readSockets(text).filter((socket) => socket.port === port);
  const wanted = new Set(sockets.map(({ inode }) => inode));
  if (wanted.size === 0) return [];
  const owners = await askOwners(ask, { wanted, session: "*", pids: [] });
  return sockets.map(({ inode, ...socket }) => ({ ...socket, ...owners.get(inode) }));
}

/** Sockets in the rows of the tables; rows after a line `O` are of the namespace that it names. */
function readSockets(text: string): ListeningSocket[] {
  let namespace: string | undefined;
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("O ")) namespace = line.slice(2) === "" ? undefined : line.slice(2);
    return line.startsWith("N ") ? parseListening(line.slice(2), namespace) : [];
  });
}

/** Returns the oldest process that holds each socket, among these and those of a session. */
async function askOwners(
  ask: Ask,
  { wanted, session, pids }: { wanted: ReadonlySet<string>; session: string; pids: readonly number[] },
): Promise<Map<string, SocketOwner>> {
  const proc = new RemoteProc();
  const find = () => findOwners(proc, [...proc.stats.values()].filter(isLive), wanted);
  proc.take(await ask(`tm_holders '${session}' '${[...wanted].join("|")}' ${pids.join(" ")}`) ?? "");
  const nameless = find();
  if (nameless.size === 0) return nameless;
  proc.take(await ask([...nameless.values()].map(({ pid }) => `tm_argv ${pid}`).join("\n")) ?? "");
  return find();
}
