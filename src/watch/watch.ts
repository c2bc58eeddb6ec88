// One watch on the host's side, from its start to its result, whatever it watches.
import { isGone, isOutOfReach } from "../errors.ts";
import { describeEnding } from "../process/ending.ts";
import type { TerminalReader } from "../process/input_wait.ts";
import type { HandedOver, Handover } from "./handed_over.ts";
import type { CursorReading } from "../tmux/capture/capture.ts";
import { CANCELLED, type WatchResult } from "./inbox.ts";
import type { FollowEnd, Report, Trigger, WorkerMessage } from "./protocol.ts";
import type { FollowHandle } from "./follow.ts";
import type { EndedPane, SourceRun, WatchPart, WatchSource } from "./watch_source.ts";
import { delay, timerMs } from "../timer.ts";
import { handledLater, settled } from "../promises.ts";

/** Progress of a watch, as the caller receives it. */
export interface WatchProgress {
  /** The pane that printed. */
  paneId: string;
  /** Seconds since the watch began. */
  elapsed: number;
  /** Lines printed since the last report. */
  newLines: number;
  /** The last line that has text, finished or not; empty if it was reported before. */
  lastLine: string;
}

export interface WatchOptions {
  watchId: string;
  source: WatchSource;
  cursor(paneId: string): CursorReading;
  part: WatchPart;
  /** Seconds. */
  timeout: number;
  /** Seconds since another process began the watch. Absent: it begins here. */
  age?: number | undefined;
  /** Settles once the events that the watch missed are known; they come before all it sees. Absent: it missed none. */
  missedKnown?: Promise<void> | undefined;
  progress?(update: WatchProgress): void;
  /** Has a person answer what a program asks. Absent: a question is an event. */
  handOver?: HandOver | undefined;
}

/** Has a person answer a pane's program; gives up at `until` (on the clock of `performance.now()`). */
export type HandOver = (
  asking: { paneId: string; waiting: TerminalReader | undefined },
  until: number,
  signal: AbortSignal,
) => Promise<Handover>;

/** Event of a watch. It has no place if it is not about the pane's output. */
export type FiredEvent =
  & Omit<WorkerMessage & { kind: "event" }, "kind" | "watchId" | "place">
  & { place?: number };

/** State of a pane at the end of its watch. */
interface Reading {
  elapsed: number;
  cursor?: string;
  report?: Report;
}

/** The wait for a person ends this much (ms) before the watch does. */
const PERSON_MARGIN_MS = 100;
/** Shortest time (ms) for a watch that another process began: output from before the deadline may still fire it. */
const SHORTEST_RESUMED_MS = 5000;
/** Shortest watch (ms): even `timeout: 0` reports what is already true, which takes this long to establish. */
const SHORTEST_MS = 300;

/**
 * A watch, and the objects that follow its panes for it:
 *
 * ```text
 * Watches ─ Watch ─ WatchSource ─ Supervisor ─ Follow ─ WorkerHandle ═ WatchWorker ─ PaneFollow    (═ another thread)
 *     PaneFollow ─┬─ PaneStream ─ PaneSource: bytes
 *                 └─ PaneText ─ TextTriggers; ProcessTriggers
 *
 * Watch       beginning ──ready──► following ──event, time, cancel──► reporting ──► over
 *                 │                  │   ▲                                ▲          ▲
 *                 │                 asks answered                         │          │
 *                 │                  ▼   │                                │          │
 *                 │               a person answers ──nobody did───────────┘          │
 *                 └──cancel, the pane is gone, failure───────────────────────────────┘
 * Follow      starting ──ready──► served ──stop, failure──► over
 *                 ▲                  │
 *                 └─────refused──────┘    once: from then on the panes are read through their pipes
 * PaneFollow  opening ──► before mark C ──► counting ──first event, mark D──► finished ──pane gone, stop──► ended
 *                     └──(no command)─────────┘                               (bytes may still be passed on)
 * ```
 */
export class Watch {
  readonly watchId: string;
  readonly paneIds: readonly string[];
  readonly triggers: readonly Trigger[];
  /** Settles when the watch is over; rejects when it failed. */
  readonly result: Promise<WatchResult>;
  /** True once it sees its panes. */
  following = false;
  /** Ids that the result names in addition to its pane; complete once the watch has begun. */
  ids: SourceRun["ids"];
  readonly #options: WatchOptions;
  readonly #started: number;
  readonly #event: PromiseWithResolvers<FiredEvent> = Promise.withResolvers();
  readonly #cancelled: PromiseWithResolvers<FiredEvent> = Promise.withResolvers();
  readonly #began: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #handedOver: HandedOver[] = [];
  #asking: Promise<boolean> = Promise.resolve(true);
  readonly #ended: AbortController = new AbortController();
  #missed: FiredEvent | undefined;
  #atDeadline: Promise<Reading> | undefined;
  #hint: string | undefined;
  #endsAtOnce = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#started = performance.now() - (options.age ?? 0) * 1000;
    this.watchId = options.watchId;
    this.ids = options.source.ids ?? {};
    this.paneIds = options.source.panes.map((pane) => pane.paneId);
    this.triggers = options.part.triggers;
    handledLater(this.#event.promise);
    handledLater(this.#began.promise);
    this.result = this.#run();
    this.result.then(() => this.#began.resolve(), (error) => this.#began.reject(error));
  }

  /** Settles when nothing can be missed any more, or the watch is over; rejects when it can't begin. */
  get began(): Promise<void> {
    return this.#began.promise;
  }

  /** Settles when the watch has fired, before its result is known; rejects when it failed. */
  get fired(): Promise<FiredEvent> {
    return this.#event.promise;
  }

  /** Seconds since this process or an earlier one created the watch. */
  get elapsed(): number {
    return Math.round(performance.now() - this.#started) / 1000;
  }

  /** Ends the watch with an event from a time when no process watched; it takes precedence over what the watch saw. */
  fire(event: FiredEvent): void {
    this.#missed = event;
    this.#event.resolve(event);
  }

  /** Cancels the watch. `atOnce`: the caller has abandoned it, so no control client is kept for the next watch. */
  cancel({ atOnce }: FollowEnd = { atOnce: false }): void {
    this.#endsAtOnce ||= atOnce;
    const event = { paneId: this.paneIds[0]!, event: "cancelled", detail: CANCELLED };
    this.#cancelled.resolve(event);
    this.#event.resolve(event);
  }

  async #run(): Promise<WatchResult> {
    const { source, missedKnown } = this.#options;
    const dead = source.panes.find((pane) => pane.dead);
    if (dead) {
      this.#began.resolve();
      await missedKnown;
      return this.#result(this.#missed ?? this.#endedBefore(dead));
    }
    const beginning = this.#begin();
    const run = await Promise.race([beginning, this.#cancelled.promise]);
    if (!run) {
      const ended = await source.ended?.().catch(() => undefined);
      return this.#result(this.#endedBefore(ended ?? { paneId: this.paneIds[0]!, ending: {} }));
    }
    if ("event" in run) {
      beginning.then((late) => late?.end({ atOnce: this.#endsAtOnce }), () => {});
      return this.#result(run);
    }
    return await this.#follow(run);
  }

  async #follow(run: SourceRun): Promise<WatchResult> {
    this.following = true;
    this.ids = { ...this.ids, ...run.ids };
    this.#began.resolve();
    const { timeout, age } = this.#options;
    const shortestMs = age === undefined ? SHORTEST_MS : SHORTEST_RESUMED_MS;
    const leftMs = Math.max(timerMs(timeout - this.elapsed), shortestMs);
    void this.#expireIn(leftMs, run);
    try {
      const fired = await this.#event.promise;
      await this.#options.missedKnown;
      return await this.#resultOf(run, this.#missed ?? fired);
    } finally {
      this.#ended.abort();
      await run.end({ atOnce: this.#endsAtOnce });
    }
  }

  /** Ends the watch at its deadline, unless something from before is found to fire it: this process may have slept. */
  async #expireIn(ms: number, { handle }: SourceRun): Promise<void> {
    const { signal } = this.#ended;
    await delay(ms, signal);
    if (signal.aborted) return;
    const detail = `No trigger fired in ${this.#options.timeout} s`;
    const event = { paneId: this.paneIds[0]!, event: "timeout", detail };
    this.#atDeadline = this.#read(handle, event);
    // An event from before the report comes before it.
    await settled(this.#atDeadline);
    this.#event.resolve(event);
  }

  async #resultOf({ handle }: SourceRun, event: FiredEvent): Promise<WatchResult> {
    this.#ended.abort();
    // The trigger may have fired on what a person's answer led to, which is noticed now.
    await this.#asking;
    const reading = event.event === "timeout" ? this.#atDeadline! : this.#read(handle, event);
    const { elapsed, cursor, report } = await reading;
    return {
      ...this.#result(event, report),
      elapsed,
      ...(this.#handedOver.length > 0 && { handedOver: this.#handedOver }),
      ...(this.#hint !== undefined && { hint: this.#hint }),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  /** Begins to follow the panes; returns undefined if the pane closed before it could be followed. */
  async #begin(): Promise<SourceRun | undefined> {
    const { source, part, watchId } = this.#options;
    try {
      return await source.begin(watchId, part, {
        event: ({ kind: _, watchId: __, ...event }) => this.#event.resolve(event),
        failed: (error) => this.#event.reject(error),
        asks: (question) => this.#asking = this.#handOver(question),
        progress: ({ paneId, newLines, lastLine }) =>
          this.#options.progress?.({ paneId, elapsed: this.elapsed, newLines, lastLine }),
      });
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** Resolves to true once a person has answered; otherwise the question becomes the watch's event. */
  async #handOver({ paneId, detail, reader: waiting }: WorkerMessage & { kind: "asks" }): Promise<boolean> {
    const { handOver, timeout } = this.#options;
    // Ends a moment before the watch, because "nobody answered" says more than "timeout".
    const until = this.#started + timeout * 1000 - PERSON_MARGIN_MS;
    const handover = await handOver?.({ paneId, waiting }, until, this.#ended.signal).catch(() => undefined);
    if (handover?.handedOver) this.#handedOver.push(handover.handedOver);
    if (handover?.gone || handover?.over || handover?.handedOver?.outcome === "answered") return true;
    this.#hint = handover?.hint;
    this.#event.resolve({ paneId, event: "user_input", detail });
    return false;
  }

  /**
   * Reads the report, and the cursor where the report ends: only the cursor if the pane is closed, and neither if tmux
   * does not answer. A watch that was cancelled reads nothing.
   */
  async #read(handle: FollowHandle, { paneId, event }: FiredEvent): Promise<Reading> {
    const { elapsed } = this;
    if (event === "cancelled") return { elapsed };
    const reading = this.#options.cursor(paneId);
    const reported = handle.report(paneId, reading.commands);
    const isSilent = await reported.then(() => false, isOutOfReach);
    const seen = await reported.catch(() => undefined);
    const output = await this.#options.source.output?.().catch(() => undefined);
    const report = output ? { ...seen, ...output } : seen;
    const printed = report?.printed;
    const readCursor = async () => printed === undefined ? await reading.fetch() : reading.read(printed);
    const cursor = isSilent ? undefined : await readCursor().catch(() => undefined);
    return { elapsed, ...(cursor === undefined ? {} : { cursor }), ...(report && { report }) };
  }

  #result({ paneId, event, detail, ending }: FiredEvent, report?: Report): WatchResult {
    const { state, output = "", outputTruncated = false, totalLines = 0, totalBytes = 0 } = report ?? {};
    const waits = event === "timeout" && report?.waits !== undefined ? `; ${report.waits}` : "";
    return {
      paneId,
      event,
      detail: `${detail}${waits}`,
      elapsed: this.elapsed,
      output,
      ...(outputTruncated ? { outputTruncated } : {}),
      totalLines,
      totalBytes,
      ...(state && { paneState: state }),
      ...ending,
      ...this.ids,
    };
  }

  #endedBefore({ paneId, ending }: EndedPane): FiredEvent {
    const hasExitTrigger = this.triggers.some(({ kind }) => kind === "exit");
    return { paneId, event: hasExitTrigger ? "exit" : "gone", detail: describeEnding(ending), ending };
  }
}
