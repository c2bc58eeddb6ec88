// Linux: whether any of some processes has run since it was last asked, for a system call each.

import type { Libc } from "../libc.ts";

interface Watched {
  readonly id: number;
  /** Milliseconds of CPU time; NaN, which equals nothing, where they can't be counted. */
  ran: number;
}

/** Asking about more is no cheaper than a look. */
const MAX_PROCESSES = 32;
/** `CPUCLOCK_SCHED` (linux/posix-timers.h): what the scheduler counted, to the nanosecond. */
const CPUCLOCK_SCHED = 2;
/** The CPU time of a process is that of all its threads, and counts what ended ones had. */
export class Stillness {
  readonly #libc: Libc;
  #processes: readonly Watched[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** Watches these processes, and no others any more; none when they are too many. */
  watch(ids: readonly number[]): void {
    this.#processes = ids.length > MAX_PROCESSES ? [] : ids.map((id) => ({ id, ran: this.#ranFor(id) }));
  }

  covers(ids: readonly number[]): boolean {
    const processes = this.#processes;
    return processes.length > 0 && processes.length === ids.length &&
      processes.every(({ id }, index) => id === ids[index]);
  }

  /** Whether none of them has run since the last call, as far as can be known. */
  check(): boolean {
    let still = this.#processes.length > 0;
    for (const process of this.#processes) {
      const ran = this.#ranFor(process.id);
      if (ran !== process.ran) still = false;
      process.ran = ran;
    }
    return still;
  }

  #ranFor(id: number): number {
    const ms = this.#libc.clock(clockOf(id));
    // A kernel that counts by ticks knows nothing of a short run.
    return Number.isInteger(ms) ? NaN : ms;
  }
}

/** The clock of a process's CPU time, as `clock_getcpuclockid` makes it. */
function clockOf(pid: number): number {
  return ~pid << 3 | CPUCLOCK_SCHED;
}
