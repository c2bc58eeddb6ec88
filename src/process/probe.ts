// Interface of a probe on every system, and its findings about a pane.

import type { InputKind, Work } from "./classify.ts";
import type { Ending } from "./ending.ts";
import type { Libc } from "../ffi/libc.ts";
import type { PortMonitor } from "./listening.ts";

/** A pane as tmux knows it. */
export interface PaneProcess {
  /** `#{pane_pid}` */
  readonly panePid: number;
  /** `#{pane_tty}`; a dead pane's can belong to another by now, so it is opened only while `panePid` lives. */
  readonly tty: string;
}

/** State of a pane at one moment, as the kernel has it. */
export interface PaneInspection {
  /** The pane's own process. */
  readonly panePid: number;
  /** The foreground group's leader, else its oldest member, else the pane's own process. */
  readonly foregroundPid: number;
  /** Its name. */
  readonly foregroundCmd: string;
  /** Its process group. */
  readonly foregroundGroup: number;
  /** The pane's own process lives. */
  readonly isAlive: boolean;
  /** True if the foreground waits for the terminal. */
  readonly waitingForInput: boolean;
  /** Kind of input it waits for. */
  readonly inputKind: InputKind;
  /** The program that waits has set the terminal as line editors do; absent where none waits, or that can't be read. */
  readonly edited?: boolean;
  /** Its terminal would hand over a line as it is typed, whatever is in it; absent where that can't be read. */
  readonly takesLines?: boolean;
  /** The dialect, when the foreground is an interactive shell. */
  readonly shell?: string;
  /** That shell, where the foreground passes the terminal on to it (`sudo -s`). */
  readonly innerShellPid?: number;
  /** The facts of the kernel that this rests on. */
  readonly evidence: string;
  /** Other work of the reading program, and the CPU time of all foreground processes so far (ms). */
  readonly beside?: { readonly what: Work; readonly ranMs: number };
}

/** An inspection as callers receive it; the other fields serve those who find out what it waits for. */
export type ReportedInspection = Omit<
  PaneInspection,
  "foregroundGroup" | "beside" | "edited" | "takesLines" | "innerShellPid"
>;

/** The facts of an inspection that callers see. */
export function toReport(inspection: PaneInspection): ReportedInspection {
  const { foregroundGroup: _, beside: __, edited: ___, takesLines: ____, innerShellPid: _____, ...facts } =
    inspection;
  return facts;
}

/** CPU time of a process when it was asked last. */
export interface CpuTime {
  readonly pid: number;
  /** Milliseconds; NaN where it can't be counted, which equals nothing. */
  ran: number;
}

/** Holds descriptors until closed. */
export interface PaneProbe {
  /** `now` is the time by `performance.now()`, for callers that have it. */
  inspect(now?: number): PaneInspection;
  /** Processes of which one must run before an inspection can find anything new; undefined where they are unknown. */
  awaited?(): readonly CpuTime[] | undefined;
  close(): void;
}

/** Watches one process; holds a descriptor until closed. */
export interface ExitWatch {
  /** Can be read once the process has ended; absent where only `poll` reports the end. */
  readonly fd?: number;
  /** Undefined while it lives; then how it ended, `{}` when that can't be known. */
  poll(): Ending | undefined;
  close(): void;
}

/** Asks the kernel; every call returns at once. */
export interface Probe {
  /** Updates its facts, where that takes asking another machine. */
  refresh?(): Promise<void>;
  inspect(pane: PaneProcess): PaneInspection;
  /** For a pane that is inspected repeatedly: the same facts, cheaper while nothing happens. */
  openPaneProbe(pane: PaneProcess): PaneProbe;
  /** The terminal's foreground group as seen by the pane's own process; undefined when that is gone. */
  foregroundGroup(panePid: number): number | undefined;
  /** True if any process of a group is left, even a zombie. */
  groupAlive(group: number): boolean;
  /** Start time of a process, which with the pid identifies it; undefined when it is gone. */
  startTime(pid: number): string | undefined;
  /** Identity of its program, which changes with each exec; undefined where it is unknown. */
  image(pid: number): string | undefined;
  /** Number of voluntary sleeps of its main thread; undefined where the system does not count them. */
  sleeps(pid: number): number | undefined;
  /** Begins to watch for a process's end; close it. */
  watchExit(pid: number): ExitWatch;
  /** Follows the ports that a pane's programs listen on; absent where that is unknown. */
  ports?(pane: PaneProcess): PortMonitor;
  /** The children of a shell that a signal has stopped, the oldest first; absent where that is unknown. */
  stoppedJobs?(shellPid: number): number[];
}

/** Describes in words what a program waits for. */
export const INPUT_KINDS = {
  none: "nothing",
  line: "a line of input",
  password: "a password",
  raw: "a keypress",
};
/** Shells without a line editor; the others wait for a command in raw mode, and for what `read` wants in lines. */
const PLAIN_SHELLS = new Set(["sh", "dash", "ash", "posh", "yash"]);

/** The evidence names a reader that is not the program in front: `read(0) on /dev/pts/4 by less (4711)`. */
const READER = / by (?<name>.+) \((?<pid>\d+)\)/;

/** The program that reads the terminal, where one waits for input. */
export function readerOf(
  { evidence, foregroundPid, foregroundCmd }: Pick<
    PaneInspection,
    "evidence" | "foregroundPid" | "foregroundCmd"
  >,
): { pid: number; name: string } {
  const { name = foregroundCmd, pid = foregroundPid } = READER.exec(evidence)?.groups ?? {};
  return { pid: Number(pid), name };
}

/** `python3 is waiting for a line of input`. */
export function describeWaiting(inspection: ReportedInspection): string {
  const { foregroundCmd, inputKind, shell } = inspection;
  const isPrompt = shell !== undefined && (inputKind === "raw" || PLAIN_SHELLS.has(shell));
  if (isPrompt) return `${foregroundCmd} is at its prompt`;
  return `${readerOf(inspection).name} is waiting for ${INPUT_KINDS[inputKind]}`;
}

/** Inspection of a pane whose program passes the terminal on, with what was seen behind it. */
export function inspectionBehind(
  { beside: _, ...outer }: PaneInspection,
  relay: string,
  inner: PaneInspection,
): PaneInspection {
  const { waitingForInput, inputKind, edited, takesLines, evidence, shell, beside } = inner;
  return {
    ...outer,
    waitingForInput,
    inputKind,
    evidence: `${evidence} behind ${relay}`,
    ...(edited !== undefined && { edited }),
    ...(takesLines !== undefined && { takesLines }),
    ...(shell && { shell, innerShellPid: inner.innerShellPid ?? inner.foregroundPid }),
    ...(beside && { beside }),
  };
}

/** Inspection of a pane whose process has ended. */
export function goneInspection(panePid: number): PaneInspection {
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

/** True if the process is there, of whichever user; a zombie is. */
export function exists(libc: Libc, pid: number): boolean {
  return libc.kill(pid, 0) === 0 || libc.errno() === EPERM;
}

/** True if any process of the group is there. */
export function groupExists(libc: Libc, group: number): boolean {
  return group > 1 && exists(libc, -group);
}
