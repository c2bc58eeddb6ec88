// Inspects the processes on another machine through a shell there.

import { askTaken, RemoteListening } from "./listening.ts";
import { RemoteProc } from "./proc.ts";
import type { ListeningPort, TakenPort } from "../listening.ts";
import { LibuvLoops } from "../linux/libuv.ts";
import { PaneJudge } from "../linux/pane_judge.ts";
import { remoteFunctions } from "./script.ts";
import type { PaneInspection, PaneProcess } from "../probe.ts";
import { blindInspection } from "../unseen.ts";
import { type ProcessStat, TICK_MS } from "../linux/proc.ts";
import { isLive } from "../linux/foreground.ts";
import type { ProcessInspector } from "../process_inspector.ts";
import { findSyscallTable, type SyscallTable } from "../linux/syscalls.ts";

/** Facts about a pane from one inspection. */
export interface RemoteInspection {
  inspection: PaneInspection;
  /** The pane's process, and those in front of it. */
  processes: readonly ProcessStat[];
}

/** System of a machine, as `uname` prints it. */
export interface RemoteSystem {
  system: string;
  architecture: string;
}

/** A shell there; if it has ended, its successor lacks the script's functions. */
export interface AskedShell {
  facts: RemoteSystem;
  ask(code: string): Promise<string>;
}

/** Deno's names for the output of `uname -m`. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "x86_64"],
  ["amd64", "x86_64"],
  ["aarch64", "aarch64"],
  ["arm64", "aarch64"],
]);
/**
 * Maximum number of requests of one inspection: what is behind a program that passes the terminal on, sockets, and
 * memory, where one piece leads to the next (stack, loops, their tables, watchers).
 */
const MAX_ROUNDS = 12;

export class RemoteProcessInspector implements ProcessInspector {
  readonly #shell: () => Promise<AskedShell>;
  readonly #prepared: WeakSet<AskedShell> = new WeakSet();
  readonly #loops = new LibuvLoops();
  readonly #sockets: Map<string, boolean> = new Map();

  /** `shell` returns the running shell, and starts one if necessary. */
  constructor(shell: () => Promise<AskedShell>) {
    this.#shell = shell;
  }

  async inspect(pane: PaneProcess): Promise<PaneInspection> {
    return (await this.inspectAll([pane])).get(pane.panePid)?.inspection ?? blindInspection(pane);
  }

  /** Inspects all panes with one request, and more for what that leads to; empty if that is unknown. */
  async inspectAll(panes: readonly PaneProcess[]): Promise<Map<number, RemoteInspection>> {
    const calls = findCalls((await this.#shell()).facts);
    const proc = new RemoteProc(calls, this.#sockets);
    const findForeground = proc.findForeground.bind(proc);
    const judge = new PaneJudge(proc, { loops: this.#loops, findForeground, reportsSleep: true });
    for (const pane of panes) proc.want(pane);
    let inspections = new Map<number, RemoteInspection>();
    for (let round = 0; round < MAX_ROUNDS && proc.question !== undefined; round++) {
      const text = await this.#ask(proc.question);
      if (text === undefined) break;
      proc.take(text);
      const printed = panes.filter(({ panePid }) => proc.panes.has(panePid));
      inspections = new Map(printed.map((pane) => {
        const { inspection } = judge.judge(pane);
        return [pane.panePid, { inspection, processes: proc.inFrontOf(pane.panePid) }];
      }));
    }
    return inspections;
  }

  /** Returns facts about processes from `/proc`, without those that are gone; undefined if unavailable. */
  async stats(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessStat> | undefined> {
    const text = await this.#ask(`${pids.map((pid) => `tm_stat ${Number(pid)}`).join("\n")}\n:`);
    return text === undefined ? undefined : readStats(text);
  }

  async startTime(pid: number): Promise<string | undefined> {
    return (await this.stat(pid))?.startTime;
  }

  async image(pid: number): Promise<string | undefined> {
    const stack = (await this.stat(pid))?.stack;
    return stack === "0" ? undefined : stack;
  }

  async sleeps(pid: number): Promise<number | undefined> {
    const text = (await this.#ask(`tm_sleeps ${Number(pid)}`))?.trim() ?? "";
    return text === "" ? undefined : Number(text);
  }

  async ageMs(pid: number): Promise<number | undefined> {
    const text = await this.#ask(`tm_stat ${Number(pid)}; read -r tm_u tm_v </proc/uptime; echo "U $tm_u"`) ??
      "";
    const started = Number(readStats(text).get(pid)?.startTime ?? NaN);
    const uptime = Number(/^U (.*)$/m.exec(text)?.[1] ?? NaN);
    const age = uptime * 1000 - started * TICK_MS;
    return Number.isNaN(age) ? undefined : age;
  }

  async listening({ panePid }: PaneProcess): Promise<readonly ListeningPort[] | undefined> {
    return await this.refresh(new RemoteListening(panePid));
  }

  /** Returns the current ports of a pane that is inspected repeatedly. */
  async refresh(listening: RemoteListening): Promise<readonly ListeningPort[] | undefined> {
    return await listening.refresh((code) => this.#ask(code));
  }

  async taken(port: number): Promise<TakenPort[] | undefined> {
    return await askTaken((code) => this.#ask(code), port);
  }

  async stat(pid: number): Promise<ProcessStat | undefined> {
    const stat = (await this.stats([pid]))?.get(pid);
    return isLive(stat) ? stat : undefined;
  }

  /** Runs code there; undefined on a system whose kernel we don't know how to ask. */
  async #ask(code: string): Promise<string | undefined> {
    const shell = await this.#shell();
    const calls = findCalls(shell.facts);
    if (calls === undefined) return undefined;
    const first = this.#prepared.has(shell) ? "" : remoteFunctions(calls);
    this.#prepared.add(shell);
    return await shell.ask(`${first}${code}`);
  }
}

function readStats(text: string): ReadonlyMap<number, ProcessStat> {
  const proc = new RemoteProc();
  proc.take(text);
  return proc.stats;
}

function findCalls({ system, architecture }: RemoteSystem): SyscallTable | undefined {
  return system === "Linux" ? findSyscallTable(ARCHITECTURES.get(architecture) ?? "") : undefined;
}
