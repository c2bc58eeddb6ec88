// Facts about processes in Linux's /proc, on this machine or another, parsed.

import type { PaneProcess } from "../probe.ts";
import type { TerminalMode } from "../terminal.ts";
import type { SyscallTable } from "./syscalls.ts";

/** Fields of `/proc/PID/stat` that are needed here. */
export interface ProcessStat {
  readonly pid: number;
  /** Name: at most 15 bytes; the process can change it. */
  readonly comm: string;
  /** One letter: R running, S asleep, D disk, T stopped, t traced, Z zombie, X dead. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Device number of the controlling terminal, 0 without one. */
  readonly terminal: number;
  /** The terminal's foreground group, -1 without a terminal. */
  readonly foregroundGroup: number;
  readonly threads: number;
  /** True for a copy of its parent that has never become a program of its own: a shell's `( … )`. */
  readonly forked: boolean;
  /** Thread through which its descriptors and memory are read: the first, or a live one if that has ended. */
  readonly thread: number;
  /** CPU time of the process and its ended children (ms). */
  readonly ranMs: number;
  /** Clock ticks since boot; together with the pid it identifies a process. */
  readonly startTime: string;
  /** Start address of its stack, which changes with each exec; 0 if the kernel hides it. */
  readonly stack: string;
  /** Length of its program's code; 0 if the kernel hides it. */
  readonly codeBytes: number;
  /** Wait status; also 0 if the kernel hides it. */
  readonly exitStatus: number;
  /** True if its first thread holds back the signals of its children, as zsh does while it runs a command. */
  readonly blocksChildren: boolean;
  /** True for a sleeping process whose kernel state was readable, which requires the right to trace it. */
  readonly traceable: boolean;
}

/** System call that a thread is in, with its arguments as the kernel printed them. */
export interface BlockedCall {
  readonly number: number;
  readonly args: readonly bigint[];
  /** Address at which its stack ends. */
  readonly stack: bigint;
}

/** Identity of an open file, whichever path it was opened by. */
export interface FileIdentity {
  readonly inode: string;
  readonly device: number;
}

/** `USER_HZ` is 100 on every Linux. */
export const TICK_MS = 10;
const PF_FORKNOEXEC = 0x40;
const SIGCHLD_BIT = 1 << 16;

/** Parses `/proc/PID/stat`; the name may hold spaces and parentheses. Undefined if this is no such line. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).trimEnd().split(" ");
  if (open < 0 || close < 0 || fields.length < 20) return undefined;
  const at = (index: number): number => Number(fields[index]);
  const pid = Number.parseInt(text, 10);
  return {
    pid,
    thread: pid,
    comm: text.slice(open + 1, close),
    state: fields[0] ?? "",
    parent: at(1),
    group: at(2),
    session: at(3),
    terminal: at(4) >>> 0,
    foregroundGroup: at(5),
    forked: (at(6) & PF_FORKNOEXEC) !== 0,
    threads: at(17),
    ranMs: (at(11) + at(12) + at(13) + at(14)) * TICK_MS,
    startTime: fields[19] ?? "",
    stack: fields[25] ?? "0",
    codeBytes: at(24) - at(23),
    exitStatus: Number(fields[49] ?? 0),
    blocksChildren: (at(29) & SIGCHLD_BIT) !== 0,
    traceable: fields[32] === "1",
  };
}

/** Parses `/proc/PID/syscall`; undefined while the thread runs or is in no call. */
export function parseBlockedCall(text: string): BlockedCall | undefined {
  const fields = text.trimEnd().split(" ");
  const number = Number(fields[0]);
  if (!Number.isInteger(number) || number < 0 || fields.length < 8) return undefined;
  return { number, args: fields.slice(1, 7).map(BigInt), stack: BigInt(fields[7]!) };
}

/**
 * Facts about processes. Everything returns undefined (or nothing) for a process that is gone or hidden from us. Paths
 * are those below `/proc`, but for `identity`.
 */
export abstract class Proc {
  /** Undefined if the machine's system calls are unknown. */
  abstract readonly calls: SyscallTable | undefined;
  abstract stat(pid: number): ProcessStat | undefined;
  /** Direct children, of all threads (a child belongs to the thread that created it). */
  abstract children(stat: ProcessStat): number[];
  abstract text(path: string): string | undefined;
  abstract link(path: string): string | undefined;
  /** Returns the names in a folder that are numbers. */
  abstract numbers(path: string): number[];
  /** Reads a piece of a process's memory, which requires the right to trace it. */
  abstract memory(pid: number, address: bigint, length: number): Uint8Array | undefined;
  /** Returns the identity of the file at a path, following links, without opening it. */
  abstract identity(path: string): FileIdentity | undefined;
  /** Returns which of a process's sockets accept connections. */
  abstract listening(pid: number, inodes: readonly string[]): ReadonlySet<string>;
  abstract terminalMode(pane: PaneProcess): TerminalMode | undefined;

  /** Returns what is known of a pane's own process. */
  paneStat(pid: number): ProcessStat | undefined {
    return this.stat(pid);
  }

  argv(pid: number): string[] {
    const text = this.text(`${pid}/cmdline`) ?? "";
    return text.replace(/\0$/, "").split("\0").filter((word, index) => index > 0 || word !== "");
  }

  executable(pid: number): string | undefined {
    return this.link(`${pid}/exe`)?.replace(/ \(deleted\)$/, "");
  }

  threads(pid: number): number[] {
    return this.numbers(`${pid}/task`);
  }

  descriptors(pid: number): number[] {
    return this.numbers(`${pid}/fd`);
  }

  /** Returns the call that a thread is blocked in; `hidden` if the kernel refuses, undefined if it is in no call. */
  blockedCall(pid: number, thread: number): BlockedCall | "hidden" | undefined {
    const text = this.text(`${pid}/task/${thread}/syscall`);
    return text === undefined || text === "" ? "hidden" : parseBlockedCall(text);
  }

  /** Returns the kernel function that a thread sleeps in; undefined if that is hidden (`0`). */
  sleepsIn(pid: number, thread: number): string | undefined {
    const name = this.text(`${pid}/task/${thread}/wchan`)?.trim();
    return name === undefined || name === "" || name === "0" ? undefined : name;
  }

  descriptorInfo(pid: number, fd: number): string | undefined {
    return this.text(`${pid}/fdinfo/${fd}`);
  }

  descriptorLink(pid: number, fd: number): string | undefined {
    return this.link(`${pid}/fd/${fd}`);
  }

  descriptorIdentity(pid: number, fd: number): FileIdentity | undefined {
    return this.identity(`/proc/${pid}/fd/${fd}`);
  }
}
