// Every finished watch, numbered, for those who read later: a push that a client drops is never the only copy.
import { AppError } from "../errors.ts";
import type { PaneState } from "./protocol.ts";
import { timerMs } from "./timer.ts";

/** How a watch ended, as its caller is told. */
export interface WatchResult {
  paneId: string;
  event: string;
  detail: string;
  /** Seconds since the watch began. */
  elapsed: number;
  output: string;
  outputTruncated?: boolean;
  totalLines: number;
  totalBytes: number;
  /** A capture-since cursor at the event. */
  cursor?: string;
  paneState?: PaneState;
  exitCode?: number;
  exitSignal?: string;
  sessionId?: string;
  commandId?: string;
}

export interface InboxEvent extends WatchResult {
  seq: number;
  watchId: string;
  /** Epoch seconds. */
  at: number;
}

export interface InboxPage {
  events: InboxEvent[];
  cursor: string;
  /** How many events were dropped before they were read. */
  missed?: number;
}

const MAX_EVENTS = 1000;
const MAX_OUTPUT_BYTES = 2048;

export class Inbox {
  readonly #events: InboxEvent[] = [];
  /** Tells cursors of this server process from any other's. */
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  readonly #waiting: Set<() => void> = new Set();
  #seq = 0;

  /** Files a result; its output is kept short. */
  add(watchId: string, result: WatchResult): InboxEvent {
    const event = { seq: ++this.#seq, watchId, at: Date.now() / 1000, ...shorten(result) };
    this.#events.push(event);
    if (this.#events.length > MAX_EVENTS) this.#events.shift();
    for (const wake of [...this.#waiting]) wake();
    return event;
  }

  /** Whether a watch's result is here. */
  holds(watchId: string): boolean {
    return this.#events.some((event) => event.watchId === watchId);
  }

  /**
   * The events after a cursor; without one, from the oldest.
   * @throws {AppError} `gone` for a cursor of another server process
   */
  read(cursor: string | undefined, limit: number): InboxPage {
    const after = cursor === undefined ? undefined : this.#place(cursor);
    const from = after ?? 0;
    const oldest = this.#events[0]?.seq ?? this.#seq + 1;
    const events = this.#events.filter((event) => event.seq > from).slice(0, limit);
    const missed = after === undefined ? 0 : Math.max(0, oldest - 1 - from);
    const last = events.at(-1)?.seq ?? Math.max(from, oldest - 1);
    return { events, cursor: `${this.#epoch}-${last}`, ...(missed === 0 ? {} : { missed }) };
  }

  /** Settles when an event after the cursor is there, or after `seconds`. */
  async wait(cursor: string | undefined, seconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (seconds <= 0 || this.read(cursor, 1).events.length > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timerMs(seconds));
    this.#waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    signal.throwIfAborted();
  }

  #place(cursor: string): number {
    const match = /^([0-9a-f]{8})-(\d+)$/.exec(cursor);
    if (match?.[1] === this.#epoch) return Number(match[2]);
    throw new AppError("gone", `Cursor "${cursor}" is not of this server process`, {
      hint: "Call watch-events without a cursor to read from the oldest event",
    });
  }
}

function shorten(result: WatchResult): WatchResult {
  const bytes = new TextEncoder().encode(result.output);
  if (bytes.length <= MAX_OUTPUT_BYTES) return result;
  let start = bytes.length - MAX_OUTPUT_BYTES;
  while ((bytes[start]! & 0xc0) === 0x80) start++;
  return { ...result, output: new TextDecoder().decode(bytes.subarray(start)), outputTruncated: true };
}
