// Length of a wait, as a timer takes it.

/** About 24 days; `setTimeout` takes a longer wait for none at all. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds for `setTimeout`. */
export function timerMs(seconds: number): number {
  return Math.min(Math.max(seconds * 1000, 0), LONGEST_MS);
}
