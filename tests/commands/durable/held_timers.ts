// Timers that a test lets pass itself.
/** Collects timers instead of starting them, until it is disposed. */
export class HeldTimers {
  readonly #start = globalThis.setTimeout;
  readonly #held: (() => void)[] = [];
  /** Time (ms) that has passed. */
  passed = 0;

  constructor() {
    const hold = (act: () => void, ms = 0): number => this.#held.push(() => (this.passed += ms, act()));
    globalThis.setTimeout = hold as unknown as typeof setTimeout;
  }

  /** Lets the time of the next timer pass; returns false if no timer is left. */
  next(): boolean {
    const act = this.#held.shift();
    act?.();
    return act !== undefined;
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#start;
  }
}
