// The probe of Linux.

import { watchExit } from "./exit_watch.ts";
import { findForeground, type Foreground, groupInFront, isLive } from "./foreground.ts";
import type { Libc } from "../../ffi/libc.ts";
import { CachedPaneProbe } from "./cached_pane_probe.ts";
import {
  type ExitWatch,
  groupExists,
  type PaneInspection,
  type PaneProbe,
  type PaneProcess,
  type Probe,
  type ReadSleep,
  type StoppedJob,
} from "../probe.ts";
import { Orphans } from "./orphans.ts";
import { LibuvLoops } from "./libuv.ts";
import { PaneListening } from "./listening.ts";
import type { PortMonitor } from "../listening.ts";
import { PaneJudge } from "./pane_judge.ts";
import type { ProcessStat } from "./proc.ts";
import { ProcFs } from "./procfs.ts";
import { TerminalServers } from "./relays.ts";

export class LinuxProbe implements Probe {
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  readonly #servers: TerminalServers;
  readonly #orphans: Orphans;
  readonly #panes: PaneJudge;

  constructor(libc: Libc, proc = new ProcFs(libc)) {
    this.#libc = libc;
    this.#proc = proc;
    this.#servers = new TerminalServers(proc);
    this.#orphans = new Orphans(proc);
    this.#panes = new PaneJudge(proc, {
      loops: new LibuvLoops(),
      findForeground: (pane, leader) => this.#findForeground(pane, leader),
      findServers: (group) => this.#servers.of(group),
    });
  }

  inspect(pane: PaneProcess): PaneInspection {
    return this.#panes.judge(pane).inspection;
  }

  openPaneProbe(pane: PaneProcess): PaneProbe {
    return new CachedPaneProbe(this.#libc, () => {
      const { inspection, seen } = this.#panes.judge(pane);
      return seen ? { inspection, processes: this.#idsOf(seen) } : { inspection };
    });
  }

  /** Pids of these, and of the leader's parent if that is a shell in the pane: it decides which group is in front. */
  #idsOf(seen: readonly ProcessStat[]): number[] {
    const [pane, leader] = seen;
    const parent = this.#proc.stat(leader?.parent ?? 0);
    const all = parent && parent.session === pane?.session ? [...seen, parent] : seen;
    return [...new Set(all.map(({ pid }) => pid))];
  }

  #findForeground(pane: ProcessStat, leader: ProcessStat | undefined): Foreground {
    const found = findForeground(this.#proc, { pane, leader, orphans: this.#orphans });
    const isHidden = this.#isHidden(groupInFront(pane), found);
    return isHidden ? { ...found, group: [invisible(pane)] } : found;
  }

  /** True if the group can't be seen: with hidepid, another user's group is not in /proc but takes signals. */
  #isHidden(id: number, { group }: Foreground): boolean {
    return group.length === 0 && this.#proc.stat(id) === undefined && groupExists(this.#libc, id);
  }

  sleep(pid: number): ReadSleep | "awake" | undefined {
    return this.#panes.sleep(pid);
  }

  shellName(pid: number): string | undefined {
    return this.#panes.shellName(pid);
  }

  ports({ panePid }: PaneProcess): PortMonitor {
    return new PaneListening(this.#proc, panePid, this.#libc);
  }

  stoppedJobs(shellPid: number): StoppedJob[] {
    const shell = this.#proc.stat(shellPid);
    const children = shell ? this.#proc.children(shell).map((pid) => this.#proc.stat(pid)) : [];
    return children.filter((stat) => stat !== undefined).filter(({ state }) => state === "T");
  }

  foregroundGroup(panePid: number): number | undefined {
    const pane = this.#proc.paneStat(panePid);
    return isLive(pane) ? groupInFront(pane) : undefined;
  }

  groupAlive(group: number): boolean {
    return groupExists(this.#libc, group);
  }

  startTime(pid: number): string | undefined {
    const stat = this.#proc.stat(pid);
    return isLive(stat) ? stat.startTime : undefined;
  }

  image(pid: number): string | undefined {
    const stat = this.#proc.stat(pid);
    return isLive(stat) && stat.stack !== "0" ? stat.stack : undefined;
  }

  sleeps(pid: number): number | undefined {
    const count = /^voluntary_ctxt_switches:\s*(\d+)$/m.exec(this.#proc.text(`${pid}/status`) ?? "")?.[1];
    return count === undefined ? undefined : Number(count);
  }

  watchExit(pid: number): ExitWatch {
    return watchExit(this.#libc, this.#proc, pid);
  }
}

/** Stands for a group that can't be seen: only the terminal shows it. */
function invisible(pane: ProcessStat): ProcessStat {
  const pid = groupInFront(pane);
  return { ...pane, pid, thread: pid, comm: "?", state: "S", threads: 1 };
}
