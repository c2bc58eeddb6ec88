// Limits the number of calls that talk to a tmux server at the same time; the rest wait for their turn.
import { DEFAULT_TIMEOUT_MS, noAnswer } from "../tmux_exec/exec.ts";
import { within } from "../timer.ts";

type Waiter = PromiseWithResolvers<void>;

export class Semaphore {
  readonly #waiting: Set<Waiter> = new Set();
  readonly #patienceMs: number;
  #free: number;
  #lastEnd = 0;

  constructor(limit: number, patienceMs = DEFAULT_TIMEOUT_MS) {
    this.#free = limit;
    this.#patienceMs = patienceMs;
  }

  /**
   * Runs `act` when it is this call's turn.
   * @throws {AppError} `timeout` if no call has finished for as long as a call waits for a reply
   */
  async run<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await act();
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#lastEnd = performance.now();
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else {
      this.#waiting.delete(next);
      next.resolve();
    }
  }

  async #wait(signal?: AbortSignal): Promise<void> {
    const turn: Waiter = Promise.withResolvers();
    this.#waiting.add(turn);
    const given = turn.promise.then(() => true);
    const began = performance.now();
    try {
      for (let isTurn = false; !isTurn;) {
        const ms = Math.max(began, this.#lastEnd) + this.#patienceMs - performance.now();
        if (ms <= 0) throw noAnswer("tmux", this.#patienceMs);
        isTurn = await within(given, { ms, signal, late: () => false });
      }
    } catch (error) {
      // The turn may have come just then: another call takes it.
      if (!this.#waiting.delete(turn)) this.#end();
      throw error;
    }
  }
}
