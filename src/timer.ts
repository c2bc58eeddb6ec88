// Timers as promises: a pause, a repeated check, and a time limit on another promise.

/** About 24 days; for a longer wait, `setTimeout` would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Returns milliseconds for `setTimeout`. */
export function timerMs(seconds: number): number {
  return Math.min(Math.max(seconds * 1000, 0), LONGEST_MS);
}

/** Returns milliseconds for `setTimeout` until a time of `performance.now()`. */
export function msUntil(time: number): number {
  return timerMs((time - performance.now()) / 1000);
}

/** Seconds until a time of `performance.now()`, rounded up to a tenth, as messages show them. */
export function secondsUntil(time: number): number {
  return Math.ceil(Math.max(time - performance.now(), 0) / 100) / 10;
}

/** Settles after this time, or as soon as `signal` aborts. Without a time, pending events are handled first. */
export async function delay(ms = 0, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  using _ = onAbort(signal, () => resolve());
  await promise;
  clearTimeout(timer);
}

/** Calls `act` if the signal aborts before the scope ends. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  signal?.addEventListener("abort", act);
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", act) };
}

/** Longest time (ms) for which a search keeps other calls waiting. */
const SLICE_MS = 20;

/** Time slice of a search, which lets other calls run whenever it has kept them waiting for long enough. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get over(): boolean {
    return performance.now() - this.#began > SLICE_MS;
  }

  /** Lets other calls run; rejects if the search was cancelled. */
  async pass(): Promise<void> {
    await delay();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
}

/** Limits of the wait for a check that succeeds. */
export interface PollLimit {
  ms: number;
  pauseMs: number;
  /** Aborting ends the wait: it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Repeats a check until it returns true; returns false if the check that began when time was up does not. */
export async function pollUntil(
  check: () => boolean | Promise<boolean>,
  { ms, pauseMs, signal }: PollLimit,
): Promise<boolean> {
  for (const until = performance.now() + ms;;) {
    signal?.throwIfAborted();
    const isLast = performance.now() > until;
    if (await check()) return true;
    if (isLast) return false;
    await delay(pauseMs, signal);
  }
}

/** Limits of the wait for a promise. */
export interface WaitLimit<L> {
  ms: number;
  /** Aborting ends the wait early; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called when time is up; returns the result, or throws. Absent: the result is undefined. */
  late?(): L;
}

/** Settles as `promise` does, if that is in time, else with `late()`; the promise itself is not cancelled. */
export async function within<T, L = undefined>(
  promise: Promise<T>,
  { ms, signal, late }: WaitLimit<L>,
): Promise<T | L> {
  signal?.throwIfAborted();
  const stop = Promise.withResolvers<L>();
  const timer = setTimeout(() => stop.resolve(Promise.try(late ?? (() => undefined as L))), ms);
  using _ = onAbort(signal, () => stop.reject(signal?.reason));
  try {
    return await Promise.race([promise, stop.promise]);
  } finally {
    clearTimeout(timer);
  }
}
