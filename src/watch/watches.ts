// The watches of this server: starts, lists and stops them, and files every result.
import { AppError } from "../errors.ts";
import { paneKey } from "../tmux/server_key.ts";
import type { PaneInspection } from "../process/probe.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { FilingOrder, type FilingSlot } from "./filing_order.ts";
import { failedResult, Inbox, type InboxEvent, type WatchResult } from "./inbox.ts";
import type { CursorReading } from "../tmux/capture/capture.ts";
import type { Mode } from "../vocabulary.ts";
import { type PaneWatchOptions, paneWatchSource } from "./pane_watch_source.ts";
import { inspectPane, type Listening, readActivity } from "./pane_activity.ts";
import { followSpec, type FoundPane } from "./pane_refs.ts";
import { type FollowSpec, PACES, type PaneState, type Trigger } from "./protocol.ts";
import { parseTriggers } from "./triggers.ts";
import { ageOf, type RunningWatch, type StoredWatch, type WatchRecords } from "./watch_records.ts";
import { type FiredEvent, type HandOver, Watch, type WatchOptions } from "./watch.ts";
import type { WatchPart, WatchSource } from "./watch_source.ts";
import { handledLater } from "../promises.ts";
import { onAbort } from "../timer.ts";

export interface WatchesOptions extends PaneWatchOptions {
  /** Part of the inbox's cursors: eight hex digits that no other process has. */
  token: string;
  cursor(tmux: Tmux, paneId: string): CursorReading;
  /** Records of background watches on disk; undefined where they are kept in memory. */
  records: WatchRecords | undefined;
  /** Sends an event to the client; undefined if the client gets none. */
  push: ((event: InboxEvent) => void) | undefined;
}

export interface WatchRequest {
  tmux: Tmux;
  /** Set for a watch that another process began. */
  watchId?: string;
  stored?: StoredWatch;
  /** Settles once the events that the watch missed are known; the result waits for it. */
  missedKnown?: Promise<void>;
  triggers: Trigger[];
  /** Pace of progress reports; `quick` if left out. */
  mode?: Mode;
  /** Seconds. */
  timeout: number;
  /** Receives progress. Absent: none is reported. */
  progress?: NonNullable<WatchOptions["progress"]>;
  /** Time (ms) within which the caller is likely to watch the same session again. */
  lingerMs?: number;
  /** Has a person answer what a program asks. Absent: a question is an event. */
  handOver?: HandOver | undefined;
  /** Called as the watch begins. `keep` puts it on disk; it returns undefined if it isn't followed or can't be kept. */
  begins?: ((keep: () => Promise<RunningWatch | undefined>) => void) | undefined;
}

export interface ActiveWatch {
  watchId: string;
  paneId: string;
  paneIds: string[];
  triggers: string[];
  /** Seconds. */
  elapsed: number;
  commandId?: string;
}

export class Watches {
  readonly inbox: Inbox;
  readonly #options: WatchesOptions;
  readonly #running: Map<string, Watch> = new Map();
  readonly #filing: FilingOrder = new FilingOrder();

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.inbox = new Inbox(options.token);
  }

  paneSource(tmux: Tmux, paneIds: readonly string[]): Promise<WatchSource> {
    return paneWatchSource(tmux, paneIds, this.#options);
  }

  /**
   * Reads a trigger list.
   * @throws {AppError} `invalid-argument`, naming the unknown trigger and the valid ones
   */
  triggers(names: string | readonly string[], readiness?: string): Promise<Trigger[]> {
    return parseTriggers(names, readiness);
  }

  /** Returns a pane's state from tmux and the kernel; for a shell between two commands, the state it settles in. */
  async state(tmux: Tmux, paneId: string, { ports = false } = {}): Promise<PaneState & Listening> {
    return (await readActivity(tmux, paneId, { ports })).state;
  }

  /** Returns what the kernel reports of a pane, with what callers don't see. */
  inspect(tmux: Tmux, paneId: string): Promise<PaneInspection> {
    return inspectPane(tmux, paneId);
  }

  /** Runs a watch to its result. If `signal` aborts, the watch ends, and its result is filed and pushed. */
  async run(source: WatchSource, request: WatchRequest, signal: AbortSignal): Promise<WatchResult> {
    signal.throwIfAborted();
    const watch = this.#start(source, request);
    using _ = onAbort(signal, () => watch.cancel());
    request.begins?.(async () => await this.#options.records?.keep(watch, source.panes, request));
    const result = await watch.result;
    const event = this.inbox.add(watch.watchId, result, { answered: !signal.aborted });
    if (signal.aborted) this.#options.push?.(event);
    return result;
  }

  /**
   * Runs a watch for its caller only: it is neither listed nor filed. `whenFollowing` is called once nothing can be
   * missed any more; its signal aborts when the watch is over. If it returns true, the watch ends without a result.
   */
  async wait(
    source: WatchSource,
    request: WatchRequest,
    { signal, whenFollowing }: { signal: AbortSignal; whenFollowing(over: AbortSignal): Promise<boolean> },
  ): Promise<WatchResult | undefined> {
    signal.throwIfAborted();
    const watch = this.#make(source, request);
    using _ = onAbort(signal, () => watch.cancel({ atOnce: true }));
    try {
      const over = new AbortController();
      handledLater(watch.result.finally(() => over.abort()));
      const follows = () => watch.following && whenFollowing(over.signal);
      const satisfied = await watch.began.then(follows, () => false);
      if (satisfied) watch.cancel();
      const result = await watch.result;
      signal.throwIfAborted();
      return satisfied ? undefined : result;
    } finally {
      watch.cancel();
    }
  }

  /**
   * Starts a watch that keeps running without its caller; its result is filed in the inbox, after `cursor`. Settles
   * when the watch has begun. It reports no progress: MCP allows none once a call is answered.
   * @throws {AppError} the reason why it could not begin; nothing is filed then
   */
  async runInBackground(
    source: WatchSource,
    { progress: _, ...request }: WatchRequest,
  ): Promise<Pick<Watch, "watchId" | "ids"> & { cursor: string; filed: Promise<void> }> {
    const { cursor } = this.inbox;
    const watch = this.#start(source, request);
    const order = this.#orderOf(watch, source);
    const { records } = this.#options;
    if (request.stored) records?.resumed(request.stored);
    await watch.began;
    // A watch that could not begin fails the call that started it and never was in the background.
    if (!watch.following && !request.missedKnown) await watch.result;
    const { watchId: id, ids: { commandId } } = watch;
    if (!request.stored) {
      const { triggers, timeout } = request;
      await records?.began({ id, panes: source.panes, triggers, timeout, commandId }, request.tmux);
    }
    const result = watch.result.finally(() => order.slot?.ready()).catch((error) =>
      failedResult(watch, error)
    );
    const filed = result.then((result) => this.#fileEnd(watch.watchId, result)).finally(() =>
      order.slot?.done()
    );
    return { watchId: watch.watchId, ids: watch.ids, cursor, filed };
  }

  /** Notes that an answer has these events. */
  delivered(events: readonly { watchId: string }[]): void {
    this.#options.records?.delivered(events.map(({ watchId }) => watchId));
  }

  /** Notes that the client has made another call, so it has the answers before. */
  acknowledge(): void {
    this.#options.records?.acknowledge();
  }

  /** Files the result of a watch that another process began. */
  file(watchId: string, result: WatchResult, stored: StoredWatch): void {
    this.#options.records?.resumed(stored);
    this.#fileEnd(watchId, result, stored);
  }

  /** True for a watch of this process that is not over. */
  runs(watchId: string): boolean {
    return this.#running.has(watchId);
  }

  /** Ends a running watch with an event that its pane no longer shows. */
  fire(watchId: string, event: FiredEvent): void {
    this.#running.get(watchId)?.fire(event);
  }

  /** Returns the watches that follow their panes now. */
  active(): ActiveWatch[] {
    return [...this.#running.values()].filter((watch) => watch.following).map((watch) => ({
      watchId: watch.watchId,
      paneId: watch.paneIds[0]!,
      paneIds: [...watch.paneIds],
      triggers: watch.triggers.map((trigger) => trigger.event),
      elapsed: watch.elapsed,
      ...(watch.ids.commandId === undefined ? {} : { commandId: watch.ids.commandId }),
    }));
  }

  /**
   * Ends a watch; its inbox event is `cancelled`. Returns true if it was still running. `serverKey` is the key of the
   * current tmux server.
   * @throws {AppError} `not-found` for an unknown watch, or one that the inbox has dropped; `gone` for a watch of an
   * earlier tmux server, or of one out of scope; `denied` for a watch of another live server process
   */
  stop(watchId: string, serverKey?: string): boolean {
    const watch = this.#running.get(watchId);
    watch?.cancel();
    if (watch || this.inbox.holds(watchId)) return watch !== undefined;
    if (this.#options.records?.isOthers(watchId)) throw runElsewhere(watchId);
    const [, key] = /^w\d+-(?:\w+-)?(\d+-\d+)$/.exec(watchId) ?? [];
    if (key !== undefined && key !== serverKey) throw overWithServer(watchId);
    throw new AppError("not-found", `Cannot find watch "${watchId}"`, {
      hint: "Call watch-events: active lists running watches, events lists finished ones",
    });
  }

  /** Returns the message that starts a follow of a pane, with this server's patterns of errors. */
  spec(tmux: Tmux, pane: FoundPane, part: WatchPart): FollowSpec {
    const { errorPattern, errorIgnorePattern } = this.#options;
    return followSpec(tmux, [pane], { errorPattern, errorIgnorePattern, ...part });
  }

  /** Returns the place of a watch in the filing order; `slot` is set as soon as the watch fires on output. */
  #orderOf(watch: Watch, { panes }: WatchSource): { slot?: FilingSlot } {
    const order: { slot?: FilingSlot } = {};
    watch.fired.then(({ paneId, place }) => {
      if (place !== undefined) order.slot = this.#filing.fired(paneKey(panes[0]!.serverKey, paneId), place);
    }, () => {});
    return order;
  }

  /** `stored`: the record, if another process began the watch. */
  #fileEnd(watchId: string, result: WatchResult, stored?: StoredWatch): void {
    const { push, records } = this.#options;
    // A later process continues the watch, and files its event then.
    if (records?.isDetached) return;
    const event = this.inbox.add(watchId, result, { ended: stored?.ended });
    records?.ended(watchId, result);
    // The client needs no event for a watch that it stopped itself.
    if (!push || stored?.isPushed || result.event === "cancelled") return;
    push(event);
    records?.pushed(watchId);
  }

  #start(source: WatchSource, request: WatchRequest): Watch {
    const watch = this.#make(source, request);
    this.#running.set(watch.watchId, watch);
    const forget = (): void => void this.#running.delete(watch.watchId);
    watch.result.then(forget, forget);
    return watch;
  }

  #make(source: WatchSource, request: WatchRequest): Watch {
    const { tmux, triggers, mode = "quick", timeout, progress, lingerMs, handOver, missedKnown, stored } =
      request;
    return new Watch({
      watchId: request.watchId ?? this.#options.supervisor.newWatchId(source.panes[0]?.serverKey),
      source,
      cursor: (paneId) => this.#options.cursor(tmux, paneId),
      part: {
        triggers,
        ...(progress && { pace: PACES[mode] }),
        ...(lingerMs !== undefined && { lingerMs }),
        ...(handOver && { handsOver: true }),
      },
      handOver,
      timeout,
      age: stored && ageOf(stored),
      missedKnown,
      ...(progress && { progress }),
    });
  }
}

function runElsewhere(watchId: string): AppError {
  return new AppError("denied", `Cannot stop watch "${watchId}": another server process runs it`, {
    hint: "Only the client that started it can stop it and receive its event",
  });
}

function overWithServer(watchId: string): AppError {
  const what = `Cannot find watch "${watchId}": its tmux server has ended or is out of scope`;
  return new AppError("gone", what, { hint: "Call list-panes for the current panes, then watch-pane again" });
}
