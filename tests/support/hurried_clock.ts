// Timers for tests of long pauses.

/** Timers fire at once; `asked` has their times (ms). */
export class HurriedClock implements Disposable {
  readonly asked: number[] = [];
  readonly #real = globalThis.setTimeout;

  constructor() {
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      this.asked.push(ms);
      return this.#real(run, 0);
    }) as typeof setTimeout;
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#real;
  }
}
