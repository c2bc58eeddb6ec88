// Interface of the probes of all systems, and what they find out about a pane.
import type { InputKind, Work } from "./classify.ts";
import type { Ending } from "./ending.ts";
import type { Libc } from "../ffi/libc.ts";
import type { PortMonitor } from "./listening.ts";
import { leadsElsewhere } from "./relay_programs.ts";

/** A pane, as tmux knows it. */
export interface PaneProcess {
  /** `#{pane_pid}` */
  readonly panePid: number;
  /** `#{pane_tty}`. A dead pane's tty can be another's by now, so it is opened only while `panePid` is alive. */
  readonly tty: string;
}

/** State of a pane at one moment, as the kernel reports it. */
export interface PaneInspection {
  /** Pid of the pane's own process. */
  readonly panePid: number;
  /** Pid of the foreground group's leader, else of its oldest member, else of the pane's own process. */
  readonly foregroundPid: number;
  /** Name of that process. */
  readonly foregroundCmd: string;
  /** Process group of that process. */
  readonly foregroundGroup: number;
  /** True if the pane's own process is alive. */
  readonly isAlive: boolean;
  /** True if the foreground waits for the terminal. */
  readonly waitingForInput: boolean;
  /** Kind of input that it waits for. */
  readonly inputKind: InputKind;
  /** True if the waiting program has set the terminal as line editors do; absent if none waits or that is unknown. */
  readonly edited?: boolean;
  /** True if its terminal passes on whole lines (ICANON), also while no program reads; absent if that can't be read. */
  readonly canonical?: boolean;
  /** True if its terminal would pass on a line exactly as typed; absent if that can't be read. */
  readonly takesLines?: boolean;
  /** Dialect, if the foreground is an interactive shell. */
  readonly shell?: string;
  /** Set while that shell's terminal is read: true if the shell waits there for a command, false if anything asks. */
  readonly isPrompt?: boolean;
  /** Pid of that shell, if the foreground passes the terminal on to it (`sudo -s`). */
  readonly innerShellPid?: number;
  /** The read that the shell sleeps in; absent if that is hidden, and on this machine, where it is read only if needed. */
  readonly sleep?: ReadSleep | "awake";
  /** True if that shell holds back the signals of its children; absent on this machine too. */
  readonly blocksChildren?: boolean;
  /** Set if it may wait although nothing shows it; see `Verdict.mayWait`. */
  readonly mayWait?: "sleep" | "mode";
  /** True if it passes the terminal on to a client of a container or machine, which can't be seen to take keys. */
  readonly mayLead?: boolean;
  /** The facts of the kernel on which this is based. */
  readonly evidence: string;
  /** Thread that sleeps in a read of the terminal, if it is known and not the first of its process. */
  readonly readingThread?: number;
  /** Other work of the reading program, and the CPU time of all foreground processes so far (ms). */
  readonly beside?: { readonly what: Work; readonly ranMs: number };
}

/** One wait of a program, in a form that identifies it. */
export interface ReadSleep {
  /** Bytes requested by the read(2) that it sleeps in; absent in any other call. */
  readonly wantedBytes?: number;
  /** Descriptor that it reads. */
  readonly fd?: number;
  /** True if it reads into its stack. */
  readonly isOnStack?: boolean;
  /** Bytes of its stack in use; absent if the kernel hides where the stack begins. */
  readonly depth?: number;
  /** Identifies the program's file: its inode, or on another machine its path and the size of its code. */
  readonly program: string;
}

/** Depths of a program's stack in two waits of the same line editor. */
export interface WaitDepths {
  readonly prompt: number;
  /** Depth in a `read` that stands alone; in any other `read` it is larger. */
  readonly question: number;
}

/** An inspection as callers receive it; the other fields are for finding out what the program waits for. */
export type ReportedInspection = Pick<
  PaneInspection,
  | "panePid"
  | "foregroundPid"
  | "foregroundCmd"
  | "isAlive"
  | "waitingForInput"
  | "inputKind"
  | "shell"
  | "evidence"
>;

/** Returns the facts of an inspection that callers see. */
export function toReport(inspection: PaneInspection): ReportedInspection {
  const { panePid, foregroundPid, foregroundCmd, isAlive, waitingForInput, inputKind, shell, evidence } =
    inspection;
  return {
    panePid,
    foregroundPid,
    foregroundCmd,
    isAlive,
    waitingForInput,
    inputKind,
    ...(shell !== undefined && { shell }),
    evidence,
  };
}

/** CPU time of a process at its last check. */
export interface CpuTime {
  readonly pid: number;
  /** Milliseconds; NaN, which equals nothing, if it can't be counted. */
  ran: number;
}

/** Probe of one pane; it holds descriptors until closed. */
export interface PaneProbe {
  /** `now` is a time of `performance.now()`, for callers that already have it. */
  inspect(now?: number): PaneInspection;
  /** Processes of which one must run before an inspection can find anything new; undefined if they are unknown. */
  awaited?(): readonly CpuTime[] | undefined;
  close(): void;
}

/** Watches one process; holds a descriptor until closed. */
export interface ExitWatch {
  /** Readable once the process has ended; absent if only `poll` reports the end. */
  readonly fd?: number;
  /** Undefined while the process is alive; then how it ended, `{}` if that is unknown. */
  poll(): Ending | undefined;
  close(): void;
}

/** Process that a signal has stopped. */
export interface StoppedJob {
  readonly pid: number;
  /** Its process group. */
  readonly group: number;
}

/** Queries the kernel; every call returns at once. */
export interface Probe {
  /** Updates the probe's facts, if that requires asking another machine. */
  refresh?(): Promise<void>;
  inspect(pane: PaneProcess): PaneInspection;
  /** Opens a probe for a pane that is inspected repeatedly: the same facts, cheaper while nothing happens. */
  openPaneProbe?(pane: PaneProcess): PaneProbe;
  /** Foreground group of the terminal, as seen by the pane's own process; undefined if that is gone. */
  foregroundGroup(panePid: number): number | undefined;
  /** True if any process of a group is left, even a zombie. */
  groupAlive(group: number): boolean;
  /** Start time of a process, which identifies it together with the pid; undefined if it is gone. */
  startTime(pid: number): string | undefined;
  /** Starts to watch for a process's end; the watch has to be closed. */
  watchExit(pid: number): ExitWatch;
  /** Follows the ports that a pane's programs listen on; absent if that is not possible. */
  ports?(pane: PaneProcess): PortMonitor;
  /** Children of a shell that a signal has stopped, oldest first; absent if that is not possible. */
  stoppedJobs?(shellPid: number): StoppedJob[];
  /** Dialect of an interactive shell, whatever is in front of it; undefined for other programs. */
  shellName?(pid: number): string | undefined;
}

/** Opens a probe for a pane that is inspected repeatedly, on any system. */
export function openPaneProbe(probe: Probe, pane: PaneProcess): PaneProbe {
  return probe.openPaneProbe?.(pane) ?? { inspect: () => probe.inspect(pane), close() {} };
}

/** Words for what a program waits for. */
export const INPUT_KINDS = {
  none: "nothing",
  line: "a line of input",
  password: "a password",
  raw: "a keypress",
};

/**
 * Part of the evidence that names the reader: `read(0) on /dev/pts/4 by less (4711)` if that is not the program in
 * front, `probably: less (4711) asleep in`. The name may itself have a number (`install (1).sh`).
 */
const READER = /(?: by |^probably: )(?<name>.+?) \((?<pid>\d+)\)(?=$|, | behind | asleep in )/;

/** Returns the program that reads the terminal, if one waits for input. */
export function readerOf(
  { evidence, foregroundPid, foregroundCmd }: Pick<
    PaneInspection,
    "evidence" | "foregroundPid" | "foregroundCmd"
  >,
): { pid: number; name: string } {
  const { name = "", pid = foregroundPid } = READER.exec(evidence)?.groups ?? {};
  return Number(pid) === foregroundPid
    ? { pid: foregroundPid, name: foregroundCmd }
    : { pid: Number(pid), name };
}

/** Returns a sentence such as `python3 is waiting for a line of input`. */
export function describeWaiting(inspection: PaneInspection): string {
  const { foregroundCmd, inputKind, isPrompt } = inspection;
  if (isPrompt) return `${foregroundCmd} is at its prompt`;
  return `${readerOf(inspection).name} is waiting for ${INPUT_KINDS[inputKind]}`;
}

/** Program that takes keys itself, and passes whole lines on. */
const LINE_EDITOR = "rlwrap";

/** True if the program's prompt shows some 40 ms after it waits, because a line editor in front of it draws it. */
export function showsPromptLate(inspection: PaneInspection): boolean {
  return readerOf(inspection).name === LINE_EDITOR;
}

/** Returns the inspection of a pane whose program passes the terminal on, combined with the one behind it. */
export function inspectionBehind(
  outer: PaneInspection,
  relay: string,
  inner: PaneInspection,
): PaneInspection {
  // A script may ask itself before it passes keys on, for which expect sets its terminal raw (socat need not).
  if (relay === "expect" && outer.inputKind !== "raw") return outer;
  if (relay === LINE_EDITOR && inner.inputKind !== "password") return inspectionOfEditor(outer, inner);
  const combine = inner.mayWait === "mode" ? inspectionOfHidden : inspectionOfRelay;
  return combine(outer, relay, inner);
}

/** The editor takes keys at all times, but a program that is seen behind it takes a line only while it waits. */
function inspectionOfEditor(outer: PaneInspection, inner: PaneInspection): PaneInspection {
  const { waitingForInput, isAlive, mayWait, evidence, beside } = inner;
  if (waitingForInput || mayWait || !isAlive) return { ...outer, ...(beside && { beside }) };
  return { ...runningBehind(outer), evidence: `${evidence} behind ${LINE_EDITOR}` };
}

/** Behind sudo, the terminal is another user's: the one in front shows at least that a shell may take keys. */
function inspectionOfHidden(outer: PaneInspection, relay: string, inner: PaneInspection): PaneInspection {
  const { shell, foregroundPid, foregroundCmd } = inner;
  if (shell !== undefined) return { ...outer, shell, innerShellPid: foregroundPid, isPrompt: true };
  return { ...inspectionOfRelay(outer, relay, inner), mayLead: leadsElsewhere(foregroundCmd) };
}

function inspectionOfRelay(
  { beside: _, sleep: __, blocksChildren: ___, ...outer }: PaneInspection,
  relay: string,
  inner: PaneInspection,
): PaneInspection {
  const { waitingForInput, inputKind, edited, canonical, takesLines, evidence, shell, isPrompt } = inner;
  const { beside, sleep, blocksChildren } = inner;
  return {
    ...outer,
    waitingForInput,
    inputKind,
    evidence: `${evidence} behind ${relay}`,
    ...(edited !== undefined && { edited }),
    ...(canonical !== undefined && { canonical }),
    ...(takesLines !== undefined && { takesLines }),
    ...(shell && { shell, innerShellPid: inner.innerShellPid ?? inner.foregroundPid }),
    ...(isPrompt !== undefined && { isPrompt }),
    ...(sleep && { sleep }),
    ...(blocksChildren !== undefined && { blocksChildren }),
    ...(beside && { beside }),
  };
}

/** Returns the inspection of a program whose output has not passed through its relay yet: it waits for nothing. */
export function runningBehind(
  { edited: _, takesLines: __, isPrompt: ___, sleep: ____, mayWait: _____, ...inner }: PaneInspection,
): PaneInspection {
  return { ...inner, waitingForInput: false, inputKind: "none", evidence: "output on its way" };
}

/** Returns the inspection of a pane whose process has ended; tmux 3.8 forgets its pid. */
export function goneInspection(panePid: number): PaneInspection {
  return {
    panePid,
    foregroundPid: panePid,
    foregroundCmd: "",
    foregroundGroup: panePid,
    isAlive: false,
    waitingForInput: false,
    inputKind: "none",
    evidence: panePid === 0 ? "the pane is dead" : `process ${panePid} is gone`,
  };
}

const EPERM = 1;

/** True if the process exists, whichever user it belongs to, even as a zombie. */
export function exists(libc: Libc, pid: number): boolean {
  return libc.kill(pid, 0) === 0 || libc.errno() === EPERM;
}

export function groupExists(libc: Libc, group: number): boolean {
  return group > 1 && exists(libc, -group);
}
