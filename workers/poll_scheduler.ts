// The only clock of a worker's follows: it ticks while something happens, and sleeps while there is nothing to find.
import type { CpuTime } from "../src/process/probe.ts";

/** Time during which there is nothing to inspect. */
export interface Sleep {
  /** End of the sleep (`performance.now()`). */
  until: number;
  /** The sleep ends earlier if one of these processes runs. */
  awaited: readonly CpuTime[];
}

export interface PollSchedulerOptions {
  /** Inspects every followed pane; returns how long the result holds, if it does. */
  poll(): Sleep | undefined;
  /** Asks the host to notice when one of these processes runs, and to call `wake` then. */
  sleeps(awaited: readonly CpuTime[]): void;
}

/**
 * Interval of inspections (ms); panes are also inspected after output. With the 100 ms that a program must have
 * waited, a question is reported within 250 ms. Waking up takes about 0.2 ms of CPU, inspecting a sleeping pane 5 µs.
 */
const TICK_MS = 145;
/** Longest sleep (ms): the host gives up a worker that shows no sign of life for eight seconds. */
const SLEEP_MS = 3000;

export class PollScheduler {
  readonly #options: PollSchedulerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asleep = false;
  /** CPU times that were last sent to the host, which has not woken this worker since. */
  #reported: readonly CpuTime[] = [];

  constructor(options: PollSchedulerOptions) {
    this.#options = options;
  }

  /** Brings the next poll forward: something has happened or is about to. */
  pollSoon(): void {
    if (this.#timer !== undefined && !this.#asleep) return;
    this.#asleep = false;
    this.#set(TICK_MS);
  }

  /** Polls at once: one of the awaited processes has run. */
  wake(): void {
    this.#reported = [];
    if (this.#timer !== undefined) this.#tick();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reported = [];
  }

  #tick(): void {
    this.#asleep = false;
    this.#set(TICK_MS);
    const sleep = this.#options.poll();
    if (sleep && this.#timer !== undefined) this.#sleep(sleep);
  }

  #sleep({ until, awaited }: Sleep): void {
    const ms = Math.min(until - performance.now(), SLEEP_MS);
    if (ms < TICK_MS) return;
    this.#asleep = true;
    this.#set(ms);
    if (isSame(awaited, this.#reported)) return;
    this.#reported = awaited.map((time) => ({ ...time }));
    this.#options.sleeps(this.#reported);
  }

  #set(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), ms);
  }
}

/** Returns the time for which all of them sleep; undefined if one does not. */
export function sleepOfAll(sleepers: Iterable<{ sleep: Sleep | undefined }>): Sleep | undefined {
  let until = Infinity;
  const awaited: CpuTime[] = [];
  for (const { sleep } of sleepers) {
    if (!sleep) return undefined;
    until = Math.min(until, sleep.until);
    awaited.push(...sleep.awaited);
  }
  return { until, awaited };
}

function isSame(some: readonly CpuTime[], others: readonly CpuTime[]): boolean {
  return some.length === others.length &&
    some.every(({ pid, ran }, at) => pid === others[at]?.pid && ran === others[at].ran);
}
