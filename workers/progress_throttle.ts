// Decides when progress is due: after some time, or after some lines.
import type { Pace } from "../src/watch/protocol.ts";

export class ProgressThrottle {
  readonly #pace: Pace;
  #lines = 0;
  #at = performance.now();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Number of the `lines` so far that are new since progress was due last, if it is due again. */
  due(lines: number, now: number): number | undefined {
    if (now < this.dueAt(lines)) return undefined;
    const newLines = lines - this.#lines;
    this.#lines = lines;
    this.#at = now;
    return newLines;
  }

  /** Time at which it is due again, unless enough lines come before. */
  dueAt(lines: number): number {
    const { minMs, everyMs = Infinity, everyLines } = this.#pace;
    return this.#at + (lines - this.#lines < everyLines ? everyMs : minMs);
  }
}
