// The ports that programs on another machine listen on, found through a shell there.

import { findStat } from "./sheet.ts";
import {
  type ListeningPort,
  type ListeningSocket,
  type SocketOwner,
  SocketOwners,
  type TakenPort,
} from "../listening.ts";
import { isLive } from "../linux/foreground.ts";
import { commandName } from "../linux/process_name.ts";
import type { ProcessStat } from "../linux/procfs.ts";
import { parseListening } from "../linux/socket_table.ts";

/** Runs code in the shell that has the script's functions; undefined on an unknown system. */
export type Ask = (code: string) => Promise<string | undefined>;

/** Follows one pane's ports: one request per poll, more for a new socket. */
export class RemoteListening {
  readonly #panePid: number;
  readonly #owners = new SocketOwners();

  constructor(panePid: number) {
    this.#panePid = panePid;
  }

  async poll(ask: Ask): Promise<ListeningPort[] | undefined> {
    const now = performance.now();
    const text = await ask(`tm_ports ${Number(this.#panePid)}`);
    if (text === undefined) return undefined;
    const sockets = readSockets(text);
    const tree = readStats(text);
    const wanted = this.#owners.wanted(sockets, new Set(tree.keys()), now);
    if (wanted.size > 0 && tree.size > 0) {
      const session = tree.get(this.#panePid)?.session ?? 0;
      const found = await findOwners(ask, { wanted, session: `${session}`, pids: [...tree.keys()] });
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
  const owners = await findOwners(ask, { wanted, session: "*", pids: [] });
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

function readStats(text: string): Map<number, ProcessStat> {
  const stats = [...text.matchAll(/^Q (.*)$/gm)].map(([, line = ""]) => findStat(line)).filter(isLive);
  return new Map(stats.map((stat) => [stat.pid, stat]));
}

/** Returns the oldest process that holds each socket, among these and those of a session. */
async function findOwners(
  ask: Ask,
  { wanted, session, pids }: { wanted: ReadonlySet<string>; session: string; pids: readonly number[] },
): Promise<Map<string, SocketOwner>> {
  const text = await ask(`tm_holders '${session}' '${[...wanted].join("|")}' ${pids.join(" ")}`) ?? "";
  const stats = readStats(text);
  const oldest = new Map<string, ProcessStat>();
  let holder: ProcessStat | undefined;
  for (const line of text.split("\n")) {
    const folder = /^\/proc\/(\d+)\/fd:$/.exec(line)?.[1];
    if (folder !== undefined) holder = stats.get(Number(folder));
    const inode = /-> socket:\[(\d+)\]$/.exec(line)?.[1];
    const known = oldest.get(inode ?? "");
    if (inode === undefined || holder === undefined) continue;
    if (known === undefined || Number(holder.startTime) < Number(known.startTime)) oldest.set(inode, holder);
  }
  const names = await readNames(ask, [...new Set(oldest.values())]);
  return new Map([...oldest].map(([inode, { pid }]) => [inode, { pid, command: names.get(pid) ?? "" }]));
}

async function readNames(ask: Ask, stats: readonly ProcessStat[]): Promise<Map<number, string>> {
  if (stats.length === 0) return new Map();
  const text = await ask(stats.map(({ pid }) => `tm_argv ${pid}`).join("\n")) ?? "";
  const argvs = [...text.matchAll(/^A (.*)$/gm)].map(([, line = ""]) => line.split("\x01"));
  return new Map(stats.map(({ pid, comm }, at) => [pid, commandName(comm, argvs[at] ?? [])]));
}
