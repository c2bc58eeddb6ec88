// Time slice of a search, which lets other calls run whenever it has kept them waiting for long enough.
import { delay } from "../../timer.ts";

/** Longest time that a search keeps other calls waiting. */
const SLICE_MS = 20;

export class TimeSlice {
  readonly #signal: AbortSignal;
  #began = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get over(): boolean {
    return performance.now() - this.#began > SLICE_MS;
  }

  /** Lets other calls run; rejects if the search was cancelled. */
  async pass(): Promise<void> {
    await delay();
    this.#signal.throwIfAborted();
    this.#began = performance.now();
  }
}
