// Tracks unanswered requests, for a client that sends all of them and closes stdin: `printf … | tmux-mcp`.
import { within } from "../../timer.ts";
import type { JSONRPCMessage } from "../sdk.ts";

type Id = string | number;

/** Time to wait for answers after the last request. */
const PATIENCE_MS = 1000;

export class Unanswered {
  readonly #ids: Set<Id> = new Set();
  #lastAsked = -Infinity;
  #settle: () => void = () => {};

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    // A stream of notifications is answered only when it ends.
    if (message.method === "subscriptions/listen") return;
    if ("id" in message) {
      this.#ids.add(message.id);
      this.#lastAsked = performance.now();
    } else if (message.method === "notifications/cancelled") {
      this.#answered(message.params?.requestId as Id);
    }
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.#answered(message.id);
  }

  /** Settles when all requests are answered, or a second after the last one came. */
  async settled(): Promise<void> {
    if (this.#ids.size === 0) return;
    const done = Promise.withResolvers<void>();
    this.#settle = done.resolve;
    const remainingMs = Math.max(this.#lastAsked + PATIENCE_MS - performance.now(), 0);
    await within(done.promise, { ms: remainingMs, late() {} });
  }

  #answered(id: Id): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#settle();
  }
}
