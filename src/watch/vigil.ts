// Sees for workers that sleep whether a process they wait for has run: one thread wakes up for all of them.
import type { Libc } from "../process/libc.ts";
import { Stillness } from "../process/linux/stillness.ts";
import type { CpuTime } from "../process/look.ts";

/** As often as a worker that is awake looks (ms), less the time it takes to wake it. */
const LOOK_MS = 140;

export class Vigil {
  readonly #libc: Pick<Libc, "clock">;
  readonly #kept: Map<object, { stillness: Stillness; wake(): void }> = new Map();
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(libc: Pick<Libc, "clock">) {
    this.#libc = libc;
  }

  /** Calls `wake` once, when one of these has run; `sleeper` is kept for these alone from now on. */
  keep(sleeper: object, awaited: readonly CpuTime[], wake: () => void): void {
    this.forget(sleeper);
    if (awaited.length === 0) return;
    this.#kept.set(sleeper, { stillness: new Stillness(this.#libc, awaited), wake });
    this.#clock ??= setInterval(() => this.#look(), LOOK_MS);
  }

  forget(sleeper: object): void {
    this.#kept.delete(sleeper);
    if (this.#kept.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #look(): void {
    for (const [sleeper, { stillness, wake }] of [...this.#kept]) {
      if (stillness.check()) continue;
      this.forget(sleeper);
      wake();
    }
  }
}
