// The part of another machine's /proc that a shell there has printed.

import { deviceOfTerminal } from "../linux/device_numbers.ts";
import { type Foreground, groupInFront, inOrder, isLive } from "../linux/foreground.ts";
import { type FileIdentity, parseStat, Proc, type ProcessStat } from "../linux/proc.ts";
import { listeningInodes } from "../linux/socket_table.ts";
import type { SyscallTable } from "../linux/syscalls.ts";
import type { PaneProcess } from "../probe.ts";
import { shellWord } from "../../shell/quoting.ts";
import { parseStty, type TerminalMode } from "../terminal.ts";
import { getOrCreate } from "../../maps.ts";

/** A pane, as the script printed it. */
interface PrintedPane {
  mode?: TerminalMode;
  /** Pids of the processes that may read its terminal. */
  readonly readers: Set<number>;
}

/** Maximum number of sockets that are remembered; the kernel counts inodes up, so that none stands for two sockets. */
const MAX_SOCKETS = 4096;
/** Letter, then the process or thread that it is about. */
const LINE = /^([A-Z]) (\S*) ?(.*)$/s;

/**
 * The known part. After a judgement, `question` is the code that prints what it missed; `take` reads that, and then the
 * same is judged again.
 */
export class RemoteProc extends Proc {
  readonly calls: SyscallTable | undefined;
  readonly stats: Map<number, ProcessStat> = new Map();
  readonly panes: Map<number, PrintedPane> = new Map();
  readonly #texts: Map<string, string> = new Map();
  readonly #links: Map<string, string> = new Map();
  readonly #folders: Map<string, Set<number>> = new Map();
  /** Pieces of memory, in hexadecimal. */
  readonly #memory: Map<string, string> = new Map();
  readonly #sockets: Map<string, boolean>;
  readonly #missedSockets: Set<string> = new Set();
  readonly #missing: Set<string> = new Set();
  /** The pane and the process that the lines being read are about. */
  #pane: PrintedPane = { readers: new Set() };
  #listed = "";

  /** @param sockets Inodes of sockets, and if they listen; to be kept for the next inspection */
  constructor(calls?: SyscallTable, sockets: Map<string, boolean> = new Map()) {
    super();
    this.calls = calls;
    this.#sockets = sockets;
  }

  /** Undefined if nothing is missing. */
  get question(): string | undefined {
    return this.#missing.size === 0 ? undefined : [...this.#missing].join("\n");
  }

  want({ panePid, tty }: PaneProcess): void {
    this.#missing.add(`tm_inspect ${Number(panePid)} ${shellWord(tty)}`);
  }

  stat(pid: number): ProcessStat | undefined {
    return this.stats.get(pid);
  }

  children({ pid }: ProcessStat): number[] {
    return [...this.stats.values()].filter(({ parent }) => parent === pid).map((child) => child.pid);
  }

  text(path: string): string | undefined {
    return this.#texts.get(path);
  }

  link(path: string): string | undefined {
    return this.#links.get(path);
  }

  numbers(path: string): number[] {
    return [...this.#folders.get(path) ?? []];
  }

  memory(pid: number, address: bigint, length: number): Uint8Array | undefined {
    const key = `${pid} ${address} ${length}`;
    const hex = this.#memory.get(key);
    if (hex === undefined) this.#missing.add(`tm_memory ${key}`);
    return hex || length === 0 ? Uint8Array.fromHex(hex ?? "") : undefined;
  }

  /** Terminals are known by their paths, as the shell has compared the files; programs also by the size of their code. */
  identity(path: string): FileIdentity | undefined {
    const program = Number(/^\/proc\/(\d+)\/exe$/.exec(path)?.[1]);
    const target = path.startsWith("/proc/") ? this.link(path.slice("/proc/".length)) : path;
    if (!target) return undefined;
    if (!program) return { inode: target, device: deviceOfTerminal(target) };
    return { inode: `${this.executable(program)} ${this.stat(program)?.codeBytes}`, device: 0 };
  }

  listening(pid: number, inodes: readonly string[]): ReadonlySet<string> {
    const missing = inodes.filter((inode) => !this.#sockets.has(inode));
    for (const inode of missing) this.#missedSockets.add(inode);
    if (missing.length > 0) this.#missing.add(`tm_listening ${pid}`);
    return new Set(inodes.filter((inode) => this.#sockets.get(inode)));
  }

  terminalMode(pane: PaneProcess): TerminalMode | undefined {
    const printed = this.panes.get(pane.panePid);
    if (printed === undefined) this.want(pane);
    return printed?.mode;
  }

  /** The script has found them, and programs that read the terminal for one of them. */
  findForeground(pane: ProcessStat, leader: ProcessStat | undefined): Foreground {
    const live = [...this.panes.get(pane.pid)?.readers ?? []].map((pid) => this.stat(pid)).filter(isLive);
    const isMember = ({ group }: ProcessStat): boolean => group === groupInFront(pane);
    const group = inOrder(live.filter(isMember), leader);
    return { group, detached: live.filter((stat) => !isMember(stat)) };
  }

  /** Returns a live pane's own process, and the group in front of it. */
  inFrontOf(panePid: number): ProcessStat[] {
    const pane = this.stat(panePid);
    return isLive(pane) ? [pane, ...this.findForeground(pane, undefined).group] : [];
  }

  /** Reads the output of the script. */
  take(text: string): void {
    this.#missing.clear();
    for (const line of text.split("\n")) {
      const [, letter, key = "", rest = ""] = LINE.exec(line) ?? [];
      if (letter === undefined) this.#readListing(line);
      else this.#readFact(letter, key, rest);
    }
    if (this.#missedSockets.size === 0) return;
    const listening = listeningInodes(() => text.replaceAll(/^N /gm, ""));
    if (this.#sockets.size > MAX_SOCKETS) this.#sockets.clear();
    for (const inode of this.#missedSockets) this.#sockets.set(inode, listening.has(inode));
    this.#missedSockets.clear();
  }

  #readFact(letter: string, key: string, rest: string): void {
    switch (letter) {
      case "L":
        this.#pane = { readers: new Set() };
        this.panes.set(Number(key), this.#pane);
        return void this.stats.delete(Number(key));
      case "M":
        return void Object.assign(this.#pane, { mode: parseStty(key) });
      case "S":
        this.#pane.readers.add(Number.parseInt(rest));
        return this.#addStat(Number(key), rest);
      case "Q":
        return this.#addStat(Number(key), rest);
      case "T": {
        const [, thread = "", call = "", sleepsIn = "", name = ""] =
          /^(\d+) (.*?)\|(.*?)\|(.*)$/.exec(rest) ?? [];
        this.#numbersIn(`${key}/task`).add(Number(thread));
        this.#texts.set(`${key}/task/${thread}/syscall`, call);
        this.#texts.set(`${key}/task/${thread}/comm`, name);
        return void this.#texts.set(`${key}/task/${thread}/wchan`, sleepsIn);
      }
      case "E": {
        const [, fd, info = ""] = /^(\d+) (.*)$/.exec(rest) ?? [];
        const path = `${key}/fdinfo/${fd}`;
        const before = info.startsWith("flags:") ? "" : this.#texts.get(path) ?? "";
        return void this.#texts.set(path, `${before}${info}\n`);
      }
      case "F":
        for (const [, fd = "", file = ""] of rest.matchAll(/(\d+)=(\S*)/g)) this.#addLink(key, fd, file);
        return;
      case "A":
        return void this.#texts.set(`${key}/cmdline`, rest.replaceAll("\x01", "\0"));
      case "X":
        return void this.#links.set(`${key}/exe`, rest);
      case "V": {
        const [address, length, hex = ""] = rest.split(" ");
        return void this.#memory.set(`${key} ${address} ${length}`, hex);
      }
    }
  }

  /** Reads what `ls` prints of sockets. */
  #readListing(line: string): void {
    const folder = /^\/proc\/(\d+)\/fd:$/.exec(line)?.[1];
    if (folder !== undefined) this.#listed = folder;
    const [, fd, file] = /^l.* (\d+) -> (socket:\[\d+\])$/.exec(line) ?? [];
    if (fd !== undefined && file !== undefined) this.#addLink(this.#listed, fd, file);
  }

  #addStat(thread: number, line: string): void {
    const stat = parseStat(line);
    if (stat) this.stats.set(stat.pid, { ...stat, thread });
  }

  #addLink(pid: string, fd: string, file: string): void {
    this.#numbersIn(`${pid}/fd`).add(Number(fd));
    this.#links.set(`${pid}/fd/${fd}`, file);
  }

  #numbersIn(folder: string): Set<number> {
    return getOrCreate(this.#folders, folder, () => new Set());
  }
}
