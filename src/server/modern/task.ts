// One task: a call that continues after its client has received an id for it.
import type { Continuation } from "../../durable/task_call.ts";
import type { JSONRPCMessage } from "../sdk.ts";

/** Result of `tasks/get`. */
export interface TaskState {
  [key: string]: unknown;
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
  /** With `input_required`: requests that the client should answer with `tasks/update`. */
  inputRequests?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

const POLL_INTERVAL_MS = 1000;
/** Minimum time for which a result is kept, unless results take too much memory. */
const KEPT_MS = 3_600_000;

export class Task {
  /** Id that the call runs under. */
  readonly key: string;
  /** True if a process that has died began the task. */
  readonly isResumed: boolean;
  /** The call by which another process can continue it. */
  continuation: Continuation | undefined;
  readonly #began: Date;
  #state: TaskState;
  #notifiedAt = -Infinity;
  #ended: number | undefined;
  /** Time after which it is no longer kept (`performance.now()`): the clock on the wall may be set forward. */
  #expires = Infinity;
  /** Requests that the client hasn't answered yet, by key. */
  readonly #asked: Map<string, { request: unknown; answered: (response: unknown) => void }> = new Map();

  /** @param before State of a task that a dead process left */
  constructor(key: string, taskId: string, before?: TaskState) {
    this.key = key;
    this.isResumed = before !== undefined;
    const now = new Date();
    const began = new Date(before?.createdAt ?? now);
    // Another program may have written the record.
    this.#began = Number.isNaN(began.getTime()) ? now : began;
    this.#state = {
      taskId,
      status: "working",
      createdAt: this.#began.toISOString(),
      lastUpdatedAt: now.toISOString(),
      ttlMs: null,
      pollIntervalMs: POLL_INTERVAL_MS,
    };
  }

  get id(): string {
    return this.#state.taskId;
  }

  get state(): TaskState {
    return this.#state;
  }

  get isFinished(): boolean {
    return this.#ended !== undefined;
  }

  /** Time at which this process or an earlier one created it (epoch milliseconds). */
  get started(): number {
    return this.#began.getTime();
  }

  /** Epoch milliseconds; undefined while its call runs. */
  get ended(): number | undefined {
    return this.#ended;
  }

  /** True if it ended so long ago that it is no longer kept. */
  get isExpired(): boolean {
    return performance.now() > this.#expires;
  }

  /** Size of its state in characters. */
  get bytes(): number {
    return JSON.stringify(this.#state).length;
  }

  /** Records a line of progress. True if listeners should get it, at most once per second. */
  progress(statusMessage: string): boolean {
    this.#update({ statusMessage });
    const now = performance.now();
    if (now - this.#notifiedAt < POLL_INTERVAL_MS) return false;
    this.#notifiedAt = now;
    return true;
  }

  /** Asks the client to answer a request. Returns the response, or undefined once `signal` aborts. */
  async ask(request: unknown, signal: AbortSignal): Promise<unknown> {
    const { promise, resolve: answered } = Promise.withResolvers<unknown>();
    // A task that another process continues must not use a key again.
    const key = crypto.randomUUID();
    this.#asked.set(key, { request, answered });
    this.#updateAsked();
    signal.addEventListener("abort", () => answered(undefined), { once: true });
    if (signal.aborted) answered(undefined);
    const response = await promise;
    this.#asked.delete(key);
    this.#updateAsked();
    return response;
  }

  /** Takes the client's responses, and ignores those to questions that are no longer open. */
  respond(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, response] of Object.entries(responses)) this.#asked.get(key)?.answered(response);
  }

  finish(answer: JSONRPCMessage): void {
    if ("result" in answer) {
      // A finished task doesn't need its last line of progress.
      const { statusMessage: _, ...state } = this.#state;
      this.#state = state as TaskState;
      this.#end({ status: "completed", result: answer.result });
    } else if ("error" in answer) {
      this.#end({ status: "failed", error: answer.error, statusMessage: answer.error.message });
    }
  }

  cancel(): void {
    this.#end({
      status: "cancelled",
      statusMessage: "Cancelled: a program that it has started keeps running",
    });
  }

  #updateAsked(): void {
    if (this.isFinished) return;
    this.#dropRequests();
    const inputRequests = Object.fromEntries([...this.#asked].map(([key, { request }]) => [key, request]));
    this.#update(this.#asked.size > 0 ? { status: "input_required", inputRequests } : { status: "working" });
  }

  #dropRequests(): void {
    const { inputRequests: _, ...state } = this.#state;
    this.#state = state as TaskState;
  }

  #end(change: Partial<TaskState>): void {
    this.#dropRequests();
    this.#ended = Date.now();
    this.#expires = performance.now() + KEPT_MS;
    // The clock may have been set back since.
    const tookMs = Math.max(this.#ended - this.started, 0);
    this.#update({ ...change, ttlMs: tookMs + KEPT_MS });
  }

  #update(change: Partial<TaskState>): void {
    this.#state = { ...this.#state, ...change, lastUpdatedAt: new Date().toISOString() };
  }
}
