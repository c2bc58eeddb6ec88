// The probe of Linux.

import type { Ending } from "../ending.ts";
import { watchExit } from "./exit_watch.ts";
import { findForeground, type Foreground, groupInFront, isLive } from "./foreground.ts";
import type { Libc } from "../../ffi/libc.ts";
import { GlobalVariables } from "./global_variables.ts";
import { LineEditors } from "./line_editors.ts";
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
import { findTaken, PaneListening, processesOf } from "./listening.ts";
import type { ListeningPort, PortMonitor, TakenPort } from "../listening.ts";
import { PaneJudge } from "./pane_judge.ts";
import { type ProcessStat, TICK_MS } from "./proc.ts";
import type { EditedLine, ProcessInspector } from "../process_inspector.ts";
import { ProcFs } from "./procfs.ts";
import { TerminalServers } from "./relays.ts";

/** Linux counts the start of a process on this clock, which unlike `performance.now()` runs while a laptop sleeps. */
const CLOCK_BOOTTIME = 7;

export class LinuxProbe implements Probe, ProcessInspector {
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  /** A variable that bash exports to the builtins that it loads. */
  readonly #builtins: GlobalVariables<"executing_builtin">;
  readonly #editors: LineEditors;
  readonly #servers: TerminalServers;
  readonly #orphans: Orphans;
  readonly #panes: PaneJudge;

  constructor(libc: Libc, proc = new ProcFs(libc)) {
    this.#libc = libc;
    this.#proc = proc;
    this.#builtins = new GlobalVariables(proc, ["executing_builtin"]);
    this.#editors = new LineEditors(libc, proc);
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

  listening(pane: PaneProcess): readonly ListeningPort[] {
    return new PaneListening(this.#proc, pane.panePid, this.#libc).poll(performance.now());
  }

  taken(port: number): readonly TakenPort[] {
    return findTaken(this.#proc, port);
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

  ageMs(pid: number): number | undefined {
    const startTime = this.startTime(pid);
    return startTime === undefined
      ? undefined
      : this.#libc.clock(CLOCK_BOOTTIME) - Number(startTime) * TICK_MS;
  }

  youngerThan(
    { panePid }: PaneProcess,
    ageMs: number,
    { attached = false }: { attached?: boolean } = {},
  ): readonly number[] {
    // The kernel rounds the start of a process down, so it looks older by up to a tick. Finding the processes takes
    // longer than that on a busy machine, so their ages after that are no measure.
    const earliest = this.#libc.clock(CLOCK_BOOTTIME) - ageMs - TICK_MS;
    const isYounger = (pid: number): boolean =>
      pid !== panePid && Number(this.startTime(pid) ?? 0) * TICK_MS >= earliest;
    const session = this.#proc.stat(panePid)?.session;
    const counts = (pid: number): boolean => !attached || this.#proc.stat(pid)?.session === session;
    return processesOf(this.#proc, panePid).filter((pid) => isYounger(pid) && counts(pid));
  }

  image(pid: number): string | undefined {
    const stat = this.#proc.stat(pid);
    return isLive(stat) && stat.stack !== "0" ? stat.stack : undefined;
  }

  sleeps(pid: number): number | undefined {
    const count = /^voluntary_ctxt_switches:\s*(\d+)$/m.exec(this.#proc.text(`${pid}/status`) ?? "")?.[1];
    return count === undefined ? undefined : Number(count);
  }

  readsDone(pid: number): number | undefined {
    const count = /^syscr:\s*(\d+)$/m.exec(this.#proc.text(`${pid}/io`) ?? "")?.[1];
    // A kernel that does not count says 0.
    return Number(count ?? 0) || undefined;
  }

  watchExit(pid: number): ExitWatch {
    return watchExit(this.#libc, this.#proc, pid);
  }

  ending(pid: number): Ending | undefined {
    const exitWatch = this.watchExit(pid);
    const ending = exitWatch.poll();
    exitWatch.close();
    return ending;
  }

  blocksChildren(pid: number): boolean {
    return this.#proc.stat(pid)?.blocksChildren === true;
  }

  readsScript(pid: number): boolean {
    return this.#proc.descriptors(pid).some((fd) => {
      const path = this.#proc.descriptorLink(pid, fd) ?? "";
      if (!path.startsWith("/") || /^\/(dev|proc|sys)\//.test(path)) return false;
      const state = this.#proc.text(`${pid}/fdinfo/${fd}`) ?? "";
      // The last digit is the access mode: 0 is read-only.
      return /^pos:\s*[1-9]\d*\nflags:\s*[0-7]*[04]\n/.test(state);
    });
  }

  discards(pid: number, fd: number): boolean {
    const path = this.#proc.descriptorLink(pid, fd);
    // A process of another user shows no descriptors.
    if (path === undefined) return this.#proc.descriptors(pid).length > 0;
    return path === "/dev/null" || /^\/(?!dev\/)/.test(path);
  }

  runsBuiltin(pid: number): boolean | undefined {
    const count = this.#builtins.read(pid)?.int("executing_builtin");
    return count === undefined ? undefined : count > 0;
  }

  line(pid: number, place: { shell: string; tty: string }): EditedLine | undefined {
    return this.#editors.read(pid, place);
  }

  usesReadline(pid: number): boolean {
    return /\/libreadline\.so/.test(this.#proc.text(`${pid}/maps`) ?? "");
  }

  quotesKeys(pid: number): boolean {
    return /\/lib(readline|edit)\.so/.test(this.#proc.text(`${pid}/maps`) ?? "");
  }

  readsFile(pid: number): boolean {
    return this.#proc.descriptors(pid).some((fd) => {
      const path = this.#proc.descriptorLink(pid, fd) ?? "";
      // ksh keeps its history open all the time.
      return path.startsWith("/") && !/^\/(dev|proc|sys)\/|hist(ory)?$/.test(path);
    });
  }
}

/** Stands for a group that can't be seen: only the terminal shows it. */
function invisible(pane: ProcessStat): ProcessStat {
  const pid = groupInFront(pane);
  return { ...pane, pid, thread: pid, comm: "?", state: "S", threads: 1 };
}
