// Time limit for typing a command: after it, the caller already has a result.
import { AppError } from "../../errors.ts";
import { within } from "../../timer.ts";

export class TimeLimit {
  readonly #paneId: string;
  readonly #until: number;

  /** `until` is a time of `performance.now()`. */
  constructor(paneId: string, until: number) {
    this.#paneId = paneId;
    this.#until = until;
  }

  /** Milliseconds that remain; negative once the time is over. */
  get remaining(): number {
    return this.#until - performance.now();
  }

  /** @throws {AppError} `timeout` once the time is over */
  check(): void {
    if (this.remaining < 0) throw this.#noTime();
  }

  /** Settles as `promise` does, or with `late()` once time is up; without `late` it rejects with `timeout`. */
  async within<T>(promise: Promise<T>, late?: () => T | Promise<T>): Promise<T> {
    return await within(promise, {
      ms: Math.max(this.remaining, 0),
      late: () => {
        if (late) return late();
        throw this.#noTime();
      },
    });
  }

  #noTime(): AppError {
    return new AppError(
      "timeout",
      `Cannot run a command in pane "${this.#paneId}": the timeout passed before it was typed`,
      { hint: "Check the pane with capture-pane, then call again with a longer timeout" },
    );
  }
}
