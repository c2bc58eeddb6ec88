// Pushes finished watches to clients that accept channel notifications. Delivery isn't guaranteed; the inbox
// has every event.
import type { InboxEvent } from "../watch/inbox.ts";
import { excerpt } from "../excerpt.ts";
import type { Masks } from "../masking/masks.ts";

export interface ChannelNotification {
  method: "notifications/claude/channel";
  params: { content: string; meta: Record<string, string> };
}

/** Events this close together (ms) go out as one notification. */
const BURST_MS = 100;
const MAX_TEXT = 200;

/** Sends the first event of a burst at once and the others together, in one notification per kind of event. */
export class ChannelPush {
  readonly #send: (notification: ChannelNotification) => void;
  readonly #masks: Masks | undefined;
  #held: InboxEvent[] = [];
  #burst: ReturnType<typeof setTimeout> | undefined;

  /** @param masks Applied before quotes are replaced, of which a secret may have some */
  constructor(
    send: (notification: ChannelNotification) => void,
    { masks }: { masks?: Masks | undefined } = {},
  ) {
    this.#send = send;
    this.#masks = masks;
  }

  push(whole: InboxEvent): void {
    const masked = (text: string): string => this.#masks?.text(text) ?? text;
    const event = { ...whole, event: masked(whole.event), detail: masked(whole.detail) };
    if (this.#burst === undefined) {
      this.#send(notificationOf([event]));
      this.#burst = setTimeout(() => this.#flush(), BURST_MS);
    } else this.#held.push(event);
  }

  close(): void {
    clearTimeout(this.#burst);
    this.#sendHeld();
  }

  #flush(): void {
    this.#burst = undefined;
    if (this.#held.length === 0) return;
    this.#sendHeld();
    this.#burst = setTimeout(() => this.#flush(), BURST_MS);
  }

  #sendHeld(): void {
    const kinds = Map.groupBy(this.#held, ({ event }) => event);
    this.#held = [];
    for (const events of kinds.values()) this.#send(notificationOf(events));
  }
}

/** One sentence per event. The meta is the last event's, as clients accept only flat strings, and names all watches. */
function notificationOf(events: readonly InboxEvent[]): ChannelNotification {
  const last = events.at(-1)!;
  const each = (field: "watchId" | "paneId"): string => events.map((event) => event[field]).join(" ");
  const meta: Record<string, string> = {
    seq: String(last.seq),
    watchId: last.watchId,
    paneId: last.paneId,
    event: plain(last.event),
    detail: plain(last.detail),
    elapsed: last.elapsed.toFixed(3),
    ...(last.exitCode === undefined ? {} : { exitCode: String(last.exitCode) }),
    ...(last.paneState === undefined ? {} : { isAlive: String(last.paneState.isAlive) }),
    ...(events.length === 1
      ? {}
      : { count: String(events.length), watchIds: each("watchId"), paneIds: each("paneId") }),
  };
  return {
    method: "notifications/claude/channel",
    params: { content: events.map(sentence).join("\n"), meta },
  };
}

function sentence({ watchId, paneId, event, detail, elapsed }: InboxEvent): string {
  const seen = `${plain(event)} after ${elapsed.toFixed(1)} s: \`${plain(detail)}\``;
  return `Watch ${watchId} on tmux pane ${paneId} saw ${seen}`;
}

/** Makes pane text safe to quote: short, on one line, and unable to close the tag or code fence around it. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ")
    .replaceAll("<", "‹").replaceAll(">", "›").replaceAll("`", "'").replaceAll('"', "'");
  return excerpt(line, MAX_TEXT);
}
