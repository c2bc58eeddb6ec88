// Linux: finds members of a foreground group whose parent has ended, and which are not near the group's leader in the
// tree.

import type { ProcessStat, ProcFs } from "./procfs.ts";

export class Orphans {
  readonly #proc: ProcFs;
  /** Groups of the children of each adopting process: init has hundreds, nearly always the same ones. */
  readonly #groups: Map<number, ReadonlyMap<number, number>> = new Map();

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  /**
   * Finds the orphans of a group. The kernel gives an orphan to init, or to a process above its parents that asked
   * for orphans. tmux does not ask, and may have a thousand children.
   */
  of(group: number, pane: ProcessStat, leader = pane): ProcessStat[] {
    const found: ProcessStat[] = [];
    for (let pid = leader.parent; pid > 0;) {
      const stat = this.#proc.stat(pid);
      if (stat === undefined) break;
      if (pid !== pane.parent || pid === 1) found.push(...this.#childrenOf(stat, group));
      pid = stat.parent;
    }
    return found;
  }

  #childrenOf(parent: ProcessStat, group: number): ProcessStat[] {
    const known = this.#groups.get(parent.pid);
    const children = this.#proc.children(parent);
    const groups = new Map(
      children.map((pid) => [pid, known?.get(pid) ?? this.#proc.stat(pid)?.group ?? 0] as const),
    );
    this.#groups.set(parent.pid, groups);
    return children.filter((pid) => groups.get(pid) === group)
      .map((pid) => this.#proc.stat(pid))
      .filter((stat): stat is ProcessStat => stat?.group === group);
  }
}
