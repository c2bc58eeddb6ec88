// When progress is due: after some time, or some lines.
import type { Pace } from "../src/watch/protocol.ts";

export class Pacing {
  readonly #pace: Pace;
  #lines = 0;
  #at = performance.now();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** How many of the `lines` so far are new since progress was due last, if it is due again. */
  due(lines: number, now: number): number | undefined {
    const { lookMs, everyMs, everyLines } = this.#pace;
    const passed = now - this.#at;
    if (passed < lookMs) return undefined;
    const newLines = lines - this.#lines;
    if (newLines < everyLines && (everyMs === undefined || passed < everyMs)) return undefined;
    this.#lines = lines;
    this.#at = now;
    return newLines;
  }
}
