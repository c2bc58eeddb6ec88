// Finished watches, numbered, to be read later: a push that a client drops is never the only copy.
import { lastBytes } from "../bytes.ts";
import { AppError, messageOf } from "../errors.ts";
import type { HandedOver } from "./handed_over.ts";
import type { PaneState } from "./protocol.ts";
import { timerMs, within } from "../timer.ts";
import type { SourceRun } from "./watch_source.ts";

/** End of a watch, as its caller receives it. */
export interface WatchResult {
  /** The pane in which the event happened. */
  paneId: string;
  /** Trigger that fired, as it was written (`exit`, `pattern:ready`), or `timeout`, `gone` or `cancelled`. */
  event: string;
  /** One sentence for people. */
  detail: string;
  /** Seconds since the watch began. */
  elapsed: number;
  /** Output since the watch began: at most the last 100 lines and 16 KiB. */
  output: string;
  /** True if the beginning of the output is left out. */
  outputTruncated?: boolean;
  /** Lines printed since the watch began. */
  totalLines: number;
  /** UTF-8 bytes of these lines. */
  totalBytes: number;
  /** Cursor of capture-since at the event. */
  cursor?: string;
  /** State of the pane at the event. */
  paneState?: PaneState;
  /** Exit status of the program whose end is the event. */
  exitCode?: number;
  /** Name of the signal that ended it, such as `SIGTERM`. */
  exitSignal?: string;
  /** Session that was created for the watch. */
  sessionId?: string;
  /** Command that was started. */
  commandId?: string;
  /** Questions that a person was asked to answer. */
  handedOver?: HandedOver[];
  /** Next step for a question that nobody answered. */
  hint?: string;
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
  /** Number of events that were dropped before they were read. */
  missed?: number;
}

/** A page that may be too long for an answer. */
export interface WholePage extends InboxPage {
  giving: {
    /** Sequence number of the last event that was returned to a reader without a cursor before. */
    readBefore: number;
    /** True if events before the page were not returned to anyone: then only the page's own events count as returned. */
    isApart: boolean;
    /** Sequence numbers of the page's events that count as given since. */
    given: readonly number[];
  };
}

/** Detail of the event of a watch that was stopped. */
export const CANCELLED = "The watch was cancelled";

const TOKEN_CHARS = 8;
const MAX_EVENTS = 1000;
const MAX_OUTPUT_BYTES = 2048;

export class Inbox {
  readonly #events: InboxEvent[] = [];
  /** Distinguishes cursors of this server process from any other's. */
  readonly #token: string;
  /** Tokens of dead processes whose unread events are here. */
  readonly #inherited: Set<string> = new Set();
  readonly #waiting: Set<() => void> = new Set();
  /** Sequence numbers of results that were returned to their callers. */
  readonly #answered: Set<number> = new Set();
  /** Sequence numbers of other events that were returned to a reader with a cursor beyond `#read`. */
  readonly #given: Set<number> = new Set();
  /** Sequence numbers of dropped events that no caller had. */
  readonly #lost: number[] = [];
  #seq = 0;
  /** Sequence number of the last event that was returned to a reader without a cursor. */
  #read = 0;

  /** `token`: eight hex digits that no other process has. */
  constructor(token: string = crypto.randomUUID().slice(0, TOKEN_CHARS)) {
    this.#token = token;
  }

  /** Accepts cursors of dead processes from now on: their unread events are, or will be, filed here. */
  inherit(tokens: readonly string[]): void {
    for (const token of tokens) this.#inherited.add(token);
  }

  /** Cursor after every event so far. */
  get cursor(): string {
    return this.#cursorAt(this.#seq);
  }

  /**
   * Files a result with a little of its output. `answered`: its call returns it, so nothing that waits is woken.
   * `ended`: when the watch ended (epoch ms), if another process saw that.
   */
  add(
    watchId: string,
    result: WatchResult,
    { answered = false, ended = Date.now() }: { answered?: boolean; ended?: number | undefined } = {},
  ): InboxEvent {
    const event = { seq: ++this.#seq, watchId, at: ended / 1000, ...shorten(result) };
    this.#events.push(event);
    if (answered) this.#answered.add(event.seq);
    if (this.#events.length > MAX_EVENTS) this.#drop();
    for (const wake of [...this.#waiting]) wake();
    return event;
  }

  holds(watchId: string): boolean {
    return this.#events.some((event) => event.watchId === watchId);
  }

  /**
   * Returns the events after a cursor; without one, those that have not been returned yet.
   * @throws {AppError} `gone` for a cursor of another server process, `invalid-argument` for text that is not a
   * cursor of watch-events
   */
  read(cursor: string | undefined, limit: number): WholePage {
    const readBefore = this.#read;
    const from = cursor === undefined ? readBefore : this.#place(cursor);
    const all = cursor === undefined ? this.#unread(from) : this.#after(from);
    const events = all.slice(0, limit);
    const isAll = events.length === all.length;
    const last = isAll ? this.#seq : events.at(-1)?.seq ?? Math.max(from, this.#lost.at(-1) ?? 0);
    const isApart = from > readBefore;
    const given = isApart ? events.map(({ seq }) => seq).filter((seq) => !this.#isHad(seq)) : [];
    for (const seq of given) this.#given.add(seq);
    if (!isApart) this.#read = Math.max(readBefore, last);
    const missed = this.#lost.filter((seq) => seq > from).length;
    const giving = { readBefore, isApart, given };
    return { events, cursor: this.#cursorAt(last), giving, ...(missed === 0 ? {} : { missed }) };
  }

  /** Returns the beginning of a page that is too long; the rest is returned by a later read. */
  beginning({ giving: { readBefore, isApart, given }, ...page }: WholePage, limit: number): InboxPage {
    if (limit >= page.events.length) return page;
    const events = page.events.slice(0, limit);
    const last = (events.at(-1) ?? page.events[0]!).seq - (events.length === 0 ? 1 : 0);
    for (const seq of given) if (seq > last) this.#given.delete(seq);
    if (!isApart) this.#read = Math.max(readBefore, last);
    return { ...page, events, cursor: this.#cursorAt(last) };
  }

  /**
   * Waits up to `seconds` for events after the cursor, and reads them. Without a cursor, another reader may be given the
   * events that end the wait; then it continues.
   */
  async next(
    { cursor, limit }: { cursor: string | undefined; limit: number },
    seconds: number,
    signal: AbortSignal,
  ): Promise<WholePage> {
    const until = performance.now() + seconds * 1000;
    for (;;) {
      const left = (until - performance.now()) / 1000;
      await this.wait(cursor, left, signal);
      const page = this.read(cursor, limit);
      if (left <= 0 || page.events.length > 0 || limit === 0) return page;
    }
  }

  /** Settles when there are new events after the cursor, or after `seconds`. */
  async wait(cursor: string | undefined, seconds: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const from = cursor === undefined ? this.#read : this.#place(cursor);
    if (seconds <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    // A reader that repeats its cursor may not have got the answer to its first call.
    const news = (): InboxEvent[] => cursor === undefined ? this.#unread(from) : this.#unanswered(from);
    const wake = (): void => news().length > 0 ? resolve() : undefined;
    this.#waiting.add(wake);
    wake();
    try {
      await within(promise, { ms: timerMs(seconds), signal });
    } finally {
      this.#waiting.delete(wake);
    }
  }

  /** Drops one event: the oldest that its caller or a reader has, or else the oldest of all. */
  #drop(): void {
    const had = this.#events.findIndex(({ seq }) => this.#isHad(seq));
    const [dropped] = this.#events.splice(Math.max(had, 0), 1);
    if (!this.#isHad(dropped!.seq)) this.#lost.push(dropped!.seq);
    this.#answered.delete(dropped!.seq);
    this.#given.delete(dropped!.seq);
  }

  #isHad(seq: number): boolean {
    return this.#answered.has(seq) || this.#given.has(seq);
  }

  #after(seq: number): InboxEvent[] {
    return this.#events.filter((event) => event.seq > seq);
  }

  /** Events that were not returned to their callers. */
  #unanswered(after: number): InboxEvent[] {
    return this.#after(after).filter(({ seq }) => !this.#answered.has(seq));
  }

  /** Events that were returned neither to their callers nor to a reader. */
  #unread(after: number): InboxEvent[] {
    return this.#after(after).filter(({ seq }) => !this.#isHad(seq));
  }

  #cursorAt(seq: number): string {
    return `${this.#token}-${seq}`;
  }

  #place(cursor: string): number {
    const [, token, seq] = /^([0-9a-f]{8})-(\d+)$/.exec(cursor) ?? [];
    if (token === undefined || (token === this.#token && Number(seq) > this.#seq)) throw unreadable(cursor);
    if (token === this.#token) return Number(seq);
    // The cursor is from another process.
    if (this.#inherited.has(token)) return 0;
    throw new AppError("gone", `Cursor "${cursor}" was not returned by this server`, {
      hint: "Call watch-events without a cursor for unread events",
    });
  }
}

function unreadable(cursor: string): AppError {
  const what = `Cannot read the cursor "${cursor}": watch-events did not return it`;
  return new AppError("invalid-argument", what, {
    hint: "Call watch-events without a cursor for unread events",
  });
}

export function failedResult(
  { paneIds, elapsed, ids }: { paneIds: readonly string[]; elapsed: number; ids: SourceRun["ids"] },
  error: unknown,
): WatchResult {
  const event = error instanceof AppError ? error.code : "internal";
  const noOutput = { output: "", totalLines: 0, totalBytes: 0 };
  return { paneId: paneIds[0]!, event, detail: messageOf(error), elapsed, ...noOutput, ...ids };
}

/** Returns the result of a watch that was stopped before it followed its panes. */
export function cancelledResult(watch: Parameters<typeof failedResult>[0]): WatchResult {
  return { ...failedResult(watch, undefined), event: "cancelled", detail: CANCELLED };
}

function shorten(result: WatchResult): WatchResult {
  const output = lastBytes(result.output, MAX_OUTPUT_BYTES);
  return output === result.output ? result : { ...result, output, outputTruncated: true };
}
