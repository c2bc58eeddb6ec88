// The one clock of a worker's follows: it ticks while something happens, and sleeps while there is nothing to find.
import type { CpuTime } from "../src/process/probe.ts";

/** Time until there is something to inspect. */
export interface Sleep {
  /** By `performance.now()`. */
  until: number;
  /** It ends earlier where one of these runs. */
  awaited: readonly CpuTime[];
}

export interface PollSchedulerOptions {
  /** Inspects every followed pane; returns how long the result holds, if it does. */
  poll(): Sleep | undefined;
  /** From now on the host has to notice that one of these runs, and call `wake`. */
  sleeps(awaited: readonly CpuTime[]): void;
}

/**
 * Panes are inspected this often (ms), and after output: with the 100 ms a program must have waited, a question
 * is reported within 250. Waking up takes some 0.2 ms of CPU, asking about a pane that sleeps 5 µs.
 */
const TICK_MS = 145;
/** The longest sleep (ms): the host takes a worker that shows no life for eight seconds to be lost. */
const SLEEP_MS = 3000;

export class PollScheduler {
  readonly #options: PollSchedulerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asleep = false;
  /** CPU times that were sent to the host last, which has not woken this worker since. */
  #reported: readonly CpuTime[] = [];

  constructor(options: PollSchedulerOptions) {
    this.#options = options;
  }

  /** Something has happened, or is about to: the next poll comes soon. */
  pollSoon(): void {
    if (this.#timer !== undefined && !this.#asleep) return;
    this.#asleep = false;
    this.#set(TICK_MS);
  }

  /** One of the awaited processes has run. */
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

/** As long as all of them sleep. */
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
