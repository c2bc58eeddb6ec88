// Tracks unanswered requests, for a client that sends all of them and closes stdin: `printf … | tmux-mcp`.
import { within } from "../../timer.ts";
import type { JSONRPCMessage } from "../sdk.ts";

type Id = string | number;

/** Time (ms) since it was read for an answer that a program may hold up: the server ends within 2 s of its client. */
const WAITING_MS = 1000;
/** Turns (ms each) for the next of the other answers. Time in which this process can't run does not count. */
const TURN_MS = 50;
const TURNS = 20;

export class Unanswered {
  readonly #waits: (tool: string) => boolean;
  /** Time of `performance.now()` until which an answer is waited for that a program may hold up; undefined for others. */
  readonly #until: Map<Id, number | undefined> = new Map();
  #answer: PromiseWithResolvers<void> = Promise.withResolvers();
  #turns = TURNS;

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
      this.#until.set(message.id, waits ? performance.now() + WAITING_MS : undefined);
    } else if (method === "notifications/cancelled") {
      this.#answered(params?.requestId as Id);
    }
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message) && message.id !== undefined) this.#answered(message.id);
  }

  /** Settles when all requests are answered, or nothing more is waited for. */
  async settled(): Promise<void> {
    this.#turns = TURNS;
    const isAwaited = (until = this.#turns > 0 ? Infinity : 0): boolean => performance.now() < until;
    while ([...this.#until.values()].some((until) => isAwaited(until))) {
      this.#answer = Promise.withResolvers();
      await within(this.#answer.promise, { ms: TURN_MS, late: () => void this.#turns-- });
    }
  }

  #answered(id: Id): void {
    this.#until.delete(id);
    this.#turns = TURNS;
    this.#answer.resolve();
  }
}
