// Linux: finds out what a process's threads wait for, and if that includes the terminal.

import type { DescriptorFacts, ProcessFacts, ThreadFacts, Work } from "../classify.ts";
import { DEV_TTY } from "./device_numbers.ts";
import { parseEpollMembers, parsePollSet, parseSelectSet, selectSetSize } from "./fd_sets.ts";
import type { LibuvLoops, LoopWait, MemoryRange } from "./libuv.ts";
import type { BlockedCall, FileIdentity, Proc, ProcessStat } from "./proc.ts";
import { plainName } from "../plain_name.ts";
import { commandName, isPartial } from "./process_name.ts";
import { isLive } from "./foreground.ts";
import { findPassedTo } from "./relays.ts";
import { findInode, localInodes } from "./socket_table.ts";
import { isOf32Bits, type SystemCall } from "./syscalls.ts";
import { isTaken, type TerminalMode } from "../terminal.ts";

/** Maximum number of threads that are read: a Java or browser process has hundreds, and each costs 7 µs. */
const MAX_THREADS = 2048;
const MAX_DESCRIPTORS = 256;
const MAX_SET = 4096;
const O_ASYNC = 0o20000;
/**
 * Links of descriptors whose read sleeps in the same function as a terminal's: sockets (not local ones), file
 * watchers, other terminals and their masters.
 */
const READS_ALIKE = /^(socket:|anon_inode:.*notify|\/dev\/(tty|pts\/|ptmx))/;
/** Name of a thread that reads lines for a program elsewhere: Gradle's client, up to 8.10, has it for the daemon. */
const READS_FOR_OTHER = "DisconnectableI";
/** Paths of the device through which masters of pseudo-terminals are opened. */
const MASTER = /^\/dev\/(pts\/)?ptmx$/;

/** Gathers the facts that `classify` needs about one process and one terminal. */
export class ProcessFactReader {
  readonly #proc: Proc;
  readonly #loops: LibuvLoops;
  readonly #terminal: FileIdentity | undefined;
  readonly #mode: TerminalMode | undefined;

  constructor(
    proc: Proc,
    loops: LibuvLoops,
    terminal: { identity: FileIdentity | undefined; mode: TerminalMode | undefined },
  ) {
    this.#proc = proc;
    this.#loops = loops;
    this.#terminal = terminal.identity;
    this.#mode = terminal.mode;
  }

  gather(stat: ProcessStat, { inGroup }: { inGroup: boolean }): ProcessFacts {
    const asleep = stat.state === "S" || stat.threads > 1;
    const threads = this.#withSignal(stat, asleep ? this.#threads(stat) : []);
    const { comm } = stat;
    const name = isPartial(comm) ? commandName(comm, this.#proc.argv(stat.thread)) : plainName(comm);
    const hasThreads = stat.threads > 1;
    const facts = { pid: stat.pid, name, state: stat.state, threads, hasThreads, inGroup };
    if (!threads.some((thread) => thread.opaque)) return facts;
    const descriptors = this.#descriptors(stat);
    return descriptors === undefined ? facts : { ...facts, descriptors };
  }

  #threads(stat: ProcessStat): ThreadFacts[] {
    const found = [this.#thread(stat, stat.thread)];
    if (stat.threads <= 1) return found;
    const others = this.#proc.threads(stat.pid).filter((thread) => thread !== stat.thread);
    for (const thread of others.slice(0, MAX_THREADS)) {
      const last = found.at(-1);
      // Other threads of an event loop may be at work.
      if (last?.terminalFd !== undefined && !last.call?.startsWith("epoll")) break;
      found.push(this.#thread(stat, thread));
    }
    return found;
  }

  /** The same threads, the first of which waits for keys if the kernel reports these by a signal (termbox in Go). */
  #withSignal(stat: ProcessStat, threads: ThreadFacts[]): ThreadFacts[] {
    const [first, ...rest] = threads;
    const sleeps = stat.state === "S" && first !== undefined &&
      !threads.some(({ terminalFd, opaque }) => opaque || terminalFd !== undefined);
    if (!sleeps || !isTaken(this.#mode)) return threads;
    const terminalFd = this.#proc.descriptors(stat.thread).slice(0, MAX_DESCRIPTORS)
      .find((fd) => this.#isTerminal(stat, fd) && (this.#flags(stat, fd) & O_ASYNC) !== 0);
    if (terminalFd === undefined) return threads;
    return [{ ...first, call: "SIGIO", terminalFd, beside: "other events" }, ...rest];
  }

  #thread(stat: ProcessStat, thread: number): ThreadFacts {
    const blocked = this.#proc.blockedCall(stat.pid, thread);
    if (blocked === undefined) return {};
    if (blocked === "hidden" || this.#proc.calls === undefined || isOf32Bits(blocked)) {
      return this.#opaque(stat, thread);
    }
    let call = this.#proc.calls.describe(blocked.number);
    if (call.shape === "restart") call = this.#restarted(stat, thread) ?? call;
    if (call.shape === "opaque") return { ...this.#opaque(stat, thread), call: call.name };
    const waited = this.#waitsFor(stat, call, blocked);
    if (waited === undefined) return { ...this.#opaque(stat, thread), call: call.name };
    const terminalFd = waited.find((fd) => this.#isTerminal(stat, fd));
    const loopWait = terminalFd === undefined
      ? undefined
      : this.#loopWait(stat, { call, blocked, fd: terminalFd });
    if (terminalFd === undefined || loopWait === "others") return { call: call.name };
    const beside = (waited.length > 1 ? this.#beside(stat, waited) : undefined) ??
      timerOf(call, blocked.args) ?? (loopWait === "descriptor and others" ? "other events" : undefined) ??
      this.#farSide(stat, thread) ?? this.#childAtWork(stat, thread);
    const passedTo = findPassedTo(stat.comm, call, () => waited.map((fd) => this.#ptyOfMaster(stat, fd)));
    return {
      id: thread,
      call: call.name,
      terminalFd,
      ...(beside !== undefined && { beside }),
      ...(passedTo !== undefined && { passedTo }),
    };
  }

  /** Build watchers (`dotnet watch`, bacon) take keys in a thread of their own while a child of theirs works. */
  #childAtWork(stat: ProcessStat, thread?: number): Work | undefined {
    if (thread === stat.thread || this.#mode?.canonical !== false) return undefined;
    const isJob = (child: ProcessStat | undefined) => isLive(child) && child.group === stat.group;
    return this.#proc.children(stat).some((pid) => isJob(this.#proc.stat(pid))) ? "other events" : undefined;
  }

  #farSide({ pid, thread: first }: ProcessStat, thread: number): Work | undefined {
    const readsForOther = thread !== first &&
      this.#proc.text(`${pid}/task/${thread}/comm`)?.trim() === READS_FOR_OTHER;
    return readsForOther ? "a program on the far side" : undefined;
  }

  #opaque(stat: ProcessStat, thread: number): ThreadFacts {
    const sleepsIn = this.#proc.sleepsIn(stat.pid, thread);
    return sleepsIn === undefined ? { opaque: true } : { opaque: true, sleepsIn };
  }

  /** Call of a poll that was stopped and continued: it shows as `restart_syscall`, with its registers unchanged. */
  #restarted(stat: ProcessStat, thread: number): SystemCall | undefined {
    const polls = this.#proc.sleepsIn(stat.pid, thread)?.includes("poll");
    return polls ? { name: "poll", shape: "poll", fdArgument: 0 } : undefined;
  }

  /**
   * Descriptors that a call reads or waits to read; undefined if its set can't be seen. A timeout changes nothing:
   * `top` takes keys while it sleeps its three seconds.
   */
  #waitsFor(stat: ProcessStat, call: SystemCall, { args }: BlockedCall): number[] | undefined {
    const [first = 0n, second = 0n] = args;
    switch (call.shape) {
      case "read":
        return [toFd(args[call.fdArgument] ?? 0n)];
      case "poll": {
        const bytes = this.#proc.memory(stat.thread, first, Math.min(Number(second), MAX_SET) * 8);
        return bytes && this.#reached(stat, parsePollSet(bytes));
      }
      case "select": {
        if (second === 0n) return [];
        const count = Math.min(toFd(first), MAX_SET);
        const bytes = this.#proc.memory(stat.thread, second, selectSetSize(count));
        return bytes && this.#reached(stat, parseSelectSet(bytes, count));
      }
      case "epoll":
        return this.#epollMembers(stat, toFd(first), 2);
      default:
        return [];
    }
  }

  /** Descriptors of a poll, with those of an epoll instance through which it waits for the terminal (racket). */
  #reached(stat: ProcessStat, polled: readonly number[]): number[] {
    if (polled.some((fd) => this.#isTerminal(stat, fd))) return [...polled];
    return polled.flatMap((fd) => this.#membersWithTerminal(stat, fd) ?? [fd]);
  }

  #epollMembers(stat: ProcessStat, epoll: number, depth: number): number[] | undefined {
    const info = this.#proc.descriptorInfo(stat.thread, epoll);
    if (info === undefined) return undefined;
    return parseEpollMembers(info).flatMap((fd) => {
      const nested = depth > 1 && this.#proc.descriptorLink(stat.thread, fd)?.includes("[eventpoll]");
      return nested ? this.#epollMembers(stat, fd, depth - 1) ?? [] : [fd];
    });
  }

  /** Work that arrives through the other descriptors that a call waits for. */
  #beside(stat: ProcessStat, waited: readonly number[]): Work | undefined {
    const links = waited.slice(0, MAX_DESCRIPTORS).map((fd) =>
      this.#proc.descriptorLink(stat.thread, fd) ?? ""
    );
    if (links.some((link) => link.includes("inotify"))) return "a file watcher";
    const sockets = links.flatMap((link) => findInode(link) ?? []);
    const listening = sockets.length === 0 ? undefined : this.#proc.listening(stat.thread, sockets);
    return sockets.some((inode) => listening?.has(inode)) ? "a listening socket" : undefined;
  }

  /** Events that an event loop waits for; it may keep the descriptor in its set and no longer read it. */
  #loopWait(
    { pid, thread, startTime }: ProcessStat,
    { call, blocked, fd }: { call: SystemCall; blocked: BlockedCall; fd: number },
  ): LoopWait | undefined {
    if (call.shape !== "epoll") return undefined;
    const read = (ranges: readonly MemoryRange[]) =>
      ranges.map(({ address, length }) => this.#proc.memory(thread, address, length));
    return this.#loops.wait({ process: `${pid} ${startTime}`, args: blocked.args, read }, fd);
  }

  /** Number of the pseudo-terminal that a descriptor is the master of. */
  #ptyOfMaster(stat: ProcessStat, fd: number): number | undefined {
    const link = this.#proc.descriptorLink(stat.thread, fd);
    if (link === undefined || !MASTER.test(link)) return undefined;
    const index = /^tty-index:\s*(\d+)/m.exec(this.#proc.descriptorInfo(stat.thread, fd) ?? "")?.[1];
    return index === undefined ? undefined : Number(index);
  }

  #isTerminal(stat: ProcessStat, fd: number): boolean {
    const file = this.#proc.descriptorIdentity(stat.thread, fd);
    if (file === undefined || this.#terminal === undefined) return false;
    if (file.inode === this.#terminal.inode) return true;
    return file.device === DEV_TTY && (stat.terminal === this.#terminal.device || stat.terminal === 0);
  }

  #descriptors(stat: ProcessStat): DescriptorFacts | undefined {
    const every = this.#proc.descriptors(stat.thread);
    const all = every.slice(0, MAX_DESCRIPTORS);
    if (all.length === 0) return undefined;
    const [terminals, others] = partition(all, (fd) => this.#isTerminal(stat, fd));
    const held = terminals.filter((fd) => this.#isReadable(stat, fd));
    const [epolls, rest] = partition(others, (fd) => this.#membersWithTerminal(stat, fd) !== undefined);
    const members = epolls.flatMap((fd) => this.#membersWithTerminal(stat, fd) ?? []);
    const beside = () => this.#beside(stat, epolls.length > 0 ? members : rest);
    const children = () => this.#childAtWork(stat);
    const otherReads = () => every.length > all.length || this.#readsAlike(stat, rest);
    return {
      holdsTerminal: held.length > 0,
      opensTerminal: held.some((fd) => this.#proc.descriptorIdentity(stat.thread, fd)?.device === DEV_TTY),
      epollsTerminal: epolls.length > 0,
      otherSources: rest.some((fd) => this.#isSource(stat, fd)),
      // Only a likely reader needs the tables of sockets, which may take milliseconds to read.
      get beside() {
        return beside();
      },
      get otherReads() {
        return otherReads();
      },
      get children() {
        return children();
      },
    };
  }

  #readsAlike(stat: ProcessStat, fds: readonly number[]): boolean {
    const links = fds.filter((fd) => this.#isReadable(stat, fd)).map((fd) =>
      this.#proc.descriptorLink(stat.thread, fd) ?? ""
    ).filter((link) => READS_ALIKE.test(link));
    const inodes = links.map(findInode);
    if (inodes.length === 0 || inodes.includes(undefined)) return inodes.length > 0;
    const local = localInodes(this.#proc.text(`${stat.thread}/net/unix`) ?? "");
    return inodes.some((inode) => !local.has(inode!));
  }

  /** Descriptors in an epoll set, if the terminal is one of them. */
  #membersWithTerminal(stat: ProcessStat, fd: number): number[] | undefined {
    if (!this.#proc.descriptorLink(stat.thread, fd)?.includes("[eventpoll]")) return undefined;
    const members = this.#epollMembers(stat, fd, 2) ?? [];
    return members.some((member) => this.#isTerminal(stat, member)) ? members : undefined;
  }

  #isSource(stat: ProcessStat, fd: number): boolean {
    const link = this.#proc.descriptorLink(stat.thread, fd) ?? "";
    return /^(socket|pipe|anon_inode):(?!\[io_uring\])/.test(link) && this.#isReadable(stat, fd);
  }

  /** True unless the descriptor was opened write-only. */
  #isReadable(stat: ProcessStat, fd: number): boolean {
    return (this.#flags(stat, fd) & 3) !== 1;
  }

  /** Flags of open(2); 0 if they are unknown. */
  #flags(stat: ProcessStat, fd: number): number {
    const flags = /^flags:\s*([0-7]+)/m.exec(this.#proc.descriptorInfo(stat.thread, fd) ?? "")?.[1];
    return Number.parseInt(flags ?? "0", 8);
  }
}

/** A program with a timer this short (ms) is working. */
const SHORT_TIMER_MS = 1000;

/** Next timer of an event loop; C programs that poll for keys use `poll` and `select` for that. */
function timerOf({ name }: SystemCall, args: readonly bigint[]): Work | undefined {
  const ms = name === "epoll_wait" || name === "epoll_pwait" ? toFd(args[3] ?? 0n) : -1;
  return ms > 0 && ms <= SHORT_TIMER_MS ? "a timer" : undefined;
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  const yes = new Set(all.filter(test));
  return [[...yes], all.filter((one) => !yes.has(one))];
}

function toFd(register: bigint): number {
  return Number(BigInt.asIntN(32, register));
}
