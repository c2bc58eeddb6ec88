// Decides over several inspections if a program asks for input: a short wait, or one with other work pending, does
// not count.

import { type InputKind, READS_IN_THREAD, type Work } from "./classify.ts";
import { type PaneInspection, readerOf } from "./probe.ts";

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
/**
 * The same for a program that has drawn while a thread of its own reads, or drawn again while an event loop does (Go's
 * threads stand in for each other): frames of a spinner follow each other within 330 ms, the blinks of a cursor after
 * 530.
 */
const DRAWN_IDLE_MS = 450;
const LOOP = /^epoll /;
/** Evidence of a sleep that may also be in a write; only this machine's terminals show if they are full. */
const MAY_WRITE = /^probably: .* asleep in wait_woken/;
const AT_WORK: Work = "a thread at work";
/** CPU time (ms) that all of its processes together may use in that time. */
const IDLE_RUN_MS = 150;

/** A program that waits for input. */
export interface TerminalReader {
  /** `line`, `password` (echo is off) or `raw` (a keypress, or a line editor). */
  inputKind: Exclude<InputKind, "none">;
  /** The program's name. */
  foregroundCmd: string;
}

export class InputWait {
  readonly #stableMs: number;
  #since: { at: number; inspection: PaneInspection; ranMs: number } | undefined;
  #work: Work | undefined;
  #atLeastMs = 0;
  #draws = 0;
  #maxDraws = 0;

  constructor(stableMs: number = STABLE_MS) {
    this.#stableMs = stableMs;
  }

  get isOpen(): boolean {
    return this.#since !== undefined;
  }

  get reader(): TerminalReader | undefined {
    return this.#since && waitingReader(this.#since.inspection);
  }

  /** True if the decision is at most a moment away. */
  get isShort(): boolean {
    return this.#since !== undefined && this.#work === undefined;
  }

  /** True if the decision on a wait that had begun by a time is at most a moment away. */
  isUndecided(now: number, begun: number): boolean {
    return this.isShort && this.#since!.at <= begun && !this.asks(now);
  }

  /** Notes an inspection. `printedAt`: time of the pane's last output; `atLeastMs`: shortest wait that counts. */
  note(inspection: PaneInspection, now: number, printedAt: number, atLeastMs = 0): void {
    this.#atLeastMs = atLeastMs;
    if (!inspection.waitingForInput) return this.reset();
    const work = inspection.isPrompt ? undefined : inspection.beside;
    const since = this.#since && isSameWait(this.#since.inspection, inspection) ? this.#since : undefined;
    const ranMs = work?.ranMs ?? 0;
    const { evidence, isPrompt } = inspection;
    const inThread = isPrompt !== true && evidence.includes(READS_IN_THREAD);
    const mayDraw = inThread || isPrompt !== true && LOOP.test(evidence);
    const prints = since !== undefined && printedAt > since.at;
    const works = since && (work || mayDraw || MAY_WRITE.test(evidence)) &&
      (work?.what === AT_WORK || prints || ranMs - since.ranMs > IDLE_RUN_MS);
    this.#draws = since === undefined || !mayDraw ? 0 : this.#draws + Number(prints);
    this.#maxDraws = inThread ? 0 : 1;
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
    const stableMs = Math.max(
      this.#stableMs,
      this.#atLeastMs,
      this.#draws > this.#maxDraws ? DRAWN_IDLE_MS : 0,
    );
    if (this.#work === undefined || this.#work === AT_WORK) return stableMs;
    return this.#work === "a timer" ? TIMER_IDLE_MS : IDLE_MS;
  }
}

function isSameWait(one: PaneInspection, other: PaneInspection): boolean {
  return one.foregroundPid === other.foregroundPid && one.inputKind === other.inputKind &&
    one.isPrompt === other.isPrompt;
}

/** Returns the program that waits for input, if one does. */
export function waitingReader(inspection: PaneInspection): TerminalReader | undefined {
  const { inputKind } = inspection;
  return inputKind === "none" ? undefined : { inputKind, foregroundCmd: readerOf(inspection).name };
}
