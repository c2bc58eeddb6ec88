// Inspects the processes on another machine, through a shell there.

import type { RemoteInspection } from "./facts.ts";
import { findStat, parseRemoteInspections } from "./facts.ts";
import { askTaken, RemoteListening } from "./listening.ts";
import type { ListeningPort, TakenPort } from "../listening.ts";
import { RemoteMemory } from "./memory.ts";
import { LibuvLoops } from "../linux/libuv.ts";
import { remoteFunctions } from "./script.ts";
import { goneInspection, inspectionBehind, type PaneInspection, type PaneProcess } from "../probe.ts";
import type { ProcessStat } from "../linux/procfs.ts";
import { isLive } from "../linux/foreground.ts";
import type { ProcessInspector } from "../process_inspector.ts";
import { shellWord } from "../../shell/quoting.ts";
import { findSyscallTable, type SyscallTable } from "../linux/syscalls.ts";

/** A shell there; after one has ended, its successor lacks the script's functions. */
export interface AskedShell {
  ask(code: string): Promise<string>;
}

/** A machine's system, as `uname` spells it. */
export interface RemoteSystem {
  system: string;
  architecture: string;
}

export interface RemoteProcessInspectorOptions {
  /** The running shell, started if there is none. */
  shell(): Promise<AskedShell & { facts: RemoteSystem }>;
}

/** Deno's names for what `uname -m` says. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "x86_64"],
  ["amd64", "x86_64"],
  ["aarch64", "aarch64"],
  ["arm64", "aarch64"],
]);
/** `sudo script sudo …`: how deep to inspect behind programs that hand the terminal on. */
const MAX_RELAYS = 4;
/** One piece of memory leads to the next: stack, loops, their tables, watchers. */
const MAX_ROUNDS = 6;
/** `USER_HZ` is 100 on every Linux. */
const TICK_MS = 10;

export class RemoteProcessInspector implements ProcessInspector {
  readonly #options: RemoteProcessInspectorOptions;
  readonly #prepared: WeakSet<AskedShell> = new WeakSet();
  readonly #loops = new LibuvLoops();

  constructor(options: RemoteProcessInspectorOptions) {
    this.#options = options;
  }

  async inspect(pane: PaneProcess): Promise<PaneInspection> {
    return (await this.inspectAll([pane])).get(pane.panePid)?.inspection ?? blindInspection(pane);
  }

  /** One question for all of them, and more for what is behind sudo or script or in memory; empty where that is unknown. */
  async inspectAll(
    panes: readonly PaneProcess[],
    relays: number = MAX_RELAYS,
  ): Promise<Map<number, RemoteInspection>> {
    const code = panes.map(({ panePid, tty }) => `tm_inspect ${Number(panePid)} ${shellWord(tty)}`);
    const asked = await this.#ask(code.join("\n"));
    if (asked === undefined) return new Map();
    const memory = new RemoteMemory();
    const parse = () =>
      parseRemoteInspections(asked.text, panes, { calls: asked.calls, memory, loops: this.#loops });
    let inspections = parse();
    for (let round = 0; memory.question !== undefined && round < MAX_ROUNDS; round++) {
      memory.take((await this.#ask(memory.question))?.text ?? "");
      inspections = parse();
    }
    const behind = [...inspections.values()].flatMap(({ behind }) =>
      behind === undefined ? [] : [behind.pane]
    );
    if (behind.length === 0 || relays === 0) return inspections;
    const inner = await this.inspectAll(behind, relays - 1);
    return new Map([...inspections].map(([pid, inspection]) => [pid, seenThrough(inspection, inner)]));
  }

  /** Facts about processes from `/proc`, without those that are gone; undefined if unavailable. */
  async stats(pids: readonly number[]): Promise<Map<number, ProcessStat> | undefined> {
    const asked = await this.#ask(`${pids.map((pid) => `tm_stat ${Number(pid)}`).join("\n")}\n:`);
    const lines = asked && [...asked.text.matchAll(/^Q (.*)$/gm)].map(([, line]) => findStat(line!));
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
    const asked = await this.#ask(`tm_stat ${Number(pid)}; read -r tm_u tm_v </proc/uptime; echo "U $tm_u"`);
    const started = Number(findStat(/^Q (.*)$/m.exec(asked?.text ?? "")?.[1] ?? "")?.startTime ?? NaN);
    const uptime = Number(/^U (.*)$/m.exec(asked?.text ?? "")?.[1] ?? NaN);
    const age = uptime * 1000 - started * TICK_MS;
    return Number.isNaN(age) ? undefined : age;
  }

  async listening({ panePid }: PaneProcess): Promise<ListeningPort[] | undefined> {
    return await this.ports(new RemoteListening(panePid));
  }

  /** Current ports of a pane that is inspected repeatedly. */
  async ports(listening: RemoteListening): Promise<ListeningPort[] | undefined> {
    return await listening.poll(async (code) => (await this.#ask(code))?.text);
  }

  async taken(port: number): Promise<TakenPort[] | undefined> {
    return await askTaken(async (code) => (await this.#ask(code))?.text, port);
  }

  /** A process that lives. */
  async stat(pid: number): Promise<ProcessStat | undefined> {
    const stat = (await this.stats([pid]))?.get(pid);
    return isLive(stat) ? stat : undefined;
  }

  /** Undefined on a system whose kernel we don't know how to ask. */
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

/** State of a pane that cannot be inspected: assumed alive, since tmux reports when it is dead. */
export function blindInspection({ panePid }: PaneProcess): PaneInspection {
  return { ...goneInspection(panePid), isAlive: true, evidence: "unsupported" };
}

/** The inspection of what is behind a program that passes the terminal on. */
function seenThrough(
  { behind, ...outer }: RemoteInspection,
  inner: ReadonlyMap<number, RemoteInspection>,
): RemoteInspection {
  const through = behind && inner.get(behind.pane.panePid)?.inspection;
  if (behind === undefined || through === undefined) return outer;
  return { ...outer, inspection: inspectionBehind(outer.inspection, behind.relay, through) };
}
