// Wakes sleeping workers when a process they wait for has used CPU time; one thread checks for all of them.
import type { Libc } from "../ffi/libc.ts";
import { CpuTimeTracker } from "../process/linux/cpu_time_tracker.ts";
import type { CpuTime } from "../process/probe.ts";

/** The interval of a worker that is awake, less the time it takes to wake one (ms). */
const POLL_MS = 140;

export class WakeScheduler {
  readonly #libc: Pick<Libc, "clock">;
  readonly #kept: Map<object, { cpuTimes: CpuTimeTracker; wake(): void }> = new Map();
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(libc: Pick<Libc, "clock">) {
    this.#libc = libc;
  }

  /** Calls `wake` once, when one of these has run; `sleeper` is kept for these alone from now on. */
  sleep(sleeper: object, awaited: readonly CpuTime[], wake: () => void): void {
    this.forget(sleeper);
    if (awaited.length === 0) return;
    this.#kept.set(sleeper, { cpuTimes: new CpuTimeTracker(this.#libc, awaited), wake });
    this.#clock ??= setInterval(() => this.#poll(), POLL_MS);
  }

  forget(sleeper: object): void {
    this.#kept.delete(sleeper);
    if (this.#kept.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #poll(): void {
    for (const [sleeper, { cpuTimes, wake }] of [...this.#kept]) {
      if (cpuTimes.check()) continue;
      this.forget(sleeper);
      wake();
    }
  }
}
