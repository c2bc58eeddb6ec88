// Time within which a command must be typed: after it, its caller has an answer.
import { AppError } from "../../errors.ts";
import { within } from "../../timer.ts";

export class TimeLimit {
  readonly #paneId: string;
  readonly #until: number;

  /** `until`: `performance.now()`. */
  constructor(paneId: string, until: number) {
    this.#paneId = paneId;
    this.#until = until;
  }

  /** Milliseconds; negative once it is over. */
  get left(): number {
    return this.#until - performance.now();
  }

  /** @throws {AppError} `timeout` once it is over */
  check(): void {
    if (this.left < 0) throw this.#noTime();
  }

  /** Settles as `promise` does, or with `late()` once time is up; without that rejects with `timeout`. */
  async within<T>(promise: Promise<T>, late?: () => T | Promise<T>): Promise<T> {
    return await within(promise, {
      ms: Math.max(this.left, 0),
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
      { hint: "Look with capture-pane, then call again with a longer timeout" },
    );
  }
}
