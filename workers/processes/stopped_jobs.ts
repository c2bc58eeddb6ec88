// Finds the job that a command has left stopped in its shell.
import type { Probe, StoppedJob } from "../../src/process/probe.ts";
import { STOP_STATUSES } from "../../src/shell/marks.ts";
import { ifDescriptorsLeft } from "./descriptor_shortage.ts";

/** Shells that report no stop status, with the status they report instead: in fish that of the command before. */
const SILENT_SHELLS: Readonly<Record<string, number | "any">> = { fish: "any", ksh: 0, mksh: 0 };
/** Most characters of output between `^Z` and mark D: what the shell prints of the job, with its command line. */
const TAIL_LENGTH = 2048;

export class StoppedJobs {
  readonly #probe: Probe;
  #shellPid: number;
  /** Jobs that were already stopped before the command began. */
  readonly #before: ReadonlySet<number>;
  /** True if the foreground matters: the shell reports no stop status, or may become such a shell. */
  readonly needsForeground: boolean;
  /** Groups that the terminal has had in front since then. */
  readonly #inFront: Set<number> = new Set();
  /** End of the output since then. */
  #tail = "";

  constructor(probe: Probe, shellPid: number) {
    this.#probe = probe;
    this.#shellPid = shellPid;
    this.#before = new Set(this.#list().map(({ pid }) => pid));
    const shell = this.#shell;
    this.needsForeground = probe.stoppedJobs !== undefined && (shell === undefined || shell in SILENT_SHELLS);
  }

  noteForeground(group: number): void {
    this.#inFront.add(group);
  }

  /** Notes output of the command. */
  printed(bytes: Uint8Array): void {
    if (!this.needsForeground) return;
    const text = new TextDecoder("latin1").decode(bytes.subarray(-TAIL_LENGTH));
    this.#tail = (this.#tail + text).slice(-TAIL_LENGTH);
  }

  /**
   * Returns the stopped job that the command left with this status; for a pipeline the last process, which sets its
   * status. A shell that reports no stop status must have had the job in front, or its terminal shows Ctrl-Z: any other
   * job is one of the background, which SIGTTIN stops. The shell is named only now: a program that starts a shell can
   * become it (`exec`). Its own process is asked, because the program that printed mark D for it can still be in front.
   * `shellPid` is its pid, as far as it is known better by now.
   */
  find(status: number, shellPid = this.#shellPid): number | undefined {
    this.#shellPid = shellPid;
    const jobs = this.#list().filter(({ pid }) => !this.#before.has(pid));
    if (STOP_STATUSES.has(status)) return jobs.at(-1)?.pid;
    const silent = jobs.length > 0 ? SILENT_SHELLS[this.#shell ?? ""] : undefined;
    if (silent !== "any" && silent !== status) return undefined;
    const wasKeyed = this.#tail.includes("^Z");
    return jobs.findLast(({ group }) => wasKeyed || this.#inFront.has(group))?.pid;
  }

  get #shell(): string | undefined {
    return ifDescriptorsLeft(() => this.#probe.shellName?.(this.#shellPid), undefined);
  }

  #list(): readonly StoppedJob[] {
    return ifDescriptorsLeft(() => this.#probe.stoppedJobs?.(this.#shellPid) ?? [], []);
  }
}
