// Queue of the calls that start one service: the next one finds what the one before has started.
import { AppError } from "../errors.ts";
import { secondsUntil, timerMs, within } from "../timer.ts";

export class StartQueue {
  /** Starts in progress, by tmux server and service name. */
  readonly #starting: Map<string, Promise<void>> = new Map();

  /**
   * Waits until a call may start the service, at most until a time of `performance.now()`. Returns the function that lets
   * the next one start.
   * @throws {AppError} `busy` if another call is still starting the service
   */
  async take(
    key: string,
    { name, timeout, until }: { name: string; timeout: number; until: number },
    signal: AbortSignal,
  ): Promise<() => void> {
    const late = (): never => {
      throw stillStarting(name, timeout);
    };
    for (let other; (other = this.#starting.get(key)) !== undefined;) {
      await within(other, { ms: timerMs(secondsUntil(until)), signal, late });
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#starting.set(key, promise);
    return () => {
      // Removed before it settles: other calls would await a settled promise in a loop without end.
      if (this.#starting.get(key) === promise) this.#starting.delete(key);
      resolve();
    };
  }

  /** Settles once no start is in progress, but not later than this time (ms). */
  async empty(ms: number): Promise<void> {
    await within(Promise.all(this.#starting.values()), { ms });
  }
}

export function stillStarting(name: string, seconds: number): AppError {
  const what = `Cannot start the service "${name}": another call is still starting it after ${seconds} s`;
  return new AppError("busy", what, {
    hint: "Call ensure-service again, or look at its pane: list-services names it",
  });
}
