// Linux: finds the ports that the programs of a pane listen on.

import type { Libc } from "../../ffi/libc.ts";
import { CpuTimeTracker } from "./cpu_time_tracker.ts";
import { isLive } from "./foreground.ts";
import {
  type ListeningPort,
  type ListeningSocket,
  type PortMonitor,
  type SocketOwner,
  SocketOwners,
  type TakenPort,
} from "../listening.ts";
import type { Proc, ProcessStat } from "./proc.ts";
import type { ProcFs } from "./procfs.ts";
import { commandName } from "./process_name.ts";
import { adopters } from "./orphans.ts";
import { findInode, parseListening } from "./socket_table.ts";

/** Maximum number of processes of a pane: a build can have hundreds, and each costs some 30 µs. */
const MAX_TREE = 1024;
/** Longest time (ms) until a socket is found that another process passes to a sleeping program. */
const MAX_STILL_MS = 10_000;
/** Time (ms) within which a socket is searched for again if only known processes were searched. */
const RETRIED_MS = 250;
/** Number of processes that are searched for a socket in less time than it takes to read the tables. */
const MAX_SEARCHED = 32;
/** Divisor: walking the tree takes at most this part of the time, and so does reading the tables. */
const SHARE = 20;
/** Longest rest (ms) after the tables were read: on a busy machine that may have taken long. */
const MAX_REST_MS = 100;
const SELF = "self";

/** Result of one walk through a pane's processes. */
interface Tree {
  readonly processes: readonly ProcessStat[];
  /** Other processes of the pane's session, left behind by their parents. */
  readonly leftBehind: readonly ProcessStat[];
  /** One process of each network namespace that they are in. */
  readonly namespaces: ReadonlyMap<string, number>;
}

/**
 * Monitor of one pane's ports. Nothing begins to listen without running: while none of the pane's processes has run,
 * the last result holds. For each table, the kernel goes through its whole hash of connections, which takes 2 ms if
 * that has many buckets and 4 ms in all; checking if a process has run takes 1 µs. The owner of a socket is searched
 * for once, when the socket is new. A program that was left behind by its parent, as by `(server &)`, is recognized
 * by the pane's session.
 */
export class PaneListening implements PortMonitor {
  readonly #proc: ProcFs;
  readonly #panePid: number;
  readonly #owners = new SocketOwners();
  readonly #ownNamespace: string | undefined;
  readonly #cpuTimes: CpuTimeTracker;
  #tree: Tree = { processes: [], leftBehind: [], namespaces: new Map() };
  #walkAt = -Infinity;
  #readAt = -Infinity;
  #ports: ListeningPort[] = [];
  /** Time at which an owner was last searched for without a walk. */
  #searchedAt = -Infinity;
  #first: readonly ListeningPort[] | undefined;
  #last: { ports: ListeningPort[]; at: number } | undefined;

  constructor(proc: ProcFs, panePid: number, libc: Pick<Libc, "clock">) {
    this.#cpuTimes = new CpuTimeTracker(libc);
    this.#proc = proc;
    this.#panePid = panePid;
    this.#ownNamespace = proc.link(`${SELF}/ns/net`);
  }

  poll(now: number): ListeningPort[] {
    const still = this.#cpuTimes.check();
    if (still && this.#last && now - this.#last.at < MAX_STILL_MS) return this.#last.ports;
    if (now < this.#readAt) {
      this.#last = undefined;
      return this.#ports;
    }
    const walks = now >= this.#walkAt;
    if (walks) this.#walk(now);
    const began = performance.now();
    const ports = this.#read(now, walks);
    this.#readAt = now + Math.min((performance.now() - began) * SHARE, MAX_REST_MS);
    this.#ports = ports;
    const pids = [...this.#tree.processes, ...this.#tree.leftBehind].map(({ pid }) => pid);
    // Only CPU times from before the inspection began can show that it is out of date.
    const covered = this.#cpuTimes.covers(pids);
    const settled = walks && now - this.#searchedAt > RETRIED_MS;
    this.#last = covered && settled ? { ports, at: now } : undefined;
    if (!covered) this.#cpuTimes.watch(pids);
    this.#first ??= ports;
    return ports;
  }

  #read(now: number, walked: boolean): ListeningPort[] {
    const { processes, leftBehind, namespaces } = this.#tree;
    const all = [...processes, ...leftBehind];
    const sockets = mayHaveSocket(this.#proc, all)
      ? [...namespaces].flatMap(([namespace, pid]) => this.#sockets(pid, namespace))
      : [];
    const alive = new Set(all.map(({ pid }) => pid));
    const wanted = this.#owners.wanted(sockets, alive, now);
    if (wanted.size > 0) this.#find(wanted, now);
    if (wanted.size > 0 && !walked) this.#searchedAt = now;
    return this.#owners.ports(sockets);
  }

  get first(): readonly ListeningPort[] | undefined {
    return this.#first;
  }

  close(): void {}

  #walk(now: number): void {
    const began = performance.now();
    const tree = walkTree(this.#proc, this.#panePid);
    this.#tree = { ...tree, leftBehind: findLeftBehind(this.#proc, tree.processes) };
    this.#walkAt = now + (performance.now() - began) * SHARE;
  }

  #sockets(pid: number, namespace: string): ListeningSocket[] {
    return readListening(this.#proc, pid, namespace === this.#ownNamespace ? undefined : namespace);
  }

  #find(wanted: ReadonlySet<string>, now: number): void {
    const began = performance.now();
    const { processes } = this.#tree;
    const found = findOwners(this.#proc, processes, wanted);
    if (found.size < wanted.size) {
      const missing = new Set([...wanted].filter((inode) => !found.has(inode)));
      const leftBehind = findLeftBehind(this.#proc, processes);
      for (const [inode, owner] of findOwners(this.#proc, leftBehind, missing)) found.set(inode, owner);
    }
    this.#owners.learn(wanted, found, { now, tookMs: performance.now() - began });
  }
}

/** Returns the programs that listen on a port of this machine. */
export function findTaken(proc: ProcFs, port: number): TakenPort[] {
  const sockets = readListening(proc, SELF).filter((socket) => socket.port === port);
  const wanted = new Set(sockets.map(({ inode }) => inode));
  if (wanted.size === 0) return [];
  const owners = findOwners(proc, statsOf(proc, proc.processes()), wanted);
  return sockets.map(({ inode, ...socket }) => ({ ...socket, ...owners.get(inode) }));
}

/** Pids of a pane's processes, and of those left behind by their parents. */
export function processesOf(proc: ProcFs, panePid: number): number[] {
  const { processes } = walkTree(proc, panePid);
  return [...processes, ...findLeftBehind(proc, processes)].map(({ pid }) => pid);
}

function readListening(proc: ProcFs, pid: number | typeof SELF, namespace?: string): ListeningSocket[] {
  return ["tcp", "tcp6"].flatMap((table) =>
    parseListening(proc.text(`${pid}/net/${table}`) ?? "", namespace)
  );
}

function statsOf(proc: ProcFs, pids: readonly number[]): ProcessStat[] {
  return pids.map((pid) => proc.stat(pid)).filter(isLive);
}

/** Other processes of the pane's session; the first of the given processes is the pane's own. */
function findLeftBehind(proc: ProcFs, processes: readonly ProcessStat[]): ProcessStat[] {
  const [pane] = processes;
  if (pane === undefined) return [];
  const known = new Set(processes.map(({ pid }) => pid));
  const isLeft = ({ pid, session }: ProcessStat): boolean => !known.has(pid) && session === pane.session;
  if (!proc.listsChildren) return statsOf(proc, proc.processes()).filter(isLeft);
  const orphans = adopters(proc, pane).flatMap((stat) => statsOf(proc, proc.children(stat))).filter(isLeft);
  return orphans.flatMap(({ pid }) => walkTree(proc, pid).processes).filter(isLeft);
}

/** True if one of a few processes has a socket, or there are many processes. */
function mayHaveSocket(proc: ProcFs, processes: readonly ProcessStat[]): boolean {
  return processes.length > MAX_SEARCHED ||
    processes.some(({ thread }) =>
      proc.descriptors(thread).some((fd) => proc.descriptorLink(thread, fd)?.startsWith("socket:"))
    );
}

/** Walks the tree of a pane's processes; the pane's own process comes first. */
function walkTree(proc: ProcFs, panePid: number): Omit<Tree, "leftBehind"> {
  const processes: ProcessStat[] = [];
  const namespaces = new Map<string, number>();
  const below = proc.listsChildren ? (stat: ProcessStat) => proc.children(stat) : childrenByTable(proc);
  const pending = [panePid];
  const seen = new Set(pending);
  for (let pid = pending.shift(); pid !== undefined && processes.length < MAX_TREE; pid = pending.shift()) {
    const stat = proc.stat(pid);
    if (!isLive(stat)) continue;
    processes.push(stat);
    const namespace = proc.link(`${pid}/ns/net`);
    if (namespace !== undefined && !namespaces.has(namespace)) namespaces.set(namespace, pid);
    for (const child of below(stat)) if (!seen.has(child)) pending.push(seen.add(child) && child);
  }
  return { processes, namespaces };
}

/** Children by the whole process table, for kernels without a list of children. */
function childrenByTable(proc: ProcFs): (stat: ProcessStat) => number[] {
  const all = statsOf(proc, proc.processes());
  return ({ pid }) => all.filter(({ parent }) => parent === pid).map((stat) => stat.pid);
}

/** Oldest process that holds each socket; processes of other users can't be inspected. */
export function findOwners(
  proc: Proc,
  processes: readonly ProcessStat[],
  wanted: ReadonlySet<string>,
): Map<string, SocketOwner> {
  const owners = new Map<string, SocketOwner>();
  const byAge = processes.toSorted((a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid);
  for (const { pid, comm, thread } of byAge) {
    for (const fd of proc.descriptors(thread)) {
      const inode = findInode(proc.descriptorLink(thread, fd));
      if (inode === undefined || !wanted.has(inode) || owners.has(inode)) continue;
      owners.set(inode, { pid, command: commandName(comm, proc.argv(thread)) });
    }
    if (owners.size === wanted.size) break;
  }
  return owners;
}
