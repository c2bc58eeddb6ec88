// Tracks unanswered requests, for a client that sends all of them and closes stdin: `printf … | tmux-mcp`.
import { within } from "../../timer.ts";
import type { JSONRPCMessage } from "../sdk.ts";

type Id = string | number;

/** Time (ms) for an answer that a program may hold up: the server ends within 2 s of its client. */
const WAITING_MS = 1000;
/** Time (ms) for any other answer. It comes by itself, but tmux may take 5 s for each of two replies. */
const PATIENCE_MS = 10_000;

export class Unanswered {
  readonly #waits: (tool: string) => boolean;
  /** Time of `performance.now()` until which each answer is waited for. */
  readonly #until: Map<Id, number> = new Map();
  #answer: PromiseWithResolvers<void> = Promise.withResolvers();

  /** `waits`: true for a tool whose calls may wait for a program. */
  constructor(waits: (tool: string) => boolean) {
    this.#waits = waits;
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    const { method, params } = message;
    // A stream of notifications is answered only when it ends.
    if (method === "subscriptions/listen") return;
    if ("id" in message) {
      const waits = method === "tools/call" && this.#waits(String(params?.name));
      this.#until.set(message.id, performance.now() + (waits ? WAITING_MS : PATIENCE_MS));
    } else if (method === "notifications/cancelled") {
      this.#answered(params?.requestId as Id);
    }
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.#answered(message.id);
  }

  /** Settles when all requests are answered, or nothing more is waited for. */
  async settled(): Promise<void> {
    for (let ms: number; (ms = Math.max(...this.#until.values()) - performance.now()) > 0;) {
      this.#answer = Promise.withResolvers();
      await within(this.#answer.promise, { ms, late() {} });
    }
  }

  #answered(id: Id): void {
    this.#until.delete(id);
    this.#answer.resolve();
  }
}
