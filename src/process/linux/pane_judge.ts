// Linux: judges a pane by its processes, on this machine or another.

import { classify, type ProcessFacts, type Verdict } from "../classify.ts";
import { findLeader, type Foreground, groupInFront, isLive } from "./foreground.ts";
import {
  goneInspection,
  inspectionBehind,
  type PaneInspection,
  type PaneProcess,
  type ReadSleep,
  runningBehind,
} from "../probe.ts";
import type { LibuvLoops } from "./libuv.ts";
import type { Proc, ProcessStat } from "./proc.ts";
import { plainName } from "../plain_name.ts";
import { commandName } from "./process_name.ts";
import { ProcessFactReader } from "./process_facts.ts";
import { findInnerSession, MAX_RELAYS } from "./relays.ts";
import { waitsAtPrompt } from "../shell_wait.ts";
import { findInteractiveShell } from "../shells.ts";
import { isOf32Bits } from "./syscalls.ts";
import type { TerminalMode } from "../terminal.ts";

/** Link of a descriptor that is a pipe, socket or file. A terminal of another mount namespace is `/3`. */
const SCRIPT = /^(pipe:|socket:|\/(?!dev\/|\d+$))/;

export interface PaneJudgeOptions {
  readonly loops: LibuvLoops;
  findForeground(pane: ProcessStat, leader: ProcessStat | undefined): Foreground;
  /** Returns programs that read the terminal for one of the group; undefined if none of these has such a program. */
  findServers?(group: readonly ProcessStat[]): readonly ProcessStat[] | undefined;
  /** Adds to an inspection what it takes to tell a shell's prompt from its question later. */
  readonly reportsSleep?: boolean;
}

export interface JudgedPane {
  readonly inspection: PaneInspection;
  /** The pane's own process, then its readers; absent if another process mattered. */
  readonly seen?: readonly ProcessStat[];
}

interface Judged {
  readonly pane: ProcessStat;
  readonly first: ProcessStat;
  readonly verdict: Verdict;
  readonly mode: TerminalMode | undefined;
  readonly relays: number;
  inFront(): readonly ProcessStat[];
}

export class PaneJudge {
  readonly #proc: Proc;
  readonly #options: PaneJudgeOptions;

  constructor(proc: Proc, options: PaneJudgeOptions) {
    this.#proc = proc;
    this.#options = options;
  }

  judge(place: PaneProcess, relays = MAX_RELAYS): JudgedPane {
    const { panePid, tty } = place;
    const pane = this.#proc.paneStat(panePid);
    if (!isLive(pane)) return { inspection: goneInspection(panePid) };
    const mode = this.#proc.terminalMode(place);
    const { loops, findForeground, findServers } = this.#options;
    const readers = new ProcessFactReader(this.#proc, loops, { identity: this.#proc.identity(tty), mode });
    const leader = findLeader(this.#proc, groupInFront(pane));
    const judge = (processes: readonly ProcessFacts[]) =>
      classify({ terminal: tty, processes, ...(mode && { mode }) });
    // One reader is enough, and that is nearly always the leader, so no walk is needed.
    const leading = leader && readers.gather(leader, { inGroup: true });
    if (leader && leading?.threads.some((thread) => thread.terminalFd !== undefined)) {
      const inFront = () => findForeground(pane, leader).group;
      return {
        inspection: this.#answer({ pane, first: leader, verdict: judge([leading]), mode, relays, inFront }),
      };
    }
    const { group, detached } = findForeground(pane, leader);
    const servers = findServers?.(group);
    const outside = [...detached, ...servers ?? []];
    const verdict = judge([
      ...group.map((stat) => stat.pid === leading?.pid ? leading : readers.gather(stat, { inGroup: true })),
      ...outside.map((stat) => readers.gather(stat, { inGroup: false })),
    ]);
    const first = group[0] ?? pane;
    const inspection = this.#answer({ pane, first, verdict, mode, relays, inFront: () => group });
    const whole = leader && servers === undefined && verdict.reader === undefined;
    return whole ? { inspection, seen: [pane, ...group, ...outside] } : { inspection };
  }

  #answer({ pane, first, verdict, mode, relays, inFront }: Judged): PaneInspection {
    const { reader, passedTo, beside: what, ...rest } = verdict;
    const beside = what === undefined ? {} : { beside: { what, ranMs: sum(inFront()) } };
    const front = this.#front(pane, first);
    const canonical = mode && { canonical: mode.canonical };
    const outer = { ...front, ...rest, ...canonical, ...this.#prompt(front, verdict), ...beside };
    const relay = reader === undefined || relays === 0 ? undefined : this.#proc.stat(reader);
    const behind = relay && findInnerSession(this.#proc, relay, passedTo);
    if (relay === undefined || behind === undefined) return outer;
    const inner = this.judge(behind, relays - 1).inspection;
    // The relay may still have to pass on output that the program behind it printed before it waited.
    const passes = this.#proc.stat(relay.pid)?.state !== "S";
    return inspectionBehind(outer, plainName(relay.comm), passes ? runningBehind(inner) : inner);
  }

  #front(pane: ProcessStat, first: ProcessStat) {
    const argv = this.#proc.argv(first.thread);
    const shell = first.forked ? undefined : this.shellName(first.thread, argv);
    const { reportsSleep } = this.#options;
    const sleep = reportsSleep ? this.sleep(first.pid) : undefined;
    return {
      panePid: pane.pid,
      foregroundPid: first.pid,
      foregroundCmd: commandName(first.comm, argv),
      foregroundGroup: groupInFront(pane),
      isAlive: true,
      ...(shell && { shell }),
      ...(shell && sleep && { sleep }),
      ...(shell && reportsSleep && { blocksChildren: first.blocksChildren }),
    };
  }

  #prompt(
    { shell, foregroundPid }: Pick<PaneInspection, "shell" | "foregroundPid">,
    { waitingForInput, reader, edited, evidence }: Verdict,
  ): Pick<PaneInspection, "isPrompt"> {
    if (shell === undefined || !waitingForInput) return {};
    const sleep = () => this.sleep(foregroundPid);
    const blocksChildren = () => this.#proc.stat(foregroundPid)?.blocksChildren === true;
    const wait = { shell, shellPid: foregroundPid, reader, edited, evidence, sleep, blocksChildren };
    return { isPrompt: waitsAtPrompt(wait) };
  }

  /** Returns the read that a process's main thread sleeps in; `awake` if it is in none, undefined if that is hidden. */
  sleep(pid: number): ReadSleep | "awake" | undefined {
    const blocked = this.#proc.blockedCall(pid, pid);
    const file = this.#proc.identity(`/proc/${pid}/exe`);
    if (blocked === "hidden" || file === undefined) return undefined;
    if (blocked && isOf32Bits(blocked)) return undefined;
    // Undefined if the calls of its machine are unknown.
    const call = blocked && this.#proc.calls?.describe(blocked.number);
    if (blocked === undefined || call?.shape === "other") return "awake";
    // 0 if the kernel hides where the stack begins.
    const began = BigInt(this.#proc.stat(pid)?.stack ?? "0");
    const [fd = 0n, buffer = 0n, wanted] = blocked.args;
    const isOnStack = buffer >= blocked.stack && buffer < began;
    return {
      ...(call?.name === "read" && { wantedBytes: Number(wanted), fd: Number(fd), isOnStack }),
      ...(began > blocked.stack && { depth: Number(began - blocked.stack) }),
      program: file.inode,
    };
  }

  shellName(pid: number, argv = this.#proc.argv(pid)): string | undefined {
    const executable = this.#proc.executable(pid);
    const readsScript = () => SCRIPT.test(this.#proc.descriptorLink(pid, 0) ?? "");
    return findInteractiveShell({ argv, ...(executable && { executable }), readsScript });
  }
}

function sum(processes: readonly ProcessStat[]): number {
  return processes.reduce((total, { ranMs }) => total + ranMs, 0);
}
