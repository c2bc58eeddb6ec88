// A probe of another machine. It answers from the last report on the panes that are followed there.
import { RemoteListening } from "../../src/process/remote/listening.ts";
import type { PortMonitor } from "../../src/process/listening.ts";
import {
  type AskedShell,
  type RemoteInspection,
  RemoteProcessInspector,
} from "../../src/process/remote/process_inspector.ts";
import { isLive } from "../../src/process/linux/foreground.ts";
import {
  type ExitWatch,
  type PaneInspection,
  type PaneProcess,
  type Probe,
} from "../../src/process/probe.ts";
import { blindInspection } from "../../src/process/unseen.ts";
import type { ProcessStat } from "../../src/process/linux/proc.ts";
import type { Ending } from "../../src/process/ending.ts";
import { parseWaitStatus } from "../../src/process/signals.ts";
import type { Via } from "../../src/tmux/ssh/command.ts";
import { RemoteShell } from "../../src/tmux/ssh/shell.ts";
import { delay } from "../../src/timer.ts";
import { bestEffort, settled } from "../../src/promises.ts";

interface Watched {
  pid: number;
  startTime: string | undefined;
  exit: Ending | undefined;
}

/** Time (ms) after the start of a shell before another one is started. */
const RESTART_MS = 1000;

export class RemoteProbe implements Probe {
  readonly #via: Via;
  readonly #inspector: RemoteProcessInspector;
  /** Followed panes; one that several follows share is listed several times. */
  #panes: readonly PaneProcess[] = [];
  readonly #watched: Set<Watched> = new Set();
  readonly #monitors: Set<RemoteListening> = new Set();
  #inspections: Map<number, RemoteInspection> = new Map();
  #shell: { shell: RemoteShell; access: AskedShell } | undefined;
  #startedAt = -Infinity;
  #refreshing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(via: Via) {
    this.#via = via;
    this.#inspector = new RemoteProcessInspector(() => this.#shellOnMachine());
  }

  /** Inspects these panes too from now on; settles when they have been inspected once. */
  async track(panes: readonly PaneProcess[]): Promise<void> {
    this.#panes = [...this.#panes, ...panes];
    await this.refresh();
  }

  untrack(panes: readonly PaneProcess[]): void {
    this.#panes = this.#panes.filter((pane) => !panes.includes(pane));
  }

  /** Inspects all panes; calls that come during a request share the next one. */
  refresh(): Promise<void> {
    if (this.#refreshing === undefined) return this.#begin();
    return this.#next ??= settled(this.#refreshing).then(() => {
      this.#next = undefined;
      return this.#begin();
    });
  }

  inspect(pane: PaneProcess): PaneInspection {
    return this.#inspections.get(pane.panePid)?.inspection ?? blindInspection(pane);
  }

  foregroundGroup(panePid: number): number | undefined {
    return this.#inspections.get(panePid)?.inspection.foregroundGroup;
  }

  groupAlive(group: number): boolean {
    return this.#processes().some((stat) => stat.group === group);
  }

  startTime(pid: number): string | undefined {
    return this.#processes().find((stat) => stat.pid === pid)?.startTime;
  }

  ports({ panePid }: PaneProcess): PortMonitor {
    const monitor = new RemoteListening(panePid, () => this.#monitors.delete(monitor));
    this.#monitors.add(monitor);
    // Ports that are open before a command is typed don't count for it; a failed request is repeated later.
    bestEffort(this.#inspector.refresh(monitor));
    return monitor;
  }

  watchExit(pid: number): ExitWatch {
    const watched: Watched = { pid, startTime: this.startTime(pid), exit: undefined };
    this.#watched.add(watched);
    return { poll: () => watched.exit, close: () => void this.#watched.delete(watched) };
  }

  #begin(): Promise<void> {
    return this.#refreshing ??= this.#ask().finally(() => this.#refreshing = undefined);
  }

  async #ask(): Promise<void> {
    const pids = [...this.#watched].map(({ pid }) => pid);
    try {
      const [inspections, stats] = await Promise.all([
        this.#inspector.inspectAll([...new Map(this.#panes.map((pane) => [pane.panePid, pane])).values()]),
        this.#inspector.stats(pids),
      ]);
      this.#inspections = inspections;
      for (const monitor of this.#monitors) await this.#inspector.refresh(monitor);
      if (stats === undefined) return;
      // The reply has nothing about a process that was added since this request.
      for (const watched of this.#watched) {
        if (pids.includes(watched.pid)) notice(watched, stats.get(watched.pid));
      }
    } catch (error) {
      this.#inspections = new Map();
      throw error;
    }
  }

  #processes(): ProcessStat[] {
    return [...this.#inspections.values()].flatMap(({ processes }) => processes);
  }

  /** Returns a shell on the machine. No second connection is needed: the shell is a session of the existing one. */
  async #shellOnMachine(): Promise<AskedShell> {
    if (this.#shell && !this.#shell.shell.hasEnded) return this.#shell.access;
    const wait = this.#startedAt + RESTART_MS - performance.now();
    if (wait > 0) await delay(wait);
    this.#startedAt = performance.now();
    const { host, bin, args, env, system, architecture } = this.#via;
    const shell = new RemoteShell(host, { bin, args: [...args, "exec sh"], env });
    const access = { ask: (code: string) => shell.ask(code), facts: { system, architecture } };
    this.#shell = { shell, access };
    return access;
  }
}

function notice(watched: Watched, stat: ProcessStat | undefined): void {
  if (watched.exit !== undefined) return;
  watched.startTime ??= stat?.startTime;
  if (isLive(stat) && stat.startTime === watched.startTime) return;
  const isZombie = stat?.startTime === watched.startTime && stat?.state === "Z";
  const isReported = isZombie && (stat.exitStatus !== 0 || stat.traceable);
  watched.exit = isReported ? parseWaitStatus(stat.exitStatus, "linux") : {};
}
