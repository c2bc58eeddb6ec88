// Linux: checks, with one system call per process, if processes have run since the last check.

import type { Libc } from "../../ffi/libc.ts";
import type { CpuTime } from "../probe.ts";

/** Largest number of processes: checking more is no cheaper than an inspection. */
const MAX_PROCESSES = 32;
/** `CPUCLOCK_SCHED` (linux/posix-timers.h): time counted by the scheduler, in nanoseconds. */
const CPUCLOCK_SCHED = 2;

/** Tracker of processes' CPU time, to which all their threads add, including ended ones. */
export class CpuTimeTracker {
  readonly #libc: Pick<Libc, "clock">;
  #times: readonly CpuTime[];

  constructor(libc: Pick<Libc, "clock">, times: readonly CpuTime[] = []) {
    this.#libc = libc;
    this.#times = times;
  }

  /** CPU times at the last check. */
  get times(): readonly CpuTime[] {
    return this.#times;
  }

  /** Watches these processes instead of earlier ones; none if they are too many. */
  watch(pids: readonly number[]): void {
    this.#times = pids.length > MAX_PROCESSES ? [] : pids.map((pid) => ({ pid, ran: this.#ranFor(pid) }));
  }

  covers(pids: readonly number[]): boolean {
    const times = this.#times;
    return times.length > 0 && times.length === pids.length &&
      times.every(({ pid }, index) => pid === pids[index]);
  }

  /** True if none of them has run since the last check. */
  check(): boolean {
    let still = this.#times.length > 0;
    for (const time of this.#times) {
      const ran = this.#ranFor(time.pid);
      if (ran !== time.ran) still = false;
      time.ran = ran;
    }
    return still;
  }

  #ranFor(pid: number): number {
    const ms = this.#libc.clock(clockOf(pid));
    // A kernel that counts in ticks misses a short run.
    return Number.isInteger(ms) ? NaN : ms;
  }
}

/** Id of the clock for a process's CPU time, as `clock_getcpuclockid` computes it. */
function clockOf(pid: number): number {
  return ~pid << 3 | CPUCLOCK_SCHED;
}
