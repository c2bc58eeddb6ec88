// Linux: finds the processes of a terminal's foreground group without reading the whole process table.

import type { Orphans } from "./orphans.ts";
import type { Proc, ProcessStat } from "./proc.ts";
import type { ProcFs } from "./procfs.ts";

export interface Foreground {
  /** Live members: the leader first, then by age, the oldest first. */
  readonly group: readonly ProcessStat[];
  /**
   * Descendants of members in sessions without a terminal (`su -c`), or with another one and this as stdin (`sshpass`),
   * which can still read this terminal.
   */
  readonly detached: readonly ProcessStat[];
}

/** Maximum number of processes in a walk; each costs about 25 µs. */
const MAX_WALK = 1024;

export function isLive(stat: ProcessStat | undefined): stat is ProcessStat {
  return stat !== undefined && stat.state !== "Z" && stat.state !== "X";
}

/** Group in the foreground of a pane's terminal; the group of the pane's process if the terminal has none. */
export function groupInFront(pane: ProcessStat): number {
  return pane.foregroundGroup > 0 ? pane.foregroundGroup : pane.group;
}

/** Leader of a group, if it is alive and still leads the group. */
export function findLeader(proc: Proc, group: number): ProcessStat | undefined {
  const stat = group > 0 ? proc.stat(group) : undefined;
  return isLive(stat) && stat.group === group ? stat : undefined;
}

export interface ForegroundSearch {
  readonly pane: ProcessStat;
  readonly leader: ProcessStat | undefined;
  readonly orphans: Orphans;
}

/**
 * Finds the foreground. Members are below the leader or its siblings in a pipeline, so a walk from the leader's
 * parent finds them; if the leader is gone, a walk from the pane's own process does. Members whose parent has ended
 * are below the process that adopted them. The full table is read only if all this finds nothing or can't be done.
 */
export function findForeground(proc: ProcFs, { pane, leader, orphans }: ForegroundSearch): Foreground {
  const group = groupInFront(pane);
  const walk = new Walk(proc, pane, { group, everywhere: leader === undefined });
  if (leader === undefined || leader.pid === pane.pid) walk.from(pane);
  else {
    const parent = proc.stat(leader.parent);
    walk.from(leader);
    if (parent) walk.below(parent);
  }
  if (proc.listsChildren) { for (const orphan of orphans.of(group, pane, leader)) walk.from(orphan); }
  if (walk.group.length === 0 || !proc.listsChildren) walk.walkAll(proc.processes());
  return { group: inOrder(walk.group, leader), detached: walk.detached };
}

/** Members of a group: the leader first, then by age. */
export function inOrder(members: readonly ProcessStat[], leader: ProcessStat | undefined): ProcessStat[] {
  const byAge = members.toSorted((a, b) => Number(BigInt(a.startTime) - BigInt(b.startTime)));
  const rest = byAge.filter((stat) => stat.pid !== leader?.pid);
  return leader ? [leader, ...rest] : rest;
}

class Walk {
  readonly group: ProcessStat[] = [];
  readonly detached: ProcessStat[] = [];
  readonly #proc: ProcFs;
  readonly #pane: ProcessStat;
  readonly #group: number;
  readonly #seen = new Set<number>();
  readonly #everywhere: boolean;

  constructor(proc: ProcFs, pane: ProcessStat, options: { group: number; everywhere: boolean }) {
    this.#proc = proc;
    this.#pane = pane;
    this.#group = options.group;
    this.#everywhere = options.everywhere;
  }

  from(stat: ProcessStat): void {
    if (this.#seen.has(stat.pid)) return;
    this.#seen.add(stat.pid);
    if (!isLive(stat)) return;
    const member = stat.group === this.#group;
    const detached = !member && this.#isDetached(stat);
    if (member) this.group.push(stat);
    if (detached) this.detached.push(stat);
    this.below(stat, member || detached || this.#everywhere);
  }

  /** Follows members and detached descendants, and with `deep` every child. */
  below(parent: ProcessStat, deep = false): void {
    for (const pid of this.#proc.children(parent)) {
      if (this.#seen.size >= MAX_WALK) return;
      if (this.#seen.has(pid)) continue;
      const stat = this.#proc.stat(pid);
      if (stat !== undefined && (deep || stat.group === this.#group)) this.from(stat);
    }
  }

  walkAll(pids: readonly number[]): void {
    for (const pid of pids) {
      if (this.#seen.has(pid)) continue;
      const stat = this.#proc.stat(pid);
      if (isLive(stat) && stat.group === this.#group) this.group.push(stat);
    }
  }

  #isDetached({ pid, session, terminal }: ProcessStat): boolean {
    if (session === this.#pane.session || terminal === this.#pane.terminal) return false;
    return terminal === 0 || this.#proc.descriptorIdentity(pid, 0)?.device === this.#pane.terminal;
  }
}
