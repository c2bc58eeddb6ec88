// Decides when to ask the kernel about one pane: at each tick, soon after output, and again after an uncertain answer.
import type { Probe } from "../../src/process/probe.ts";
import type { ProcessFired, ProcessTriggers } from "./process_triggers.ts";
import { bestEffort } from "../../src/promises.ts";
import { delay, within } from "../../src/timer.ts";

export interface ProcessPollerOptions {
  processes: ProcessTriggers;
  probe: Probe;
  found(fired: ProcessFired): void;
  /** Called when the pane's process is gone, or may be; tmux may not have reported it yet. */
  gone(): void;
  /** Inspects every followed pane again. */
  tick(): void;
  failed(error: unknown): void;
}

/** Interval (ms) of polls while output continues. */
const POLL_EVERY_MS = 25;
/** Time (ms) within which tmux reports the end of a pane's process and how it ended, and the polls' interval. */
const NOTICED_MS = 1500;
const NOTICED_POLL_MS = 10;
/** Interval (ms) of asking tmux about a process whose end the kernel does not show. */
const ASK_MS = 500;
/** Longest wait (ms) for what programs have done: for tmux's report of an end, and then for what that fires. */
const CAUGHT_UP_MS = 2 * NOTICED_MS;

export class ProcessPoller {
  readonly #options: ProcessPollerOptions;
  #last = 0;
  #polling: ReturnType<typeof setTimeout> | undefined;
  #noticing: ReturnType<typeof setTimeout> | undefined;
  #refreshing = false;
  /** Time at which the pane's process was first seen to be gone. */
  #goneAt: number | undefined;
  #askedAt = -Infinity;
  #finished = false;

  constructor(options: ProcessPollerOptions) {
    this.#options = options;
  }

  pollIn(ms: number): void {
    if (this.#polling !== undefined || this.#finished || !this.#options.processes.isNeeded) return;
    const wait = Math.max(ms, this.#last + POLL_EVERY_MS - performance.now());
    this.#polling = this.#later(wait, () => {
      this.#polling = undefined;
      this.refreshed(() => this.judge(performance.now()));
    });
  }

  /** Returns true if what the programs had done by `begun` may fire in a moment. */
  judge(now: number, begun = now): boolean {
    const { processes, found } = this.#options;
    if (this.#finished || !processes.isNeeded) return false;
    if (this.isEnding(now)) return true;
    this.#last = now;
    const fired = processes.check(now);
    if (fired) found(fired);
    const again = processes.askAgainIn(now);
    if (again !== undefined) this.pollIn(again);
    return fired !== undefined || processes.isUndecided(now, begun);
  }

  /** Settles when what the programs have done so far has fired the watch, or is found not to. */
  async catchUp(): Promise<void> {
    const { probe, processes } = this.#options;
    const until = performance.now() + CAUGHT_UP_MS;
    let begun: number | undefined;
    for (let undecided = processes.isNeeded && !this.#finished; undecided && performance.now() < until;) {
      // A machine that does not answer holds up the report for no longer.
      const ms = until - performance.now();
      if (probe.refresh) await within(bestEffort(probe.refresh()), { ms });
      const now = performance.now();
      undecided = this.judge(now, begun ??= now);
      if (undecided) await delay(NOTICED_POLL_MS);
    }
  }

  /** True if the pane's process is gone and tmux has yet to report it; tmux's report decides. */
  isEnding(now: number): boolean {
    const { processes, gone, tick } = this.#options;
    const { isAlive, isBlind } = processes.paneExit;
    const isDue = isBlind && now - this.#askedAt >= ASK_MS;
    if (isDue) this.#askedAt = now;
    if (isDue || !isAlive) gone();
    if (isAlive) return false;
    this.#goneAt ??= now;
    if (now - this.#goneAt > NOTICED_MS) return false;
    clearTimeout(this.#noticing);
    this.#noticing = this.#later(NOTICED_POLL_MS, tick);
    return true;
  }

  /** Acts on what the kernel reports now; another machine is asked first, one request at a time. */
  refreshed(act: () => void): void {
    const { probe, failed } = this.#options;
    if (probe.refresh === undefined) return act();
    if (this.#refreshing) return;
    this.#refreshing = true;
    bestEffort(probe.refresh()).then(() => {
      this.#refreshing = false;
      act();
    }).catch(failed);
  }

  /** Stops inspecting the programs; the end of the pane is still noticed. */
  finish(): void {
    this.#finished = true;
    clearTimeout(this.#polling);
  }

  close(): void {
    this.finish();
    clearTimeout(this.#noticing);
  }

  #later(ms: number, act: () => void): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      try {
        act();
      } catch (error) {
        this.#options.failed(error);
      }
    }, ms);
  }
}
