// Decides over several inspections if a program asks for input: a short wait, or one with other work pending, does
// not count.

import type { Work } from "./classify.ts";
import type { PaneInspection } from "./probe.ts";

/** Time (ms) for which every inspection must find a program waiting before it counts as asking. */
const STABLE_MS = 100;
const STABLE_POLL_MS = 50;
/**
 * Idle time (ms) after which a program that waits for more than the terminal counts as asking. A development server
 * takes keys from its start, a spinner reads them to keep them off the screen, ssh reads them for whatever runs on
 * the remote side.
 */
const IDLE_MS = 3000;
/** The same for a program with a timer, which counts as work only if it is due within a second. */
const TIMER_IDLE_MS = 1200;
const IDLE_POLL_MS = 250;
const AT_WORK: Work = "a thread at work";
/** CPU time (ms) that all of its processes together may use in that time. */
const IDLE_RUN_MS = 150;

export class InputWait {
  readonly #stableMs: number;
  #since: { at: number; inspection: PaneInspection; ranMs: number } | undefined;
  #work: Work | undefined;
  #atLeastMs = 0;

  constructor(stableMs: number = STABLE_MS) {
    this.#stableMs = stableMs;
  }

  get isOpen(): boolean {
    return this.#since !== undefined;
  }

  /** True if the decision is at most a moment away. */
  get isShort(): boolean {
    return this.#since !== undefined && this.#work === undefined;
  }

  /** Notes an inspection. `printedAt`: time of the pane's last output; `atLeastMs`: shortest wait that counts. */
  note(inspection: PaneInspection, now: number, printedAt: number, atLeastMs = 0): void {
    this.#atLeastMs = atLeastMs;
    if (!inspection.waitingForInput) return this.reset();
    const work = inspection.isPrompt ? undefined : inspection.beside;
    const since = this.#since && isSameWait(this.#since.inspection, inspection) ? this.#since : undefined;
    const ranMs = work?.ranMs ?? 0;
    const works = work && since &&
      (work.what === AT_WORK || printedAt > since.at || ranMs - since.ranMs > IDLE_RUN_MS);
    this.#work = work?.what;
    if (since === undefined || works) this.#since = { at: now, inspection, ranMs };
  }

  asks(now: number): boolean {
    return this.#since !== undefined && now - this.#since.at >= this.#neededMs;
  }

  reset(): void {
    this.#since = undefined;
  }

  /** Time (ms) until the next inspection can decide. */
  dueIn(now: number): number | undefined {
    if (this.#since === undefined) return undefined;
    const every = this.#work && this.#work !== AT_WORK ? IDLE_POLL_MS : STABLE_POLL_MS;
    return Math.max(1, Math.min(every, this.#since.at + this.#neededMs - now));
  }

  get #neededMs(): number {
    if (this.#work === undefined || this.#work === AT_WORK) return Math.max(this.#stableMs, this.#atLeastMs);
    return this.#work === "a timer" ? TIMER_IDLE_MS : IDLE_MS;
  }
}

function isSameWait(one: PaneInspection, other: PaneInspection): boolean {
  return one.foregroundPid === other.foregroundPid && one.inputKind === other.inputKind &&
    one.isPrompt === other.isPrompt;
}
