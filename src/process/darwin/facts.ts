// macOS: parses the results of sysctl and proc_pidinfo, and judges them; pure except for the class at the end.

import { inputKindOf, notWaiting, type Verdict } from "../classify.ts";
import type { Libc } from "../../ffi/libc.ts";
import type { ProcessImage } from "../shells.ts";
import { isTaken, type TerminalMode } from "../terminal.ts";

/** One `struct kinfo_proc`. */
export interface KinfoProc {
  readonly pid: number;
  readonly comm: string;
  /** SIDL 1, SRUN 2, SSLEEP 3, SSTOP 4, SZOMB 5; modern systems report SRUN for nearly all live processes. */
  readonly stat: number;
  readonly parent: number;
  readonly group: number;
  readonly foregroundGroup: number;
  /** Wait channel; only old systems fill it. */
  readonly waitMessage: string;
  readonly exitStatus: number;
  readonly startTime: string;
}

/** Counters of `struct proc_taskinfo` that change when a process does anything. */
export interface TaskInfo {
  readonly runningThreads: number;
  /** CPU time, system calls and context switches as one text; if it is equal, the process did nothing. */
  readonly progress: string;
}

export interface DarwinProcess extends KinfoProc {
  /** Absent for a process of another user. */
  readonly task?: TaskInfo;
  /** `progress` at the previous inspection. */
  readonly before?: string;
  /** True if it holds a socket, pipe or kqueue to wait for; absent for a process of another user. */
  readonly otherSources?: boolean;
}

export interface DarwinFacts {
  readonly terminal: string;
  readonly mode?: TerminalMode;
  readonly processes: readonly DarwinProcess[];
}

export const KINFO_PROC_SIZE = 648;
const STOPPED = 4;
export const ZOMBIE = 5;
const DECODER = new TextDecoder();

/** Parses an array of `struct kinfo_proc`, whose layout is the same on arm64 and x86-64. */
export function parseKinfoProcs(bytes: Uint8Array): KinfoProc[] {
  const found: KinfoProc[] = [];
  for (let at = 0; at + KINFO_PROC_SIZE <= bytes.length; at += KINFO_PROC_SIZE) {
    found.push(parseKinfoProc(bytes.subarray(at, at + KINFO_PROC_SIZE)));
  }
  return found;
}

function parseKinfoProc(bytes: Uint8Array): KinfoProc {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    pid: view.getInt32(40, true),
    comm: text(bytes.subarray(243, 243 + 17)),
    stat: view.getUint8(36),
    parent: view.getInt32(560, true),
    group: view.getInt32(564, true),
    foregroundGroup: view.getInt32(576, true),
    waitMessage: text(bytes.subarray(592, 600)),
    exitStatus: view.getUint16(280, true),
    startTime: `${view.getBigInt64(0, true)}.${`${view.getInt32(8, true)}`.padStart(6, "0")}`,
  };
}

/** Parses a `struct proc_taskinfo` (96 bytes). */
export function parseTaskInfo(bytes: Uint8Array): TaskInfo {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const time = view.getBigUint64(16, true) + view.getBigUint64(24, true);
  const [mach, unix, switches] = [72, 76, 80].map((at) => view.getInt32(at, true));
  return { runningThreads: view.getInt32(88, true), progress: `${time}/${mach}/${unix}/${switches}` };
}

/** True if an array of `struct proc_fdinfo` holds a socket, kqueue, pipe or file-event descriptor. */
export function hasOtherSources(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 4; at + 4 <= bytes.length; at += 8) {
    if ([2, 5, 6, 7].includes(view.getUint32(at, true))) return true;
  }
  return false;
}

/** Parses the result of `KERN_PROCARGS2`: a count, the executable's path, padding, then the arguments. */
export function parseProcArgs(bytes: Uint8Array): ProcessImage {
  const count = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getInt32(0, true);
  const words = DECODER.decode(bytes.subarray(4)).split("\0");
  const first = words.findIndex((word, index) => index > 0 && word !== "");
  return { executable: words[0] ?? "", argv: first < 0 ? [] : words.slice(first, first + count) };
}

/**
 * Judges a group. No call shows what a process sleeps in, so certainty is rare: the group sleeps, did nothing since
 * the previous inspection, and has nothing else to wait for. `sleep 100` looks the same as `cat` here.
 */
export function classifyDarwin({ terminal, mode, processes }: DarwinFacts): Verdict {
  const live = processes.filter(({ stat }) => stat !== STOPPED && stat !== ZOMBIE);
  if (mode === undefined) return notWaiting(`${terminal} can't be opened`);
  if (mode.pending > 0) return notWaiting(`${mode.pending} bytes unread on ${terminal}`);
  const reading = live.find(({ waitMessage }) => waitMessage.startsWith("ttyin"));
  if (reading) return waiting(mode, `${reading.comm} (${reading.pid}) sleeps on ttyin of ${terminal}`);
  const first = live[0];
  if (first === undefined) return notWaiting("no process in the foreground");
  const busy = live.find(isBusy);
  if (busy) return notWaiting(`${busy.comm} (${busy.pid}) is running`);
  const taken = isTaken(mode);
  const leaf = live.find(({ pid }) => !live.some(({ parent }) => parent === pid)) ?? first;
  if (!taken && leaf.otherSources !== false) return notWaiting(`${leaf.comm} (${leaf.pid}) asleep`);
  const what = taken ? (mode.canonical ? "canonical without echo" : "raw") : "canonical";
  return waiting(mode, `probably: ${terminal} is ${what}, ${leaf.comm} (${leaf.pid}) asleep and idle`);
}

function isBusy({ task, before }: DarwinProcess): boolean {
  if (task === undefined) return false;
  return task.runningThreads > 0 || (before !== undefined && before !== task.progress);
}

function waiting(mode: TerminalMode, evidence: string): Verdict {
  return { waitingForInput: true, inputKind: inputKindOf(mode), edited: mode.edited, evidence };
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return DECODER.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

const KERN_PROC = [1, 14] as const;
const KERN_PROC_PID = 1;
const KERN_PROC_PGRP = 2;
const KERN_PROCARGS2 = 49;
const PROC_PIDLISTFDS = 1;
const PROC_PIDTASKINFO = 4;
const TASKINFO_SIZE = 96;

export class DarwinKernel {
  readonly #libc: Libc;
  readonly #buffer = new Uint8Array(256 * 1024);

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  process(pid: number): KinfoProc | undefined {
    const bytes = this.#libc.sysctl([...KERN_PROC, KERN_PROC_PID, pid], this.#buffer);
    return bytes && parseKinfoProcs(bytes).find((each) => each.pid === pid);
  }

  group(group: number): KinfoProc[] {
    return parseKinfoProcs(
      this.#libc.sysctl([...KERN_PROC, KERN_PROC_PGRP, group], this.#buffer) ?? new Uint8Array(),
    );
  }

  image(pid: number): ProcessImage | undefined {
    const bytes = this.#libc.sysctl([1, KERN_PROCARGS2, pid], this.#buffer);
    return bytes && bytes.length > 4 ? parseProcArgs(bytes) : undefined;
  }

  task(pid: number): TaskInfo | undefined {
    const into = new Uint8Array(TASKINFO_SIZE);
    const filled = this.#libc.procPidInfo(pid, PROC_PIDTASKINFO, into);
    return filled === TASKINFO_SIZE ? parseTaskInfo(into) : undefined;
  }

  otherSources(pid: number): boolean | undefined {
    const filled = this.#libc.procPidInfo(pid, PROC_PIDLISTFDS, this.#buffer);
    return filled > 0 ? hasOtherSources(this.#buffer.subarray(0, filled)) : undefined;
  }
}
