// Finds the job that a command has left stopped in its shell.
import type { Probe } from "../src/process/probe.ts";
import { attempt } from "./attempt.ts";

/** Exit statuses that shells report for programs stopped by SIGTSTP, SIGSTOP, SIGTTIN or SIGTTOU, on Linux. */
const STOP_STATUSES = new Set([147, 148, 149, 150]);
/** Shells that report no stop status, with the status they report instead: in fish that of the command before. */
const SILENT_SHELLS: Readonly<Record<string, number | "any">> = { fish: "any", ksh: 0, mksh: 0 };

export class StoppedJobs {
  readonly #probe: Probe;
  readonly #shell: { pid: number; name: string | undefined };
  /** Jobs that were already stopped before the command began. */
  readonly #before: readonly number[];

  constructor(probe: Probe, shell: { pid: number; name: string | undefined }) {
    this.#probe = probe;
    this.#shell = shell;
    this.#before = this.#list();
  }

  /**
   * Returns the stopped job that the command left with this status; for a pipeline the last process, which sets its
   * status.
   */
  find(status: number): number | undefined {
    const silent = SILENT_SHELLS[this.#shell.name ?? ""];
    if (silent !== "any" && silent !== status && !STOP_STATUSES.has(status)) return undefined;
    return this.#list().findLast((job) => !this.#before.includes(job));
  }

  #list(): readonly number[] {
    return attempt(() => this.#probe.stoppedJobs?.(this.#shell.pid) ?? [], []);
  }
}
