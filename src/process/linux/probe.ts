// The probe of Linux.

import { classify, type ProcessFacts, type Verdict } from "../classify.ts";
import { watchExit } from "./exit_watch.ts";
import { findForeground, findLeader, type Foreground, groupInFront, isLive } from "./foreground.ts";
import type { Libc } from "../../ffi/libc.ts";
import { CachedPaneProbe } from "./cached_pane_probe.ts";
import {
  exists,
  type ExitWatch,
  goneInspection,
  groupExists,
  inspectionBehind,
  type PaneInspection,
  type PaneProbe,
  type PaneProcess,
  type Probe,
  type ReadSleep,
  runningBehind,
  type StoppedJob,
} from "../probe.ts";
import { Orphans } from "./orphans.ts";
import { LibuvLoops } from "./libuv.ts";
import { PaneListening } from "./listening.ts";
import type { PortMonitor } from "../listening.ts";
import { commandName } from "./process_name.ts";
import { type ProcessStat, ProcFs } from "./procfs.ts";
import { readSleep } from "./read_sleep.ts";
import { ReaderFacts } from "./readers.ts";
import { findInnerSession, MAX_RELAYS, TerminalServers } from "./relays.ts";
import { isOf32Bits } from "./syscalls.ts";
import { waitsAtPrompt } from "../shell_wait.ts";
import { findInteractiveShell } from "../shells.ts";
import { readTerminalMode } from "../terminal.ts";

interface Judged {
  readonly pane: ProcessStat;
  readonly first: ProcessStat;
  readonly verdict: Verdict;
  readonly relays: number;
  inFront(): readonly ProcessStat[];
}

interface LinuxInspection {
  readonly inspection: PaneInspection;
  /** The pane's own process, then the group and what is below it; absent if another process mattered. */
  readonly seen?: readonly ProcessStat[];
}

export class LinuxProbe implements Probe {
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  readonly #servers: TerminalServers;
  readonly #orphans: Orphans;
  readonly #loops = new LibuvLoops();

  constructor(libc: Libc, proc = new ProcFs(libc)) {
    this.#libc = libc;
    this.#proc = proc;
    this.#servers = new TerminalServers(proc);
    this.#orphans = new Orphans(proc);
  }

  inspect(pane: PaneProcess): PaneInspection {
    return this.#snapshot(pane, MAX_RELAYS).inspection;
  }

  openPaneProbe(pane: PaneProcess): PaneProbe {
    return new CachedPaneProbe(this.#libc, () => {
      const { inspection, seen } = this.#snapshot(pane, MAX_RELAYS);
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

  #snapshot({ panePid, tty }: PaneProcess, relays: number): LinuxInspection {
    const pane = this.#paneProcess(panePid);
    if (!isLive(pane)) return { inspection: goneInspection(panePid) };
    const mode = readTerminalMode(this.#libc, tty);
    const readers = new ReaderFacts(this.#proc, this.#loops, this.#proc.identity(tty));
    const leader = findLeader(this.#proc, groupInFront(pane));
    const judge = (processes: readonly ProcessFacts[]) =>
      classify({ terminal: tty, processes, ...(mode && { mode }) });
    // One reader is enough, and that is nearly always the leader, so no walk is needed.
    const leading = leader && readers.gather(leader, { inGroup: true });
    if (leader && leading?.threads.some((thread) => thread.terminalFd !== undefined)) {
      const inFront = () => findForeground(this.#proc, { pane, leader, orphans: this.#orphans }).group;
      return {
        inspection: this.#answer({ pane, first: leader, verdict: judge([leading]), relays, inFront }),
      };
    }
    const found = findForeground(this.#proc, { pane, leader, orphans: this.#orphans });
    const front = this.#isInvisible(pane, found) ? { ...found, group: [invisible(pane)] } : found;
    const servers = this.#servers.of(front.group);
    const outside = [...front.detached, ...servers ?? []];
    const verdict = judge(this.#gatherAll(readers, { group: front.group, outside }, leading));
    const inFront = () => front.group;
    const inspection = this.#answer({ pane, first: front.group[0] ?? pane, verdict, relays, inFront });
    const whole = leader && front === found && servers === undefined && verdict.reader === undefined;
    return whole ? { inspection, seen: [pane, ...found.group, ...found.detached] } : { inspection };
  }

  #answer({ pane, first, verdict, relays, inFront }: Judged): PaneInspection {
    const { reader, passedTo, beside: what, ...rest } = verdict;
    const beside = what === undefined ? {} : { beside: { what, ranMs: sum(inFront()) } };
    const front = this.#front(pane, first);
    const outer = { ...front, ...rest, ...this.#prompt(front, verdict), ...beside };
    const relay = reader === undefined || relays === 0 ? undefined : this.#proc.stat(reader);
    const behind = relay && findInnerSession(this.#proc, relay, passedTo);
    if (relay === undefined || behind === undefined) return outer;
    const inner = this.#snapshot(behind, relays - 1).inspection;
    // It may still have to pass on what the program behind it printed before it waited.
    const passes = this.#proc.stat(relay.pid)?.state !== "S";
    return inspectionBehind(outer, relay.comm, passes ? runningBehind(inner) : inner);
  }

  /** Returns what /proc shows of a pane's process; with hidepid another user's is not there, but takes signals. */
  #paneProcess(pid: number): ProcessStat | undefined {
    return this.#proc.stat(pid) ?? (pid > 1 && exists(this.#libc, pid) ? hidden(pid) : undefined);
  }

  /** True if the group can't be seen: with hidepid, another user's group is not in /proc but takes signals. */
  #isInvisible(pane: ProcessStat, { group }: Foreground): boolean {
    const id = groupInFront(pane);
    return group.length === 0 && this.#proc.stat(id) === undefined && groupExists(this.#libc, id);
  }

  #gatherAll(
    readers: ReaderFacts,
    { group, outside }: { group: readonly ProcessStat[]; outside: readonly ProcessStat[] },
    leading: ProcessFacts | undefined,
  ): ProcessFacts[] {
    const inside = group.map((stat) =>
      stat.pid === leading?.pid ? leading : readers.gather(stat, { inGroup: true })
    );
    return [...inside, ...outside.map((stat) => readers.gather(stat, { inGroup: false }))];
  }

  #front(pane: ProcessStat, first: ProcessStat) {
    const argv = this.#proc.argv(first.thread);
    const shell = first.forked ? undefined : this.shellName(first.thread, argv);
    return {
      panePid: pane.pid,
      foregroundPid: first.pid,
      foregroundCmd: commandName(first.comm, argv),
      foregroundGroup: groupInFront(pane),
      isAlive: true,
      ...(shell && { shell }),
    };
  }

  #prompt(
    { shell, foregroundPid }: Pick<PaneInspection, "shell" | "foregroundPid">,
    { waitingForInput, reader, edited, evidence }: Verdict,
  ): Pick<PaneInspection, "isPrompt"> {
    if (shell === undefined || !waitingForInput) return {};
    const sleep = () => this.sleep(foregroundPid);
    const blocksChildren = () => this.#proc.stat(foregroundPid)?.blocksChildren === true;
    const wait = { shell, shellPid: foregroundPid, reader, edited, evidence, sleep, blocksChildren };
    return { isPrompt: waitsAtPrompt(wait) };
  }

  sleep(pid: number): ReadSleep | "awake" | undefined {
    const blocked = this.#proc.blockedCall(pid, pid);
    const file = this.#proc.identity(`/proc/${pid}/exe`);
    if (blocked === "hidden" || file === undefined) return undefined;
    if (blocked && isOf32Bits(blocked)) return undefined;
    const call = blocked && this.#proc.calls?.describe(blocked.number);
    return readSleep({ blocked, call, stack: this.#proc.stat(pid)?.stack ?? "0", program: file.inode });
  }

  ports({ panePid }: PaneProcess): PortMonitor {
    return new PaneListening(this.#proc, panePid, this.#libc);
  }

  stoppedJobs(shellPid: number): StoppedJob[] {
    const shell = this.#proc.stat(shellPid);
    const children = shell ? this.#proc.children(shell).map((pid) => this.#proc.stat(pid)) : [];
    return children.filter((stat) => stat !== undefined).filter(({ state }) => state === "T");
  }

  shellName(pid: number, argv = this.#proc.argv(pid)): string | undefined {
    const executable = this.#proc.executable(pid);
    return findInteractiveShell({ argv, ...(executable && { executable }) });
  }

  foregroundGroup(panePid: number): number | undefined {
    const pane = this.#paneProcess(panePid);
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

function sum(processes: readonly ProcessStat[]): number {
  return processes.reduce((total, { ranMs }) => total + ranMs, 0);
}

/** Stands for a pane's process that can't be seen: it leads its session, and counts as in front. */
function hidden(pid: number): ProcessStat {
  return {
    pid,
    comm: "?",
    state: "S",
    parent: 0,
    group: pid,
    session: pid,
    terminal: 0,
    foregroundGroup: -1,
    threads: 1,
    forked: false,
    thread: pid,
    ranMs: 0,
    startTime: "0",
    stack: "0",
    codeBytes: 0,
    exitStatus: 0,
    blocksChildren: false,
    traceable: false,
  };
}

/** Stands for a group that can't be seen: only the terminal shows it. */
function invisible(pane: ProcessStat): ProcessStat {
  const pid = groupInFront(pane);
  return { ...pane, pid, thread: pid, comm: "?", state: "S", threads: 1 };
}
