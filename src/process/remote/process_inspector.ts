// Inspects the processes on another machine through a shell there.

import type { RemoteInspection } from "./facts.ts";
import { parseRemoteInspections } from "./facts.ts";
import { findStat } from "./sheet.ts";
import { askTaken, RemoteListening } from "./listening.ts";
import type { ListeningPort, TakenPort } from "../listening.ts";
import { RemoteMemory } from "./memory.ts";
import { RemoteSockets } from "./sockets.ts";
import { LibuvLoops } from "../linux/libuv.ts";
import { remoteFunctions } from "./script.ts";
import { goneInspection, inspectionBehind, type PaneInspection, type PaneProcess } from "../probe.ts";
import { type ProcessStat, TICK_MS } from "../linux/procfs.ts";
import { MAX_RELAYS } from "../linux/relays.ts";
import { isLive } from "../linux/foreground.ts";
import type { ProcessInspector } from "../process_inspector.ts";
import { shellWord } from "../../shell/quoting.ts";
import { findSyscallTable, type SyscallTable } from "../linux/syscalls.ts";

/** A shell there; if it has ended, its successor lacks the script's functions. */
export interface AskedShell {
  ask(code: string): Promise<string>;
}

/** System of a machine, as `uname` prints it. */
export interface RemoteSystem {
  system: string;
  architecture: string;
}

export interface RemoteProcessInspectorOptions {
  /** Returns the running shell; starts one if necessary. */
  shell(): Promise<AskedShell & { facts: RemoteSystem }>;
}

/** Deno's names for the output of `uname -m`. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "x86_64"],
  ["amd64", "x86_64"],
  ["aarch64", "aarch64"],
  ["arm64", "aarch64"],
]);
/**
 * Maximum number of requests for memory, with those for sockets: one piece leads to the next (stack, loops, their
 * tables, watchers).
 */
const MAX_ROUNDS = 6;

export class RemoteProcessInspector implements ProcessInspector {
  readonly #options: RemoteProcessInspectorOptions;
  readonly #prepared: WeakSet<AskedShell> = new WeakSet();
  readonly #loops = new LibuvLoops();
  readonly #sockets: Map<string, boolean> = new Map();

  constructor(options: RemoteProcessInspectorOptions) {
    this.#options = options;
  }

  async inspect(pane: PaneProcess): Promise<PaneInspection> {
    return (await this.inspectAll([pane])).get(pane.panePid)?.inspection ?? blindInspection(pane);
  }

  /**
   * Inspects all panes with one request, and more for what is behind sudo or script or in memory; empty if that is
   * unknown.
   */
  async inspectAll(
    panes: readonly PaneProcess[],
    relays: number = MAX_RELAYS,
  ): Promise<Map<number, RemoteInspection>> {
    const code = panes.map(({ panePid, tty }) => `tm_inspect ${Number(panePid)} ${shellWord(tty)}`);
    const reply = await this.#ask(code.join("\n"));
    if (reply === undefined) return new Map();
    const memory = new RemoteMemory();
    const sockets = new RemoteSockets(this.#sockets);
    const context = { calls: reply.calls, memory, sockets, loops: this.#loops };
    const parse = () => parseRemoteInspections(reply.text, panes, context);
    let inspections = parse();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const questions = [memory.question, sockets.question].filter((question) => question !== undefined);
      if (questions.length === 0) break;
      const text = (await this.#ask(questions.join("\n")))?.text ?? "";
      memory.take(text);
      sockets.take(text);
      inspections = parse();
    }
    const behind = [...inspections.values()].flatMap(({ behind }) =>
      behind === undefined ? [] : [behind.pane]
    );
    if (behind.length === 0 || relays === 0) return inspections;
    const inner = await this.inspectAll(behind, relays - 1);
    return new Map([...inspections].map(([pid, inspection]) => [pid, seenThrough(inspection, inner)]));
  }

  /** Returns facts about processes from `/proc`, without those that are gone; undefined if unavailable. */
  async stats(pids: readonly number[]): Promise<Map<number, ProcessStat> | undefined> {
    const reply = await this.#ask(`${pids.map((pid) => `tm_stat ${Number(pid)}`).join("\n")}\n:`);
    const lines = reply && [...reply.text.matchAll(/^Q (.*)$/gm)].map(([, line]) => findStat(line!));
    return lines && new Map(lines.filter((stat) => stat !== undefined).map((stat) => [stat.pid, stat]));
  }

  async startTime(pid: number): Promise<string | undefined> {
    return (await this.stat(pid))?.startTime;
  }

  async image(pid: number): Promise<string | undefined> {
    const stack = (await this.stat(pid))?.stack;
    return stack === "0" ? undefined : stack;
  }

  async sleeps(pid: number): Promise<number | undefined> {
    const text = (await this.#ask(`tm_sleeps ${Number(pid)}`))?.text.trim() ?? "";
    return text === "" ? undefined : Number(text);
  }

  async ageMs(pid: number): Promise<number | undefined> {
    const reply = await this.#ask(`tm_stat ${Number(pid)}; read -r tm_u tm_v </proc/uptime; echo "U $tm_u"`);
    const started = Number(findStat(/^Q (.*)$/m.exec(reply?.text ?? "")?.[1] ?? "")?.startTime ?? NaN);
    const uptime = Number(/^U (.*)$/m.exec(reply?.text ?? "")?.[1] ?? NaN);
    const age = uptime * 1000 - started * TICK_MS;
    return Number.isNaN(age) ? undefined : age;
  }

  async listening({ panePid }: PaneProcess): Promise<ListeningPort[] | undefined> {
    return await this.ports(new RemoteListening(panePid));
  }

  /** Returns the current ports of a pane that is inspected repeatedly. */
  async ports(listening: RemoteListening): Promise<ListeningPort[] | undefined> {
    return await listening.poll(async (code) => (await this.#ask(code))?.text);
  }

  async taken(port: number): Promise<TakenPort[] | undefined> {
    return await askTaken(async (code) => (await this.#ask(code))?.text, port);
  }

  /** Returns the stat of a live process. */
  async stat(pid: number): Promise<ProcessStat | undefined> {
    const stat = (await this.stats([pid]))?.get(pid);
    return isLive(stat) ? stat : undefined;
  }

  /** Runs code there; undefined on a system whose kernel we don't know how to ask. */
  async #ask(code: string): Promise<{ text: string; calls: SyscallTable } | undefined> {
    const shell = await this.#options.shell();
    const calls = findCalls(shell.facts);
    if (calls === undefined) return undefined;
    const first = this.#prepared.has(shell) ? "" : remoteFunctions(calls);
    this.#prepared.add(shell);
    return { text: await shell.ask(`${first}${code}`), calls };
  }
}

function findCalls({ system, architecture }: RemoteSystem): SyscallTable | undefined {
  return system === "Linux" ? findSyscallTable(ARCHITECTURES.get(architecture) ?? "") : undefined;
}

/** Returns the state of a pane that can't be inspected: assumed alive, because tmux reports when it is dead. */
export function blindInspection({ panePid }: PaneProcess): PaneInspection {
  return { ...goneInspection(panePid), isAlive: true, evidence: "unsupported" };
}

/** Combines an inspection with that of what is behind a program that passes the terminal on. */
function seenThrough(
  { behind, ...outer }: RemoteInspection,
  inner: ReadonlyMap<number, RemoteInspection>,
): RemoteInspection {
  const behindInspection = behind && inner.get(behind.pane.panePid)?.inspection;
  if (behind === undefined || behindInspection === undefined) return outer;
  return { ...outer, inspection: inspectionBehind(outer.inspection, behind.relay, behindInspection) };
}
