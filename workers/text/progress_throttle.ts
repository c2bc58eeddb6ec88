// Decides when progress is due: after some time, or after some lines.
import type { Pace } from "../../src/watch/protocol.ts";

export class ProgressThrottle {
  readonly #pace: Pace;
  #lines = 0;
  #at = performance.now();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Returns how many of the `lines` so far are new since the last progress; undefined if none is due. */
  due(lines: number, now: number): number | undefined {
    if (now < this.dueAt(lines)) return undefined;
    const newLines = lines - this.#lines;
    this.#lines = lines;
    this.#at = now;
    return newLines;
  }

  /** Time at which progress is due again, unless enough lines come before. */
  dueAt(lines: number): number {
    const { minMs, everyMs = Infinity, everyLines } = this.#pace;
    return this.#at + (lines - this.#lines < everyLines ? everyMs : minMs);
  }
}
