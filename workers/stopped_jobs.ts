// Finds the job that a command has left stopped in its shell.
import type { Probe } from "../src/process/probe.ts";
import { attempt } from "./attempt.ts";

/** Exit statuses that shells report for programs stopped by SIGTSTP, SIGSTOP, SIGTTIN or SIGTTOU, on Linux. */
const STOP_STATUSES = new Set([147, 148, 149, 150]);
/** Shells that report no stop status, with the status they report instead: in fish that of the command before. */
const SILENT_SHELLS: Readonly<Record<string, number | "any">> = { fish: "any", ksh: 0, mksh: 0 };

export class StoppedJobs {
  readonly #probe: Probe;
  readonly #shellPid: number;
  /** Jobs that were already stopped before the command began. */
  readonly #before: readonly number[];

  constructor(probe: Probe, shellPid: number) {
    this.#probe = probe;
    this.#shellPid = shellPid;
    this.#before = this.#list();
  }

  /**
   * Returns the stopped job that the command left with this status; for a pipeline the last process, which sets its
   * status. The shell is named only now: a program that starts a shell can become it (`exec`). Its own process is
   * asked, because the program that printed mark D for it can still be in front.
   */
  find(status: number): number | undefined {
    const job = this.#list().findLast((job) => !this.#before.includes(job));
    if (job === undefined || STOP_STATUSES.has(status)) return job;
    const silent = SILENT_SHELLS[attempt(() => this.#probe.shellName?.(this.#shellPid), undefined) ?? ""];
    return silent === "any" || silent === status ? job : undefined;
  }

  #list(): readonly number[] {
    return attempt(() => this.#probe.stoppedJobs?.(this.#shellPid) ?? [], []);
  }
}
