// The watches of this server: starting, listing and stopping them, and filing every result.
import { AppError } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { toReport } from "../process/probe.ts";
import type { ListeningPort } from "../process/listening.ts";
import { FilingOrder, type Turn } from "./filing_order.ts";
import { failedResult, Inbox, type InboxEvent, type WatchResult } from "./inbox.ts";
import type { CursorReading } from "../tmux/reading/capture.ts";
import type { Mode } from "../vocabulary.ts";
import { PACES } from "./modes.ts";
import { type PaneWatchOptions, PaneWatchSources } from "./pane_watch_sources.ts";
import { findPanes, type FoundPane } from "./pane_refs.ts";
import type { FollowSpec, PaneState, Trigger } from "./protocol.ts";
import { parseTriggers } from "./triggers.ts";
import { inspectSettledShell, untilBegun } from "./settled_shell.ts";
import type { RunningWatch, StoredWatch, WatchRecords } from "./durable/watch_records.ts";
import type { FiredEvent } from "./watch.ts";
import { type HandOver, Watch, type WatchOptions, type WatchPart, type WatchSource } from "./watch.ts";

export interface WatchesOptions extends PaneWatchOptions {
  /** Part of the inbox's cursors: eight hex digits that no other process has. */
  token: string;
  cursor(tmux: Tmux, paneId: string): CursorReading;
  /** Background watches on disk; undefined where they are kept in memory. */
  records: WatchRecords | undefined;
  /** Takes every event that should be pushed to the client. */
  push(event: InboxEvent): void;
}

export interface WatchRequest {
  tmux: Tmux;
  /** Given for a watch that another process began. */
  watchId?: string;
  stored?: StoredWatch;
  /** Settles once the events it missed are known; its result waits for that. */
  held?: Promise<void>;
  triggers: Trigger[];
  /** Pace of progress reports; `quick` if left out. */
  mode?: Mode;
  /** Seconds. */
  timeout: number;
  /** Absent: no progress is reported. */
  progress?: NonNullable<WatchOptions["progress"]>;
  /** The caller is likely to watch the same session again within this time (ms). */
  lingerMs?: number;
  /** Has a person answer what a program asks; absent: a question is an event. */
  handOver?: HandOver | undefined;
  /** Called as it begins: `keep` puts it on disk, and returns undefined where it isn't followed or can't be kept. */
  begins?: ((keep: () => Promise<RunningWatch | undefined>) => void) | undefined;
}

/** The ports that a pane's programs listen on; absent where nobody asked, or that is unknown. */
export interface Listening {
  /** Each address that a program of the pane listens on. */
  listening?: ListeningPort[];
}

export interface ActiveWatch {
  watchId: string;
  paneId: string;
  paneIds: string[];
  triggers: string[];
  /** Seconds. */
  elapsed: number;
  /** The command it watches. */
  commandId?: string;
}

export class Watches {
  readonly inbox: Inbox;
  readonly #options: WatchesOptions;
  readonly #sources: PaneWatchSources;
  readonly #running: Map<string, Watch> = new Map();
  readonly #filing: FilingOrder = new FilingOrder();

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.#sources = new PaneWatchSources(options);
    this.inbox = new Inbox(options.token);
  }

  /** Watches panes as they are. */
  paneSource(tmux: Tmux, paneIds: readonly string[]): Promise<WatchSource> {
    return this.#sources.of(tmux, paneIds);
  }

  /**
   * Reads a trigger list.
   * @throws {AppError} `invalid-argument` naming what can't be watched for, and what can
   */
  triggers(given: string | readonly string[], readiness?: string): Promise<Trigger[]> {
    return parseTriggers(given, readiness);
  }

  /** A pane's state, from tmux and the kernel; for a shell between two commands, the state it settles in. */
  async state(tmux: Tmux, paneId: string, { ports = false } = {}): Promise<PaneState & Listening> {
    const [pane] = await findPanes(tmux, [paneId]);
    const { inspector } = tmux.machine;
    const inspect = () => inspectSettledShell(() => inspector.inspect(pane!));
    let seen = await inspect();
    if (seen.foregroundPid === seen.panePid && seen.foregroundCmd.includes("tmux")) {
      await untilBegun(inspector, pane!);
      seen = await inspect();
    }
    const facts = toReport(seen);
    if (pane!.dead) return { ...facts, isAlive: false, ...pane!.ending };
    const listening = ports ? await inspector.listening?.(pane!) : undefined;
    return { ...facts, ...(listening && { listening: [...listening] }) };
  }

  /** Runs a watch to its result. When `signal` aborts the watch ends; what it saw is filed and pushed. */
  async run(source: WatchSource, request: WatchRequest, signal: AbortSignal): Promise<WatchResult> {
    signal.throwIfAborted();
    const watch = this.#start(source, request);
    const abort = (): void => watch.cancel();
    signal.addEventListener("abort", abort);
    request.begins?.(async () => await this.#options.records?.keep(watch, request));
    try {
      const result = await watch.result;
      const event = this.inbox.add(watch.watchId, result, { answered: !signal.aborted });
      if (signal.aborted) this.#options.push(event);
      return result;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /**
   * Runs a watch for its caller only: it is not listed, and nothing is filed. `whenFollowing` is called once
   * nothing can be missed any more; if it returns true the watch is over, without a result.
   */
  async wait(
    source: WatchSource,
    request: WatchRequest,
    { signal, whenFollowing }: { signal: AbortSignal; whenFollowing(): Promise<boolean> },
  ): Promise<WatchResult | undefined> {
    signal.throwIfAborted();
    const watch = this.#make(source, request);
    const abort = (): void => watch.cancel({ atOnce: true });
    signal.addEventListener("abort", abort);
    try {
      const seen = await watch.began.then(() => watch.following && whenFollowing(), () => false);
      if (seen) watch.cancel();
      const result = await watch.result;
      signal.throwIfAborted();
      return seen ? undefined : result;
    } finally {
      watch.cancel();
      signal.removeEventListener("abort", abort);
    }
  }

  /**
   * Starts a watch that continues without its caller; its result goes to the inbox, behind `cursor`. Settles when it
   * has begun.
   * @throws {AppError} why it could not begin; nothing is filed then
   */
  async runInBackground(
    source: WatchSource,
    request: WatchRequest,
  ): Promise<Pick<Watch, "watchId" | "ids"> & { cursor: string; filed: Promise<void> }> {
    const { cursor } = this.inbox;
    const watch = this.#start(source, request);
    const order = this.#orderOf(watch, source);
    const { records } = this.#options;
    if (request.stored) records?.resumed(request.stored);
    await watch.began;
    // One that could not begin fails the call that started it, and was never in the background.
    if (!watch.following && !request.held) await watch.result;
    const { watchId: id, ids: { commandId } } = watch;
    if (!request.stored) {
      const { triggers, timeout } = request;
      await records?.began({ id, paneIds: [...watch.paneIds], triggers, timeout, commandId }, request.tmux);
    }
    const filed = watch.result.finally(() => order.turn?.come()).then(
      (result) => {
        const event = this.inbox.add(watch.watchId, result);
        records?.ended(watch.watchId, result);
        // The client stopped it itself.
        if (result.event !== "cancelled") this.#options.push(event);
      },
      (error) => this.#options.push(this.inbox.add(watch.watchId, failedResult(watch, error))),
    ).finally(() => order.turn?.over());
    return { watchId: watch.watchId, ids: watch.ids, cursor, filed };
  }

  /** These events have been delivered. */
  delivered(events: readonly { watchId: string }[]): void {
    this.#options.records?.delivered(events.map(({ watchId }) => watchId));
  }

  /** Files the result of a watch of another process. */
  file(watchId: string, result: WatchResult, stored: StoredWatch): void {
    const { records, push } = this.#options;
    records?.resumed(stored);
    if (!stored.result) records?.ended(watchId, result);
    push(this.inbox.add(watchId, result));
  }

  /** Ends a running watch with an event that is no longer on its pane. */
  fire(watchId: string, event: FiredEvent): void {
    this.#running.get(watchId)?.fire(event);
  }

  /** The watches that follow their panes now. */
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
   * Ends a watch; its inbox event is `cancelled`. Returns true if it was still running.
   * `serverKey` is that of the tmux server there is now.
   * @throws {AppError} `not-found` for a watch there never was, or one the inbox has forgotten; `gone` for one of
   * another tmux server; `denied` for one of another server process that lives
   */
  stop(watchId: string, serverKey?: string): boolean {
    const watch = this.#running.get(watchId);
    watch?.cancel();
    if (watch || this.inbox.holds(watchId)) return watch !== undefined;
    if (this.#options.records?.isOthers(watchId)) throw runElsewhere(watchId);
    const [, key] = /^w\d+-(?:\w+-)?(\d+-\d+)$/.exec(watchId) ?? [];
    if (key !== undefined && key !== serverKey) throw overWithServer(watchId);
    throw new AppError("not-found", `Cannot find watch "${watchId}"`, {
      hint: "Call watch-events: active lists running watches, events the finished ones",
    });
  }

  /** Start message of a follow of these panes. */
  spec(tmux: Tmux, panes: readonly FoundPane[], part: WatchPart): FollowSpec {
    return this.#sources.spec(tmux, panes, part);
  }

  /** Place of a watch in the filing order, from the moment it fires on output. */
  #orderOf(watch: Watch, { panes }: WatchSource): { turn?: Turn } {
    const order: { turn?: Turn } = {};
    watch.fired.then(({ paneId, place }) => {
      if (place !== undefined) order.turn = this.#filing.fired(`${panes[0]?.serverKey} ${paneId}`, place);
    }, () => {});
    return order;
  }

  #start(source: WatchSource, request: WatchRequest): Watch {
    const watch = this.#make(source, request);
    this.#running.set(watch.watchId, watch);
    const forget = (): void => void this.#running.delete(watch.watchId);
    watch.result.then(forget, forget);
    return watch;
  }

  #make(source: WatchSource, request: WatchRequest): Watch {
    const { tmux, triggers, mode = "quick", timeout, progress, lingerMs, handOver, held } = request;
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
      held,
      ...(progress && { progress }),
    });
  }
}

function runElsewhere(watchId: string): AppError {
  return new AppError("denied", `Cannot stop watch "${watchId}": another server process runs it`, {
    hint: "Only the client that started it can stop it, and receives its event",
  });
}

function overWithServer(watchId: string): AppError {
  return new AppError("gone", `Cannot find watch "${watchId}": the tmux server it watched has ended`, {
    hint: "Call list-panes for what is there, and watch-pane again",
  });
}
