// Linux: inspects a pane repeatedly, at little cost while its foreground does not run.

import type { Libc } from "../../ffi/libc.ts";
import type { CpuTime, PaneInspection, PaneProbe } from "../probe.ts";
import { CpuTimeTracker } from "./cpu_time_tracker.ts";

/** An inspection, and the processes of which one must run before the next inspection can differ. */
export interface TracedInspection {
  readonly inspection: PaneInspection;
  /** Those processes; absent if they are unknown. */
  readonly processes?: readonly number[];
}

/** Longest time (ms) until a change is found that happened without any of these processes running. */
const MAX_STILL_MS = 60_000;

/**
 * Cache of a pane's inspections. A program's wait changes only when the program runs, so an inspection holds until
 * one of its processes has run. An inspection takes some 120 µs, checking if processes have run 1 µs for each.
 */
export class CachedPaneProbe implements PaneProbe {
  readonly #snapshot: () => TracedInspection;
  readonly #cpuTimes: CpuTimeTracker;
  #last: { inspection: PaneInspection; at: number } | undefined;

  constructor(libc: Libc, snapshot: () => TracedInspection) {
    this.#snapshot = snapshot;
    this.#cpuTimes = new CpuTimeTracker(libc);
  }

  inspect(now: number = performance.now()): PaneInspection {
    const still = this.#cpuTimes.check();
    if (still && this.#last && now - this.#last.at < MAX_STILL_MS) return this.#last.inspection;
    const { inspection, processes = [] } = this.#snapshot();
    // Only CPU times from before the inspection began can show that it is out of date.
    const covered = this.#cpuTimes.covers(processes);
    this.#last = covered ? { inspection, at: now } : undefined;
    if (!covered) this.#cpuTimes.watch(processes);
    return inspection;
  }

  awaited(): readonly CpuTime[] | undefined {
    const { times } = this.#cpuTimes;
    return this.#last && !times.some(({ ran }) => Number.isNaN(ran)) ? times : undefined;
  }

  close(): void {
    this.#cpuTimes.watch([]);
    this.#last = undefined;
  }
}
