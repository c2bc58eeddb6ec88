// The shell that took a command, as a watch on the command knows it.
import type { ExitWatch, PaneInspection, Probe } from "../../src/process/probe.ts";
import { leadsToShell } from "../../src/process/relay_programs.ts";
import type { CommandMark } from "../../src/watch/protocol.ts";
import { StoppedJobs } from "./stopped_jobs.ts";

/** Time (ms) that a shell which may be done with its command waits before the host is asked, each time. */
const MAY_BE_DONE_MS = 500;

export class CommandShell {
  readonly #probe: Probe;
  readonly #recordedPid: number | undefined;
  #known: { pid: number; seen: boolean } | undefined;
  /** True if it is a client behind which the shell can't be seen. */
  #isClient = false;
  #stoppedJobs: StoppedJobs | undefined;
  #exit: { readonly pid: number; readonly watch: ExitWatch } | undefined;
  #isDone = false;
  /** True if mark D may have been lost. */
  #isCut = false;

  /** `pid`: pid of the shell, if that is known from the start. */
  constructor(probe: Probe, pid: number | undefined) {
    this.#probe = probe;
    this.#recordedPid = pid;
    if (pid !== undefined) this.#known = { pid, seen: true };
  }

  /** The facts that a follow which begins later has to know. */
  get known(): CommandMark["shell"] {
    return this.#known;
  }

  /** True once it has reported that the command is done; until then it may read on behalf of the command (`read x`). */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Notes which shell takes the command: it may have been starting before mark R, where fish runs a program. */
  note({ foregroundPid: pid, foregroundCmd, shell }: PaneInspection): void {
    if (this.#known?.seen && this.#known.pid !== pid) return;
    this.#known = { pid, seen: shell !== undefined };
    this.#isClient = leadsToShell(foregroundCmd);
    // This can't wait for mark C, because C and D can arrive together.
    this.#stoppedJobs = new StoppedJobs(this.#probe, pid);
  }

  /** Notes the shell of a command that this follow did not see begin. */
  resume({ kind, shell }: CommandMark): void {
    this.#isDone = kind === "done";
    this.#isCut = !this.#isDone;
    this.#known = shell;
    if (shell) this.#stoppedJobs = new StoppedJobs(this.#probe, shell.pid);
  }

  /** True if programs in the foreground help to find the job that the command leaves stopped. */
  get needsForeground(): boolean {
    return !this.#isDone && this.#stoppedJobs?.needsForeground === true;
  }

  noteForeground(group: number): void {
    this.#stoppedJobs?.noteForeground(group);
  }

  printed(bytes: Uint8Array): void {
    this.#stoppedJobs?.printed(bytes);
  }

  /**
   * Notes that it is done with the command; returns the pid of the job that the command has left stopped. Only now it is
   * in front for certain: fish runs a program there at mark R, and for its prompt.
   */
  done(status: number, inspect: () => PaneInspection | undefined): number | undefined {
    this.#isDone = true;
    if (this.#known?.seen === false) {
      const front = inspect();
      if (front?.shell !== undefined) this.#known = { pid: front.foregroundPid, seen: true };
    }
    return this.#stoppedJobs?.find(status, this.#known?.pid);
  }

  gap(): void {
    this.#isCut = true;
  }

  close(): void {
    this.#exit?.watch.close();
    this.#exit = undefined;
  }

  /** True if the process that is known takes the command, and is no program of a prompt. */
  get #takes(): boolean {
    return this.#known?.seen === true || this.#isClient;
  }

  /** True if its end is not the pane's, as of a shell that a person has opened. */
  endsAlone(panePid: number): boolean {
    return this.#takes && this.#known?.pid !== panePid;
  }

  /** True if it has ended, and another shell is in front, before it was done with the command. */
  isGone({ shell, foregroundPid }: PaneInspection): boolean {
    const { pid = foregroundPid } = this.#known ?? {};
    if (this.#isDone || shell === undefined || !this.#takes || pid === foregroundPid) return false;
    if (this.#exit?.pid !== pid) {
      this.close();
      this.#exit = { pid, watch: this.#probe.watchExit(pid) };
    }
    return this.#exit.watch.poll() !== undefined;
  }

  /** True if it waits for the next command, or another shell does because it has ended. */
  isOver(inspection: PaneInspection): boolean {
    // The record of a command that another process typed tells the end.
    const isRecorded = inspection.isPrompt === true && inspection.foregroundPid === this.#recordedPid;
    return this.#isDone || isRecorded || this.isGone(inspection);
  }

  /** Time (ms) that a wait must last to count. */
  leastWaitMs(inspection: PaneInspection): number {
    return this.mayBeDone(inspection) ? MAY_BE_DONE_MS : 0;
  }

  /** True if it waits and may be at its prompt, because mark D may be lost; fish's `read` looks the same. */
  mayBeDone({ isPrompt, shell, foregroundPid }: PaneInspection): boolean {
    return this.#isCut && isPrompt !== false && shell !== undefined && foregroundPid === this.#known?.pid;
  }
}
