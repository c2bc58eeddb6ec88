// Linux's /proc on this machine, read through libc (Deno keeps it behind --allow-all).

import { isNoDescriptor, noDescriptor } from "../../errors.ts";
import { cString } from "../../ffi/c_string.ts";
import type { Libc } from "../../ffi/libc.ts";
import { exists, type PaneProcess } from "../probe.ts";
import { readTerminalMode, type TerminalMode } from "../terminal.ts";
import { deviceNumber } from "./device_numbers.ts";
import { type FileIdentity, parseStat, Proc, type ProcessStat } from "./proc.ts";
import { listeningInodes } from "./socket_table.ts";
import { findSyscallTable, type SyscallTable } from "./syscalls.ts";

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
const PAGE = 4096;
const AT_FDCWD = -100;
const STATX_INO = 0x100;

/** Reader of `/proc`. It throws `busy` if no descriptor is left to read with: that says nothing about the process. */
export class ProcFs extends Proc {
  readonly #libc: Libc;
  #buffer = new Uint8Array(65536);
  readonly calls: SyscallTable | undefined;
  /** False for kernels built without CONFIG_PROC_CHILDREN, which have no list of children. */
  readonly listsChildren: boolean;

  constructor(libc: Libc) {
    super();
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

  /** Returns the bytes of a file, valid until the next read; the kernel delivers a longer one page by page. */
  #read(path: string): Uint8Array | undefined {
    const fd = this.#open(path);
    if (fd < 0) return undefined;
    let length = this.#libc.read(fd, this.#buffer);
    for (let got = length; got > PAGE / 2;) {
      // A desktop has thousands of local sockets, at some 90 bytes each.
      if (length > this.#buffer.length - PAGE) this.#doubleBuffer();
      got = this.#libc.read(fd, this.#buffer.subarray(length));
      length += Math.max(got, 0);
    }
    this.#libc.close(fd);
    return length < 0 ? undefined : this.#buffer.subarray(0, length);
  }

  #doubleBuffer(): void {
    const longer = new Uint8Array(2 * this.#buffer.length);
    longer.set(this.#buffer);
    this.#buffer = longer;
  }

  text(path: string): string | undefined {
    const bytes = this.#read(path);
    return bytes && DECODER.decode(bytes);
  }

  link(path: string): string | undefined {
    return this.#libc.readLink(`/proc/${path}`);
  }

  /** Id of this boot and this process's pid namespace: only processes that share both see the same processes. */
  world(): { boot: string; namespace: string } | undefined {
    const boot = this.text("sys/kernel/random/boot_id")?.trim();
    const namespace = this.link("self/ns/pid");
    return boot && namespace ? { boot, namespace } : undefined;
  }

  stat(pid: number): ProcessStat | undefined {
    const text = this.text(`${pid}/stat`);
    const stat = text ? parseStat(text) : undefined;
    return stat && outlivesFirstThread(stat) ? this.#statOfOther(stat) : stat;
  }

  /** With hidepid another user's process is not in /proc, but takes signals. */
  override paneStat(pid: number): ProcessStat | undefined {
    return this.stat(pid) ?? (pid > 1 && exists(this.#libc, pid) ? hidden(pid) : undefined);
  }

  #statOfOther(stat: ProcessStat): ProcessStat {
    for (const thread of this.threads(stat.pid)) {
      const text = thread === stat.pid ? undefined : this.text(`${stat.pid}/task/${thread}/stat`);
      const other = text ? parseStat(text) : undefined;
      if (other && !/[ZX]/.test(other.state)) return { ...stat, thread, state: other.state };
    }
    return stat;
  }

  processes(): number[] {
    return this.numbers("");
  }

  children(stat: ProcessStat): number[] {
    const threads = stat.threads > 1 ? this.threads(stat.pid) : [stat.pid];
    return threads.flatMap((thread) => {
      const words = (this.text(`${stat.pid}/task/${thread}/children`) ?? "").split(" ");
      return words.filter((word) => word !== "").map(Number);
    });
  }

  memory(pid: number, address: bigint, length: number): Uint8Array | undefined {
    const fd = this.#open(`${pid}/mem`);
    if (fd < 0) return undefined;
    const bytes = new Uint8Array(length);
    const got = this.#libc.readAt(fd, bytes, address);
    this.#libc.close(fd);
    return got < 0 ? undefined : bytes.subarray(0, got);
  }

  identity(path: string): FileIdentity | undefined {
    const number = this.calls?.numberOf("statx");
    if (number === undefined) return undefined;
    const into = new Uint8Array(256);
    if (this.#libc.syscall(number, [AT_FDCWD, cString(path), 0, STATX_INO, into]) !== 0) return undefined;
    const view = new DataView(into.buffer);
    const inode = `${view.getUint32(136, true)}:${view.getUint32(140, true)}:${view.getBigUint64(32, true)}`;
    return { inode, device: deviceNumber(view.getUint32(128, true), view.getUint32(132, true)) };
  }

  listening(pid: number): ReadonlySet<string> {
    return listeningInodes((table) => this.text(`${pid}/net/${table}`));
  }

  terminalMode({ tty }: PaneProcess): TerminalMode | undefined {
    return readTerminalMode(this.#libc, tty);
  }

  numbers(path: string): number[] {
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

/** True if the first thread is a zombie while others are alive. */
function outlivesFirstThread({ state, threads }: ProcessStat): boolean {
  return state === "Z" && threads > 1;
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
