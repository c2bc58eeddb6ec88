// Linux: finds the ports that the programs of a pane listen on.

import { isLive } from "./foreground.ts";
import {
  type ListeningPort,
  type ListeningSocket,
  type PortMonitor,
  type SocketOwner,
  SocketOwners,
  type TakenPort,
} from "../listening.ts";
import type { ProcessStat, ProcFs } from "./procfs.ts";
import { commandName } from "./process_name.ts";
import { parseListening } from "./socket_table.ts";

/** A build can have hundreds of processes; one costs some 30 µs. */
const MAX_TREE = 1024;
/** Walking the tree takes at most this part of the time. */
const SHARE = 20;
const SELF = "self";

/** One walk through a pane's processes. */
interface Tree {
  readonly processes: readonly ProcessStat[];
  /** A process of each network namespace they are in. */
  readonly namespaces: ReadonlyMap<string, number>;
}

/**
 * The table of sockets is read at every look, some 30 µs; who holds a socket is looked for once, when it is new. A
 * program that was left behind by its parent, as by `(server &)`, is known by the pane's session.
 */
export class PaneListening implements PortMonitor {
  readonly #proc: ProcFs;
  readonly #panePid: number;
  readonly #owners = new SocketOwners();
  readonly #ownNamespace: string | undefined;
  #tree: Tree = { processes: [], namespaces: new Map() };
  #walkAt = -Infinity;
  #first: readonly ListeningPort[] | undefined;

  constructor(proc: ProcFs, panePid: number) {
    this.#proc = proc;
    this.#panePid = panePid;
    this.#ownNamespace = proc.networkNamespace(SELF);
  }

  look(now: number): ListeningPort[] {
    if (now >= this.#walkAt) this.#walk(now);
    const sockets = [...this.#tree.namespaces].flatMap(([namespace, pid]) => this.#sockets(pid, namespace));
    const alive = new Set(this.#tree.processes.map(({ pid }) => pid));
    const wanted = this.#owners.wanted(sockets, alive, now);
    if (wanted.size > 0) this.#find(wanted, now);
    const ports = this.#owners.ports(sockets);
    this.#first ??= ports;
    return ports;
  }

  get first(): readonly ListeningPort[] | undefined {
    return this.#first;
  }

  close(): void {}

  #walk(now: number): void {
    const began = performance.now();
    this.#tree = walkTree(this.#proc, this.#panePid);
    this.#walkAt = now + (performance.now() - began) * SHARE;
  }

  #sockets(pid: number, namespace: string): ListeningSocket[] {
    return readListening(this.#proc, pid, namespace === this.#ownNamespace ? undefined : namespace);
  }

  #find(wanted: ReadonlySet<string>, now: number): void {
    const began = performance.now();
    const { processes } = this.#tree;
    const found = findOwners(this.#proc, processes, wanted);
    const [pane] = processes;
    if (pane !== undefined && found.size < wanted.size) {
      const left = new Set([...wanted].filter((inode) => !found.has(inode)));
      const known = new Set(processes.map(({ pid }) => pid));
      const others = statsOf(this.#proc, this.#proc.processes().filter((pid) => !known.has(pid)));
      const ofSession = others.filter(({ session }) => session === pane.session);
      for (const [inode, owner] of findOwners(this.#proc, ofSession, left)) found.set(inode, owner);
    }
    this.#owners.learn(wanted, found, now, performance.now() - began);
  }
}

/** Programs that listen on a port of this machine. */
export function findTaken(proc: ProcFs, port: number): TakenPort[] {
  const sockets = readListening(proc, SELF).filter((socket) => socket.port === port);
  const wanted = new Set(sockets.map(({ inode }) => inode));
  if (wanted.size === 0) return [];
  const owners = findOwners(proc, statsOf(proc, proc.processes()), wanted);
  return sockets.map(({ inode, ...socket }) => ({ ...socket, ...owners.get(inode) }));
}

function readListening(proc: ProcFs, pid: number | typeof SELF, namespace?: string): ListeningSocket[] {
  return ["tcp", "tcp6"].flatMap((table) =>
    parseListening(proc.text(`${pid}/net/${table}`) ?? "", namespace)
  );
}

function statsOf(proc: ProcFs, pids: readonly number[]): ProcessStat[] {
  return pids.map((pid) => proc.stat(pid)).filter(isLive);
}

/** The pane's process first. */
function walkTree(proc: ProcFs, panePid: number): Tree {
  const processes: ProcessStat[] = [];
  const namespaces = new Map<string, number>();
  const below = proc.listsChildren ? (stat: ProcessStat) => proc.children(stat) : childrenByTable(proc);
  const pending = [panePid];
  const seen = new Set(pending);
  for (let pid = pending.shift(); pid !== undefined && processes.length < MAX_TREE; pid = pending.shift()) {
    const stat = proc.stat(pid);
    if (!isLive(stat)) continue;
    processes.push(stat);
    const namespace = proc.networkNamespace(pid);
    if (namespace !== undefined && !namespaces.has(namespace)) namespaces.set(namespace, pid);
    for (const child of below(stat)) if (!seen.has(child)) pending.push(seen.add(child) && child);
  }
  return { processes, namespaces };
}

/** For kernels without a list of children. */
function childrenByTable(proc: ProcFs): (stat: ProcessStat) => number[] {
  const all = statsOf(proc, proc.processes());
  return ({ pid }) => all.filter(({ parent }) => parent === pid).map((stat) => stat.pid);
}

/** The oldest process that holds each socket; those of other users can't be seen into. */
function findOwners(
  proc: ProcFs,
  processes: readonly ProcessStat[],
  wanted: ReadonlySet<string>,
): Map<string, SocketOwner> {
  const found = new Map<string, SocketOwner>();
  const byAge = processes.toSorted((a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid);
  for (const { pid, comm, thread } of byAge) {
    for (const fd of proc.descriptors(thread)) {
      const inode = /^socket:\[(\d+)\]$/.exec(proc.descriptorLink(thread, fd) ?? "")?.[1];
      if (inode === undefined || !wanted.has(inode) || found.has(inode)) continue;
      found.set(inode, { pid, command: commandName(comm, proc.argv(thread)) });
    }
    if (found.size === wanted.size) break;
  }
  return found;
}
