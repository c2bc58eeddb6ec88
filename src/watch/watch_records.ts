// Background watches on disk: what they wait for, and their results until these have been read.
import { idKind } from "../ids.ts";
import type { RecordStore, StoredRecord } from "../records/record_store.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { failedResult, type WatchResult } from "./inbox.ts";
import type { Trigger } from "./protocol.ts";
import type { Watch } from "./watch.ts";
import { isObject } from "../json.ts";
import type { FoundPane } from "./pane_refs.ts";
import { PLAIN_TRIGGERS } from "../vocabulary.ts";
import { readResult } from "./stored_result.ts";
import { type ServerAddress, socketOf } from "../tmux/server_address.ts";
import { isForeground, readForeground, type StoredForeground } from "./stored_foreground.ts";

/** Record of a watch; those of earlier versions name no socket. */
export interface StoredWatch extends StoredRecord, Partial<ServerAddress> {
  paneIds: string[];
  triggers: Trigger[];
  /** Seconds. */
  timeout: number;
  /** Cursor of capture-since for each pane, from the beginning of the watch. */
  cursors: Record<string, string>;
  /** Program in front of each pane at that time, if its end fires the watch. */
  fronts?: Record<string, StoredForeground>;
  commandId?: string;
  /** Set if the call is a task: the result stays on disk until it is requested. */
  isTask?: true;
  /** Set once a client has its event that is not the one which began the watch. */
  isRead?: true;
  /** Set once a client has had its event pushed, which it need not have read. */
  isPushed?: true;
  result?: WatchResult;
}

/** A watch that another process can continue. */
export interface RunningWatch {
  watchId: string;
  paneIds: readonly string[];
  commandId?: string;
}

export const WATCH_LETTER = "w";

/** Time (s) within which a watch that is taken over at its deadline has its result. */
const LATE_SECONDS = 15;

export class WatchRecords {
  readonly #store: RecordStore;
  readonly #running: Map<string, StoredWatch> = new Map();
  /** Ids of finished watches; their results are only on disk, because a client need not read them. */
  readonly #ended: Set<string> = new Set();
  /** Watches whose events are in an answer. */
  readonly #delivered: Set<string> = new Set();
  readonly #pushed: Set<string> = new Set();
  #isDetached = false;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** Records a watch that continues in the background or is a task. */
  async began(
    watch: Pick<StoredWatch, "id" | "triggers" | "timeout" | "isTask"> & {
      panes: readonly FoundPane[];
      commandId?: string | undefined;
    },
    tmux: Tmux,
  ): Promise<void> {
    const { commandId, panes, ...rest } = watch;
    const cursors: Record<string, string> = {};
    const fronts: Record<string, StoredForeground> = {};
    const firesOnEnd = watch.triggers.some(({ kind }) => kind === "exit");
    const read = commandId === undefined ? panes : [];
    // A host's shell is asked about all panes at once. Cursors may take a session of ssh each, of which sshd allows 10.
    const readingFronts = (firesOnEnd ? read : []).map(async (pane) => {
      const front = await readForeground(tmux, pane).catch(() => undefined);
      if (front) fronts[pane.paneId] = front;
    });
    for (const { paneId } of read) {
      const cursor = await tmux.capture.cursor(paneId).catch(() => undefined);
      if (cursor !== undefined) cursors[paneId] = cursor;
    }
    await Promise.all(readingFronts);
    const place = socketOf(tmux);
    const command = commandId !== undefined && { commandId };
    if (this.#isDetached) return;
    const paneIds = panes.map(({ paneId }) => paneId);
    const stored = { ...rest, paneIds, ...place, started: Date.now(), cursors, fronts, ...command };
    this.#running.set(stored.id, stored);
    this.#store.write(stored);
  }

  /** Records a watch so that another process can continue it; returns undefined if it isn't followed. */
  async keep(
    watch: Watch,
    panes: readonly FoundPane[],
    { tmux, timeout }: { tmux: Tmux; timeout: number },
  ): Promise<RunningWatch | undefined> {
    await watch.began;
    if (!watch.following) return undefined;
    const { watchId: id, paneIds, triggers, ids: { commandId } } = watch;
    const stored = { id, panes, triggers: [...triggers], timeout, commandId, isTask: true as const };
    await this.began(stored, tmux);
    watch.result.catch((error) => failedResult(watch, error)).then((result) => this.ended(id, result));
    return { watchId: id, paneIds, ...(commandId !== undefined && { commandId }) };
  }

  /** Takes over the record of a watch that another process began. */
  resumed(stored: StoredWatch): void {
    if (stored.ended === undefined) this.#running.set(stored.id, stored);
    else this.#ended.add(stored.id);
  }

  ended(watchId: string, result: WatchResult): void {
    const stored = this.#running.get(watchId);
    if (!stored || this.#isDetached) return;
    this.#running.delete(watchId);
    this.#ended.add(watchId);
    this.#store.write({ ...stored, ended: Date.now(), result } as StoredWatch);
  }

  /** True for a watch that another process is responsible for, unless that is known to be dead. */
  isOthers(watchId: string): boolean {
    return this.#store.read(watchId) !== undefined && !this.#store.owns(watchId) &&
      !this.#store.isAbandoned(watchId);
  }

  /** Notes that these watches' events are in an answer, which the client may never read. */
  delivered(watchIds: readonly string[]): void {
    for (const id of watchIds) if (this.#ended.delete(id)) this.#delivered.add(id);
  }

  /** Notes that a watch's event was pushed, which the client may never get. */
  pushed(watchId: string): void {
    if (this.#ended.has(watchId)) this.#pushed.add(watchId);
  }

  /**
   * Drops the records of events that the client has: it has made another call since their answer. No later server
   * pushes those again that were pushed before the call.
   */
  acknowledge(): void {
    this.#change(this.#delivered, (stored) => {
      if (stored.isTask) return;
      // A client of the dead process that began the watch may still have a cursor before its event.
      if (stored.id.includes(`-${this.#store.ids.token}-`)) this.#store.remove(stored.id);
      else this.#store.write({ ...stored, isRead: true } as StoredWatch);
    });
    this.#change(this.#pushed, (stored) => this.#store.write({ ...stored, isPushed: true } as StoredWatch));
  }

  /** Changes the records with these ids, and forgets those ids; one that can't be read now is left to the next call. */
  #change(ids: Set<string>, change: (stored: StoredWatch) => void): void {
    for (const id of ids) {
      const isRead = this.#store.attempt(() => {
        const stored = this.#store.read<StoredWatch>(id);
        if (stored) change(stored);
      });
      if (isRead) ids.delete(id);
    }
  }

  /** True once this process is ending. */
  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** Stops writing records: this process is ending, and that is all its watches report from now on. */
  detach(): void {
    this.#isDetached = true;
  }
}

/** Ids of the command that a watch began with, as its result names them. */
export function idsOf({ commandId }: StoredWatch): { commandId?: string } {
  return commandId === undefined ? {} : { commandId };
}

/** Seconds since a watch began; none if the clock was set back. */
export function ageOf({ started }: StoredWatch): number {
  return Math.max(Date.now() - started, 0) / 1000;
}

/** True for a watch whose time is long over: without a result it gets none, as no process follows it. */
export function isOverdue(stored: StoredWatch): boolean {
  return ageOf(stored) > stored.timeout + LATE_SECONDS;
}

/**
 * Returns what can be kept of a record; undefined if it lacks a field that this version needs: another version or
 * program may have written it.
 */
export function readWatch(stored: StoredWatch): StoredWatch | undefined {
  const { paneIds, triggers, timeout, cursors, fronts = {}, commandId = "", socket = "", host = "" } = stored;
  const isWatch = Array.isArray(paneIds) && paneIds.length > 0 &&
    paneIds.every((id) => idKind(id) === "pane") &&
    Array.isArray(triggers) && triggers.every(isTrigger) && Number.isFinite(timeout) &&
    [...paneIds, commandId, socket, host].every((text) => typeof text === "string") && isObject(cursors) &&
    Object.values(cursors).every((cursor) => typeof cursor === "string") &&
    isObject(fronts) && Object.values(fronts).every(isForeground);
  if (!isWatch || stored.result === undefined) return isWatch ? stored : undefined;
  const result = readResult(stored.result);
  return result && { ...stored, result };
}

/** Triggers that a watch of this version has; a later one may have others. */
const KINDS: readonly unknown[] = [...PLAIN_TRIGGERS, "idle", "pattern", "port"];

function isTrigger(trigger: unknown): boolean {
  if (!isObject(trigger)) return false;
  const { kind, event, seconds, source, port } = trigger;
  return typeof event === "string" && KINDS.includes(kind) &&
    (kind !== "idle" || Number.isFinite(seconds)) && (kind !== "pattern" || typeof source === "string") &&
    (port === undefined || Number.isInteger(port));
}
