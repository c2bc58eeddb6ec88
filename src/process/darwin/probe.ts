// The probe of macOS.

import { plainName } from "../plain_name.ts";
import type { Ending } from "../ending.ts";
import { classifyDarwin, DarwinKernel, type DarwinProcess, type KinfoProc, ZOMBIE } from "./facts.ts";
import type { Libc } from "../../ffi/libc.ts";
import {
  type ExitWatch,
  goneInspection,
  groupExists,
  type PaneInspection,
  type PaneProcess,
  type Probe,
} from "../probe.ts";
import type { ProcessInspector } from "../process_inspector.ts";
import { waitsAtPrompt } from "../shell_wait.ts";
import { findInteractiveShell } from "../shells.ts";
import { parseWaitStatus } from "../signals.ts";
import { readTerminalMode } from "../terminal.ts";

/** The system counts the start of a process on this clock, in seconds since 1970. */
const CLOCK_REALTIME = 0;

/** Probe that remembers each group's counters: a group without progress between two inspections counts as blocked. */
export class DarwinProbe implements Probe, ProcessInspector {
  readonly #libc: Libc;
  readonly #kernel: DarwinKernel;
  readonly #progress = new Map<number, ReadonlyMap<number, string>>();

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#kernel = new DarwinKernel(libc);
  }

  inspect({ panePid, tty }: PaneProcess): PaneInspection {
    const pane = this.#live(panePid);
    if (pane === undefined) {
      this.#progress.delete(panePid);
      return goneInspection(panePid);
    }
    const group = groupOf(pane);
    const processes = this.#members(panePid, group);
    const mode = readTerminalMode(this.#libc, tty);
    const first = processes[0] ?? pane;
    const image = this.#kernel.image(first.pid) ?? { argv: [first.comm] };
    const shell = findInteractiveShell(image);
    const { beside: _, ...verdict } = classifyDarwin({ terminal: tty, processes, ...(mode && { mode }) });
    const { waitingForInput, edited, evidence } = verdict;
    const unknown = { reader: undefined, sleep: () => undefined, blocksChildren: () => false };
    const isPrompt = shell !== undefined && waitingForInput &&
      waitsAtPrompt({ shell, shellPid: first.pid, edited, evidence, ...unknown });
    return {
      panePid,
      foregroundPid: first.pid,
      foregroundCmd: plainName(first.comm),
      foregroundGroup: group,
      isAlive: true,
      ...(shell && { shell }),
      ...verdict,
      ...(mode && { canonical: mode.canonical }),
      ...(shell && waitingForInput && { isPrompt }),
    };
  }

  /** Members of a group: the leader first, then by age, the oldest first. */
  #members(panePid: number, group: number): DarwinProcess[] {
    const before = this.#progress.get(panePid);
    const members = this.#kernel.group(group).filter(({ stat }) => stat !== ZOMBIE)
      .sort((a, b) =>
        Number(b.pid === group) - Number(a.pid === group) || Number(a.startTime) - Number(b.startTime)
      )
      .map((member) => this.#measure(member, before?.get(member.pid)));
    this.#progress.set(panePid, new Map(members.map(({ pid, task }) => [pid, task?.progress ?? ""])));
    return members;
  }

  #measure(member: KinfoProc, before: string | undefined): DarwinProcess {
    const task = this.#kernel.task(member.pid);
    const otherSources = this.#kernel.otherSources(member.pid);
    return {
      ...member,
      ...(task && { task }),
      ...(before && { before }),
      ...(otherSources !== undefined && { otherSources }),
    };
  }

  #live(pid: number): KinfoProc | undefined {
    const process = this.#kernel.process(pid);
    return process?.stat === ZOMBIE ? undefined : process;
  }

  foregroundGroup(panePid: number): number | undefined {
    const pane = this.#live(panePid);
    return pane && groupOf(pane);
  }

  groupAlive(group: number): boolean {
    return groupExists(this.#libc, group);
  }

  startTime(pid: number): string | undefined {
    return this.#live(pid)?.startTime;
  }

  ageMs(pid: number): number | undefined {
    const startTime = this.startTime(pid);
    return startTime === undefined ? undefined : this.#libc.clock(CLOCK_REALTIME) - Number(startTime) * 1000;
  }

  image(): undefined {}

  sleeps(): undefined {}

  ending(pid: number): Ending | undefined {
    return this.watchExit(pid).poll();
  }

  /** Watches a process; its status exists only until its parent collects it. */
  watchExit(pid: number): ExitWatch {
    const startTime = this.startTime(pid);
    return {
      poll: () => {
        const now = this.#kernel.process(pid);
        if (now === undefined || now.startTime !== startTime) return {};
        return now.stat === ZOMBIE ? parseWaitStatus(now.exitStatus, "darwin") : undefined;
      },
      close() {},
    };
  }
}

function groupOf(pane: KinfoProc): number {
  return pane.foregroundGroup > 0 ? pane.foregroundGroup : pane.group;
}
