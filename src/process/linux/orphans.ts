// Linux: finds members of a foreground group whose parent has ended, and which are not near the group's leader in the
// tree.

import type { ProcessStat } from "./proc.ts";
import type { ProcFs } from "./procfs.ts";

/** Maximum number of processes whose children's groups are remembered; every shell that ran a program is one. */
const MAX_KNOWN = 256;

export class Orphans {
  readonly #proc: ProcFs;
  /** Groups of the children of each adopting process: init has hundreds, nearly always the same ones. */
  readonly #groups: Map<number, ReadonlyMap<number, number>> = new Map();

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  /** Finds the orphans of a group. */
  of(group: number, pane: ProcessStat, leader = pane): ProcessStat[] {
    return adopters(this.#proc, pane, leader).flatMap((stat) => this.#childrenOf(stat, group));
  }

  #childrenOf(parent: ProcessStat, group: number): ProcessStat[] {
    const known = this.#groups.get(parent.pid);
    const children = this.#proc.children(parent);
    const groups = new Map(
      children.map((pid) => [pid, known?.get(pid) ?? this.#proc.stat(pid)?.group ?? 0] as const),
    );
    if (this.#groups.size >= MAX_KNOWN) this.#groups.clear();
    this.#groups.set(parent.pid, groups);
    return children.filter((pid) => groups.get(pid) === group)
      .map((pid) => this.#proc.stat(pid))
      .filter((stat): stat is ProcessStat => stat?.group === group);
  }
}

/**
 * Processes that may adopt orphans: init, or one above their parents that asked for orphans. tmux does not ask, and may
 * have a thousand children.
 */
export function adopters(proc: ProcFs, pane: ProcessStat, leader = pane): ProcessStat[] {
  const found: ProcessStat[] = [];
  for (let stat = proc.stat(leader.parent); stat !== undefined; stat = proc.stat(stat.parent)) {
    if (stat.pid !== pane.parent || stat.pid === 1) found.push(stat);
  }
  return found;
}
