// Answers what a pane's programs do: who is in the foreground, whether it waits for input, which shell it is.

import { classify, type InputKind, type ProcessFacts } from "./classify.ts";
import { findForeground, findLeader, type Foreground, isLive } from "./foreground.ts";
import type { Libc } from "./libc.ts";
import { type ProcessStat, ProcFs } from "./procfs.ts";
import { ReaderFacts } from "./readers.ts";
import { findInteractiveShell } from "./shells.ts";
import { readTerminalMode } from "./terminal.ts";

/** A pane as tmux knows it. */
export interface PaneProcess {
  /** `#{pane_pid}` */
  readonly panePid: number;
  /** `#{pane_tty}`; a dead pane's can belong to another by now, so it is opened only while `panePid` lives. */
  readonly tty: string;
}

/** One look at a pane. */
export interface PaneLook {
  readonly panePid: number;
  /** The foreground group's leader, else its oldest member, else the pane's own process. */
  readonly foregroundPid: number;
  readonly foregroundCmd: string;
  readonly foregroundGroup: number;
  /** The pane's own process lives. */
  readonly isAlive: boolean;
  readonly waitingForInput: boolean;
  readonly inputKind: InputKind;
  /** The dialect, when the foreground is an interactive shell. */
  readonly shell?: string;
  readonly evidence: string;
}

/** Asks the kernel; every call returns at once. */
export interface Probe {
  look(pane: PaneProcess): PaneLook;
  /** The terminal's foreground group as seen by the pane's own process; undefined when that is gone. */
  foregroundGroup(panePid: number): number | undefined;
  /** Whether any process of a group is left (a zombie nobody waited for counts). */
  groupAlive(group: number): boolean;
  /** With the pid, the identity of a process; undefined when it is gone. */
  startTime(pid: number): string | undefined;
}

export function createProbe(libc: Libc): Probe {
  return libc.platform.os === "linux" ? new LinuxProbe(libc) : new BlindProbe(libc);
}

class LinuxProbe implements Probe {
  readonly #libc: Libc;
  readonly #proc: ProcFs;

  constructor(libc: Libc, proc = new ProcFs(libc)) {
    this.#libc = libc;
    this.#proc = proc;
  }

  look({ panePid, tty }: PaneProcess): PaneLook {
    const pane = this.#proc.stat(panePid);
    if (!isLive(pane)) return deadLook(panePid);
    const mode = readTerminalMode(this.#libc, tty);
    const readers = new ReaderFacts(this.#proc, this.#proc.identity(tty));
    const leader = findLeader(this.#proc, groupOf(pane));
    const judge = (processes: readonly ProcessFacts[]) =>
      classify({ terminal: tty, processes, ...(mode && { mode }) });
    // One reader is enough, and it is nearly always the leader: the walk is spared.
    const leading = leader && readers.gather(leader, true);
    if (leader && leading?.threads.some((thread) => thread.terminalFd !== undefined)) {
      return { ...this.#front(pane, leader), ...judge([leading]) };
    }
    const front = findForeground(this.#proc, pane, leader);
    const verdict = judge(this.#gatherAll(readers, front, leading));
    return { ...this.#front(pane, front.group[0] ?? pane), ...verdict };
  }

  #gatherAll(readers: ReaderFacts, front: Foreground, leading: ProcessFacts | undefined): ProcessFacts[] {
    const group = front.group.map((stat) => stat.pid === leading?.pid ? leading : readers.gather(stat, true));
    return [...group, ...front.detached.map((stat) => readers.gather(stat, false))];
  }

  #front(pane: ProcessStat, first: ProcessStat) {
    const argv = this.#proc.argv(first.pid);
    const executable = this.#proc.executable(first.pid);
    const shell = findInteractiveShell({ argv, ...(executable && { executable }) });
    return {
      panePid: pane.pid,
      foregroundPid: first.pid,
      foregroundCmd: commandName(first, argv),
      foregroundGroup: groupOf(pane),
      isAlive: true,
      ...(shell && { shell }),
    };
  }

  foregroundGroup(panePid: number): number | undefined {
    const pane = this.#proc.stat(panePid);
    return isLive(pane) ? groupOf(pane) : undefined;
  }

  groupAlive(group: number): boolean {
    return groupExists(this.#libc, group);
  }

  startTime(pid: number): string | undefined {
    const stat = this.#proc.stat(pid);
    return isLive(stat) ? stat.startTime : undefined;
  }
}

/** Systems whose kernel we don't know how to ask. */
class BlindProbe implements Probe {
  readonly #libc: Libc;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  look({ panePid }: PaneProcess): PaneLook {
    return { ...deadLook(panePid), isAlive: exists(this.#libc, panePid), evidence: "unsupported" };
  }

  foregroundGroup(): undefined {
    return undefined;
  }

  groupAlive(group: number): boolean {
    return groupExists(this.#libc, group);
  }

  startTime(): undefined {
    return undefined;
  }
}

function groupOf(pane: ProcessStat): number {
  return pane.foregroundGroup > 0 ? pane.foregroundGroup : pane.group;
}

/** The kernel's name, completed from the command line where the kernel cut it at 15 bytes. */
function commandName({ comm }: ProcessStat, argv: readonly string[]): string {
  if (comm.length < 15) return comm;
  const names = argv.slice(0, 2).map((word) => word.slice(word.lastIndexOf("/") + 1));
  return names.find((name) => name.startsWith(comm)) ?? comm;
}

function deadLook(panePid: number): PaneLook {
  return {
    panePid,
    foregroundPid: panePid,
    foregroundCmd: "",
    foregroundGroup: panePid,
    isAlive: false,
    waitingForInput: false,
    inputKind: "none",
    evidence: `process ${panePid} is gone`,
  };
}

const EPERM = 1;

function exists(libc: Libc, pid: number): boolean {
  return libc.kill(pid, 0) === 0 || libc.errno() === EPERM;
}

function groupExists(libc: Libc, group: number): boolean {
  return group > 1 && exists(libc, -group);
}
