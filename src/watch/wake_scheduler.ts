// Wakes sleeping workers when a process that they wait for has used CPU time; one thread checks for all of them.
import type { Libc } from "../ffi/libc.ts";
import { CpuTimeTracker } from "../process/linux/cpu_time_tracker.ts";
import type { CpuTime } from "../process/probe.ts";

/** Polling interval (ms): the interval of an awake worker, less the time that waking one takes. */
const POLL_MS = 140;

export class WakeScheduler {
  readonly #libc: Pick<Libc, "clock">;
  readonly #sleepers: Map<object, { cpuTimes: CpuTimeTracker; wake(): void }> = new Map();
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(libc: Pick<Libc, "clock">) {
    this.#libc = libc;
  }

  /** Calls `wake` once, when one of these processes has run. It replaces what `sleeper` waited for before. */
  sleep(sleeper: object, awaited: readonly CpuTime[], wake: () => void): void {
    this.forget(sleeper);
    if (awaited.length === 0) return;
    this.#sleepers.set(sleeper, { cpuTimes: new CpuTimeTracker(this.#libc, awaited), wake });
    this.#clock ??= setInterval(() => this.#poll(), POLL_MS);
  }

  forget(sleeper: object): void {
    this.#sleepers.delete(sleeper);
    if (this.#sleepers.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #poll(): void {
    for (const [sleeper, { cpuTimes, wake }] of [...this.#sleepers]) {
      if (cpuTimes.check()) continue;
      this.forget(sleeper);
      wake();
    }
  }
}
