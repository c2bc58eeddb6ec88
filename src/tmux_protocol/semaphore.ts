// Limits the number of calls that talk to a tmux server at the same time; the rest wait for their turn.
import { DEFAULT_TIMEOUT_MS, noAnswer } from "../tmux_exec/exec.ts";

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
    signal?.throwIfAborted();
    const turn: Waiter = Promise.withResolvers();
    this.#waiting.add(turn);
    const leave = (reason: unknown): void => {
      if (this.#waiting.delete(turn)) turn.reject(reason);
    };
    const abort = (): void => leave(signal?.reason);
    signal?.addEventListener("abort", abort);
    const began = performance.now();
    let timer: ReturnType<typeof setTimeout>;
    const checkTime = (): void => {
      const remaining = Math.max(began, this.#lastEnd) + this.#patienceMs - performance.now();
      if (remaining <= 0) leave(noAnswer("tmux", this.#patienceMs));
      else timer = setTimeout(checkTime, remaining);
    };
    checkTime();
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer!);
      signal?.removeEventListener("abort", abort);
    }
  }
}
