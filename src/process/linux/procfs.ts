// Linux's /proc, read through libc (Deno keeps it behind --allow-all) and parsed.

import { AppError, isNoDescriptor, noDescriptor } from "../../errors.ts";
import type { Libc } from "../../ffi/libc.ts";
import { deviceNumber } from "./device_numbers.ts";
import { findSyscallTable, type SyscallTable } from "./syscalls.ts";

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

/**
 * Parses `/proc/PID/stat`; the name may hold spaces and parentheses.
 * @throws {AppError} `internal`
 */
export function parseStat(text: string): ProcessStat {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).trimEnd().split(" ");
  if (open < 0 || close < 0 || fields.length < 20) {
    throw new AppError("internal", `Cannot parse process stat "${text.slice(0, 80)}"`);
  }
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

/** True if the first thread is a zombie while others are alive. */
function outlivesFirstThread({ state, threads }: ProcessStat): boolean {
  return state === "Z" && threads > 1;
}

/** Parses `/proc/PID/syscall`; undefined while the thread runs or is in no call. */
export function parseBlockedCall(text: string): BlockedCall | undefined {
  const fields = text.trimEnd().split(" ");
  const number = Number(fields[0]);
  if (!Number.isInteger(number) || number < 0 || fields.length < 8) return undefined;
  return { number, args: fields.slice(1, 7).map(BigInt), stack: BigInt(fields[7]!) };
}

/** Parses the names in a block of `struct linux_dirent64`. */
export function parseDirectory(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const names: string[] = [];
  for (let at = 0; at + 19 < bytes.length;) {
    const size = view.getUint16(at + 16, true);
    if (size === 0) break;
    const end = bytes.indexOf(0, at + 19);
    names.push(DECODER.decode(bytes.subarray(at + 19, end)));
    at += size;
  }
  return names;
}

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();
const PAGE = 4096;
const PF_FORKNOEXEC = 0x40;
const SIGCHLD_BIT = 1 << 16;
/** `USER_HZ` is 100 on every Linux. */
export const TICK_MS = 10;
const AT_FDCWD = -100;
const STATX_INO = 0x100;

/**
 * Reader of `/proc`. Everything returns undefined (or nothing) for a process that is gone or hidden from us, and
 * throws `busy` if no descriptor is left to read with: that says nothing about the process.
 */
export class ProcFs {
  readonly #libc: Libc;
  readonly #buffer = new Uint8Array(65536);
  readonly calls: SyscallTable | undefined;
  /** False for kernels built without CONFIG_PROC_CHILDREN, which have no list of children. */
  readonly listsChildren: boolean;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.listsChildren = this.text("thread-self/children") !== undefined;
    this.calls = findSyscallTable(libc.platform.arch);
  }

  /** @throws {AppError} `busy` */
  #open(path: string): number {
    const fd = this.#libc.open(`/proc/${path}`);
    if (fd < 0 && isNoDescriptor(this.#libc.errno())) throw noDescriptor("Cannot inspect processes");
    return fd;
  }

  /** Returns the bytes of a small file, valid until the next read; the kernel delivers a longer one page by page. */
  #read(path: string): Uint8Array | undefined {
    const fd = this.#open(path);
    if (fd < 0) return undefined;
    let length = this.#libc.read(fd, this.#buffer);
    for (let got = length; got > PAGE / 2;) {
      got = this.#libc.read(fd, this.#buffer.subarray(length));
      length += Math.max(got, 0);
    }
    this.#libc.close(fd);
    return length < 0 ? undefined : this.#buffer.subarray(0, length);
  }

  text(path: string): string | undefined {
    const bytes = this.#read(path);
    return bytes && DECODER.decode(bytes);
  }

  /** Id of this boot and this process's pid namespace: only processes that share both see the same processes. */
  world(): { boot: string; namespace: string } | undefined {
    const boot = this.text("sys/kernel/random/boot_id")?.trim();
    const namespace = this.#libc.readLink(`/proc/self/ns/pid`);
    return boot && namespace ? { boot, namespace } : undefined;
  }

  stat(pid: number): ProcessStat | undefined {
    const text = this.text(`${pid}/stat`);
    const stat = text ? parseStat(text) : undefined;
    return stat && outlivesFirstThread(stat) ? this.#statOfOther(stat) : stat;
  }

  #statOfOther(stat: ProcessStat): ProcessStat {
    for (const thread of this.threads(stat.pid)) {
      const text = thread === stat.pid ? undefined : this.text(`${stat.pid}/task/${thread}/stat`);
      const other = text ? parseStat(text) : undefined;
      if (other && !/[ZX]/.test(other.state)) return { ...stat, thread, state: other.state };
    }
    return stat;
  }

  argv(pid: number): string[] {
    const text = this.text(`${pid}/cmdline`) ?? "";
    return text.replace(/\0$/, "").split("\0").filter((word, index) => index > 0 || word !== "");
  }

  executable(pid: number): string | undefined {
    return this.#libc.readLink(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, "");
  }

  threads(pid: number): number[] {
    return this.#numbers(`${pid}/task`);
  }

  processes(): number[] {
    return this.#numbers("");
  }

  descriptors(pid: number): number[] {
    return this.#numbers(`${pid}/fd`);
  }

  /** Direct children, of all threads (a child belongs to the thread that created it). */
  children(stat: ProcessStat): number[] {
    const threads = stat.threads > 1 ? this.threads(stat.pid) : [stat.pid];
    return threads.flatMap((thread) =>
      (this.text(`${stat.pid}/task/${thread}/children`) ?? "").split(" ").filter((word) => word !== "").map(
        Number,
      )
    );
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

  /** Reads a piece of a process's memory, which requires the right to trace it. */
  memory(pid: number, address: bigint, length: number): Uint8Array | undefined {
    const fd = this.#open(`${pid}/mem`);
    if (fd < 0) return undefined;
    const bytes = new Uint8Array(length);
    const got = this.#libc.readAt(fd, bytes, address);
    this.#libc.close(fd);
    return got < 0 ? undefined : bytes.subarray(0, got);
  }

  /** Returns the network namespace of a process, such as `net:[4026531840]`. */
  networkNamespace(pid: number | "self"): string | undefined {
    return this.#libc.readLink(`/proc/${pid}/ns/net`);
  }

  descriptorInfo(pid: number, fd: number): string | undefined {
    return this.text(`${pid}/fdinfo/${fd}`);
  }

  descriptorLink(pid: number, fd: number): string | undefined {
    return this.#libc.readLink(`/proc/${pid}/fd/${fd}`);
  }

  descriptorIdentity(pid: number, fd: number): FileIdentity | undefined {
    return this.identity(`/proc/${pid}/fd/${fd}`);
  }

  /** Returns the identity of the file at a path, following links, without opening it. */
  identity(path: string): FileIdentity | undefined {
    const number = this.calls?.numberOf("statx");
    if (number === undefined) return undefined;
    const into = new Uint8Array(256);
    const name = ENCODER.encode(`${path}\0`);
    if (this.#libc.syscall(number, [AT_FDCWD, name, 0, STATX_INO, into]) !== 0) return undefined;
    const view = new DataView(into.buffer);
    const inode = `${view.getUint32(136, true)}:${view.getUint32(140, true)}:${view.getBigUint64(32, true)}`;
    return { inode, device: deviceNumber(view.getUint32(128, true), view.getUint32(132, true)) };
  }

  #numbers(path: string): number[] {
    const call = this.calls?.numberOf("getdents64");
    const fd = call === undefined ? -1 : this.#open(path);
    if (fd < 0 || call === undefined) return [];
    const found: number[] = [];
    for (;;) {
      const length = this.#libc.syscall(call, [fd, this.#buffer, this.#buffer.length]);
      if (length <= 0) break;
      for (const name of parseDirectory(this.#buffer.subarray(0, length))) {
        if (/^\d+$/.test(name)) found.push(Number(name));
      }
    }
    this.#libc.close(fd);
    return found;
  }
}
