// Inspects a pane's programs repeatedly, and fires the triggers on them.
import {
  type CpuTime,
  describeWaiting,
  openPaneProbe,
  type PaneInspection,
  type PaneProbe,
  type Probe,
  toReport,
} from "../../src/process/probe.ts";
import { UNSEEN } from "../../src/process/classify.ts";
import { describeEnding, type Ending, isKnown } from "../../src/process/ending.ts";
import { InputWait } from "../../src/process/input_wait.ts";
import { drawsNothing } from "../../src/terminal/sequence.ts";
import type { Poller } from "../../src/ffi/poller.ts";
import type { CommandMark, FollowSpec, PaneRef, Report, Trigger } from "../../src/watch/protocol.ts";
import { ifDescriptorsLeft } from "./descriptor_shortage.ts";
import { CommandShell } from "./command_shell.ts";
import { ExitNotifier } from "./exit_notifier.ts";
import { ENDING_MS, ENDING_POLL_MS, PaneExit } from "./pane_exit.ts";
import { PortTriggers } from "./port_triggers.ts";

export interface ProcessTriggersOptions {
  pane: PaneRef;
  probe: Probe;
  poller: Poller;
  /** With marks, the watch is on a command in the pane's shell, so the shell's own prompt does not count. */
  spec: FollowSpec;
  /** Called when the pane's own process, or the one in front, has ended. */
  ended(): void;
}

export interface ProcessFired {
  trigger: Trigger;
  detail: string;
  ending?: Ending;
  mayBeDone?: boolean;
}

/** Group id for a process that no terminal has in front. */
const NO_GROUP = 0;

export class ProcessTriggers {
  readonly #options: ProcessTriggersOptions;
  readonly #kinds: ReadonlySet<Trigger["kind"]>;
  readonly paneExit: PaneExit;
  readonly #paneProbe: PaneProbe;
  readonly #ports: PortTriggers;
  /** True if a shell was in front when the watch began, and no program has been since. */
  #atShell = false;
  /** `works`: it was a shell that did not wait, because it worked itself or for a program in its own group. */
  #watched: { group: number; exit: ExitNotifier; works?: boolean } | undefined;
  #goneSince: number | undefined;
  /** True if the shell has asked nothing since, either. */
  #wasShell = true;
  readonly #shell: CommandShell;
  #frontShellPid = 0;
  readonly #input = new InputWait();
  isHandedOver = false;
  #printedAt = -Infinity;

  constructor(options: ProcessTriggersOptions) {
    this.#options = options;
    const { probe, pane, spec: { triggers, marks, shellPid } } = options;
    const inspection = this.#inspect();
    this.#shell = new CommandShell(probe, shellPid);
    this.#kinds = new Set(triggers.map(({ kind }) => kind));
    const before = marks?.last?.listening;
    this.#ports = new PortTriggers({ pane, probe, triggers, onlyNew: marks !== undefined, before });
    this.paneExit = new PaneExit(inspection, probe.watchExit(pane.panePid), options.poller, options.ended);
    this.#paneProbe = openPaneProbe(probe, pane);
    try {
      if (marks?.last) this.#noteLast(marks.last);
      else if (marks) this.#shell.note(inspection);
      else this.#watchForeground(inspection);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Notes a mark, and returns it with what a follow that begins after it has to know. */
  mark(mark: CommandMark): CommandMark {
    if (mark.kind === "ready") ifDescriptorsLeft(() => this.#shell.note(this.#inspect()), undefined);
    if (mark.kind === "output") this.#wasShell = false;
    const stoppedPid = mark.kind === "done" ? this.#commandDone(mark.status) : undefined;
    return { ...mark, stoppedPid, shell: this.#shell.known, listening: this.#ports.before };
  }

  /** Notes the shell of a command that it did not see begin, and the job that the command has left stopped. */
  #noteLast(last: CommandMark): void {
    this.#wasShell = last.kind === "ready";
    this.#shell.resume(last);
    if (last.stoppedPid !== undefined) this.#watchStopped(last.stoppedPid);
  }

  /** Notes that a person is answering the program, and returns that; its question does not fire until then. */
  handOver(): InputWait["reader"] {
    this.isHandedOver = true;
    return this.#input.reader;
  }

  /** Lets the program's next question fire again. */
  asksAgain(): void {
    this.isHandedOver = false;
    this.#input.reset();
  }

  gap(): void {
    this.#shell.gap();
  }

  printed(bytes: Uint8Array, now: number): void {
    if (!drawsNothing(bytes)) this.#printedAt = now;
    this.#shell.printed(bytes);
  }

  /**
   * Notes that the shell is done with the command and waits from now on. For a pipeline, the stopped job is the last
   * process, which sets the pipeline's status.
   */
  #commandDone(status: number): number | undefined {
    const pid = this.#shell.done(status, () => ifDescriptorsLeft(() => this.#inspect(), undefined));
    if (pid !== undefined) this.#watchStopped(pid);
    return pid;
  }

  #watchStopped(pid: number): void {
    this.#watched?.exit.close();
    this.#watched = { group: NO_GROUP, exit: this.#watchExit(pid) };
  }

  check(now: number): ProcessFired | undefined {
    return ifDescriptorsLeft(() => this.#check(now), undefined);
  }

  #check(now: number): ProcessFired | undefined {
    const inspection = this.#inspects ? this.#paneProbe.inspect(now) : undefined;
    if (inspection) this.#note(inspection, now);
    for (const trigger of this.#options.spec.triggers) {
      const fired = this.#judge(trigger, inspection, now);
      // The end of a program comes before what the caller names later, though its code may be unknown yet.
      if (fired || trigger.kind === "exit" && this.#goneSince !== undefined) return fired;
    }
    return undefined;
  }

  /** Time (ms) after which another inspection can settle what this one left open; undefined if nothing is open. */
  askAgainIn(now: number): number | undefined {
    if (this.#goneSince !== undefined) return ENDING_POLL_MS;
    return this.#input.dueIn(now);
  }

  /** True if the end of a program, or a wait that had begun by a time, may fire in a moment. */
  isUndecided(now: number, begun: number): boolean {
    return this.#goneSince !== undefined || (!this.isHandedOver && this.#input.isUndecided(now, begun));
  }

  /**
   * Processes of which one must run before there is anything to find, other than ends, which are reported; undefined
   * if polling is the only way. `checked`: more is needed than whether the pane's process is alive.
   */
  awaited(checked: boolean): readonly CpuTime[] | undefined {
    const exits = [
      this.paneExit,
      ...(checked && this.#kinds.has("exit") && this.#watched ? [this.#watched.exit] : []),
    ];
    if (!exits.every(({ notifies }) => notifies)) return undefined;
    // Any process of the pane can begin to listen, and those are found by polling.
    if (checked && this.#ports.isNeeded) return undefined;
    if (!checked || !this.#inspects) return [];
    return this.#input.isOpen ? undefined : this.#paneProbe.awaited?.();
  }

  /** Returns the pane's state, or none if there is no descriptor to inspect it with. */
  report(): Pick<Report, "state" | "waits"> {
    return ifDescriptorsLeft(() => {
      const inspection = this.#inspect();
      const isAlive = inspection.isAlive && !this.paneExit.isReported;
      const state = { ...toReport(inspection), isAlive, ...!isAlive && this.paneExit.poll() };
      return { state, ...inspection.waitingForInput && { waits: describeWaiting(inspection) } };
    }, undefined) ?? {};
  }

  /** True if anything here is about processes. */
  get isNeeded(): boolean {
    return this.#inspects || this.#kinds.has("exit") || this.#ports.isNeeded;
  }

  /** True if more is needed than the ends of processes. */
  get #inspects(): boolean {
    return this.#kinds.has("user_input") || this.#kinds.has("shell") ||
      this.#kinds.has("exit") && (this.#atShell || this.#shell.endsAlone(this.#options.pane.panePid)) ||
      this.#shell.needsForeground;
  }

  close(): void {
    this.paneExit.close();
    this.#paneProbe.close();
    this.#ports.close();
    this.#watched?.exit.close();
    this.#shell.close();
  }

  #inspect(): PaneInspection {
    return this.#options.probe.inspect(this.#options.pane);
  }

  #watchForeground({ shell, isPrompt, foregroundPid: pid, foregroundGroup: group }: PaneInspection): void {
    this.#atShell = shell !== undefined;
    this.#wasShell = this.#atShell && isPrompt !== false;
    this.#watched?.exit.close();
    this.#watched = { group, exit: this.#watchExit(pid), works: isPrompt === undefined };
  }

  #watchExit(pid: number): ExitNotifier {
    const { probe, poller, ended } = this.#options;
    return new ExitNotifier(probe.watchExit(pid), poller, ended);
  }

  #judge(trigger: Trigger, inspection: PaneInspection | undefined, now: number): ProcessFired | undefined {
    switch (trigger.kind) {
      case "exit":
        return this.#exited(trigger, now) ??
          (inspection &&
            (this.#shellGone(trigger, inspection) ?? this.#endedBefore(trigger, inspection, now)));
      case "shell":
        return inspection &&
          (this.#backAtShell(trigger, inspection) ?? this.#endedBefore(trigger, inspection, now));
      case "user_input":
        return inspection && !this.isHandedOver && this.#input.asks(now)
          ? { trigger, detail: describeWaiting(inspection), mayBeDone: this.#shell.mayBeDone(inspection) }
          : undefined;
      case "port": {
        const detail = this.#ports.find(trigger, now);
        return detail === undefined ? undefined : { trigger, detail };
      }
      case "pattern":
      case "error":
      case "bell":
      case "idle":
      case "output":
        return undefined;
      default:
        return trigger satisfies never;
    }
  }

  #exited(trigger: Trigger, now: number): ProcessFired | undefined {
    const watched = this.#watched;
    if (!watched || this.#lives(watched)) return this.#goneSince = undefined;
    const ending = watched.exit.poll() ?? {};
    this.#goneSince ??= now;
    if (!isKnown(ending) && now - this.#goneSince < ENDING_MS) return undefined;
    return { trigger, detail: describeEnding(ending), ending };
  }

  /** Fires if the command has ended its shell, as `exit` does: then no mark says that it has ended. */
  #shellGone(trigger: Trigger, inspection: PaneInspection): ProcessFired | undefined {
    const isOver = inspection.isPrompt && this.#shell.isGone(inspection);
    return isOver ? { trigger, detail: "The command's shell has ended" } : undefined;
  }

  #lives({ exit, group }: { exit: ExitNotifier; group: number }): boolean {
    const { probe, pane } = this.#options;
    if (!exit.ended) return true;
    // The rest of a pipeline lives on in the group that is named after its first process.
    return probe.foregroundGroup(pane.panePid) === group && probe.groupAlive(group);
  }

  /** Fires when a shell is in front again. One that does not wait may be a forked child before its exec. */
  #backAtShell(trigger: Trigger, inspection: PaneInspection): ProcessFired | undefined {
    const pid = inspection.shell === undefined ? 0 : inspection.foregroundPid;
    const stays = pid !== 0 && pid === this.#frontShellPid && inspection.evidence.includes(UNSEEN);
    this.#frontShellPid = pid;
    if (pid === 0) this.#wasShell = false;
    if (pid === 0 || this.#wasShell || !(inspection.isPrompt || stays)) return undefined;
    if (pid === this.#shell.known?.pid && !this.#shell.isDone) return undefined;
    return { trigger, detail: `Back at the shell (${inspection.shell})` };
  }

  /** Notes what an inspection shows of a waiting program, and of one that replaced the shell in front. */
  #note(inspection: PaneInspection, now: number): void {
    this.#shell.noteForeground(inspection.foregroundGroup);
    const isShell = inspection.shell !== undefined;
    if (this.#atShell && !isShell && inspection.isAlive) this.#watchForeground(inspection);
    const counts = this.#kinds.has("user_input") || (this.#atShell && isShell);
    if (!counts || isShell && this.#shell.isOver(inspection)) this.#input.reset();
    else this.#input.note(inspection, now, this.#printedAt, this.#shell.leastWaitMs(inspection));
    if (inspection.isPrompt === false) this.#wasShell = false;
  }

  /** Fires for a program that ended just before the watch began, or for a shell that has asked something. */
  #endedBefore(trigger: Trigger, { shell, isPrompt }: PaneInspection, now: number): ProcessFired | undefined {
    if (!this.#atShell || !isPrompt || !this.#input.asks(now)) return undefined;
    const isOld = this.#wasShell && !this.#watched?.works;
    const at = isOld ? "was already at its prompt: no program runs there" : "is at its prompt again";
    return { trigger, detail: `${shell} ${at}` };
  }
}
