// Linux: looks at a pane again and again, at little cost while nothing in front of it runs.

import type { Libc } from "../libc.ts";
import type { CpuTime, Lookout, PaneLook } from "../look.ts";
import { Stillness } from "./stillness.ts";

/** A look, and every process that would have to run before the next one can see anything else. */
export interface Survey {
  readonly look: PaneLook;
  /** Absent where that can't be told. */
  readonly processes?: readonly number[];
}

/** Should anything change without a process of ours to see, it is found this much later. */
const MAX_STILL_MS = 60_000;

/**
 * What a program waits for changes only when it runs, so a look holds until one of the processes it was about has. A
 * look takes some 120 µs, asking whether they have run 1 µs a process.
 */
export class PaneLookout implements Lookout {
  readonly #survey: () => Survey;
  readonly #stillness: Stillness;
  #last: { look: PaneLook; at: number } | undefined;

  constructor(libc: Libc, survey: () => Survey) {
    this.#survey = survey;
    this.#stillness = new Stillness(libc);
  }

  look(now: number = performance.now()): PaneLook {
    const still = this.#stillness.check();
    if (still && this.#last && now - this.#last.at < MAX_STILL_MS) return this.#last.look;
    const { look, processes = [] } = this.#survey();
    // Only what was asked before the look began tells whether any of it is old by now.
    const covered = this.#stillness.covers(processes);
    this.#last = covered ? { look, at: now } : undefined;
    if (!covered) this.#stillness.watch(processes);
    return look;
  }

  awaited(): readonly CpuTime[] | undefined {
    const { times } = this.#stillness;
    return this.#last && !times.some(({ ran }) => Number.isNaN(ran)) ? times : undefined;
  }

  close(): void {
    this.#stillness.watch([]);
    this.#last = undefined;
  }
}
