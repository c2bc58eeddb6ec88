// Limits the calls that talk to a tmux server at once; the rest wait their turn.
import { DEFAULT_DEADLINE_MS, noAnswer } from "../tmux/exec.ts";

type Waiter = PromiseWithResolvers<void>;

export class Semaphore {
  readonly #waiting: Set<Waiter> = new Set();
  readonly #patienceMs: number;
  #free: number;
  #lastEnd = 0;

  constructor(atOnce: number, patienceMs = DEFAULT_DEADLINE_MS) {
    this.#free = atOnce;
    this.#patienceMs = patienceMs;
  }

  /**
   * Acts when it is this call's turn.
   * @throws {AppError} `timeout` when no turn has ended for as long as a call waits for an answer
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
      const left = Math.max(began, this.#lastEnd) + this.#patienceMs - performance.now();
      if (left <= 0) leave(noAnswer("tmux", this.#patienceMs));
      else timer = setTimeout(checkTime, left);
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
