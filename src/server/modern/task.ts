// One task: a call that goes on after its client got an id for it.
import type { JSONRPCMessage } from "../sdk.ts";

/** Result of `tasks/get`. */
export interface TaskState {
  [key: string]: unknown;
  taskId: string;
  status: "working" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
  result?: unknown;
  error?: unknown;
}

const POLL_INTERVAL_MS = 1000;
/** How long a result is kept at the least, unless results take too much room. */
const KEPT_MS = 3_600_000;

export class Task {
  /** The id that its call runs under. */
  readonly key: string;
  readonly #began: Date = new Date();
  #state: TaskState;
  #notifiedAt = -Infinity;

  constructor(key: string) {
    this.key = key;
    const createdAt = this.#began.toISOString();
    this.#state = {
      taskId: `task-${crypto.randomUUID()}`,
      status: "working",
      createdAt,
      lastUpdatedAt: createdAt,
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
    return this.#state.status !== "working";
  }

  /** Characters that its result takes. */
  get bytes(): number {
    return JSON.stringify(this.#state.result ?? "").length;
  }

  /** Notes a line of progress. True if listeners should get it: they get one a second. */
  progress(statusMessage: string): boolean {
    this.#update({ statusMessage });
    const now = performance.now();
    if (now - this.#notifiedAt < POLL_INTERVAL_MS) return false;
    this.#notifiedAt = now;
    return true;
  }

  /** Takes the answer of its call. */
  finish(answer: JSONRPCMessage): void {
    if ("result" in answer) this.#end({ status: "completed", result: answer.result });
    else if ("error" in answer) {
      this.#end({ status: "failed", error: answer.error, statusMessage: answer.error.message });
    }
  }

  cancel(): void {
    this.#end({ status: "cancelled", statusMessage: "Cancelled: the program keeps running" });
  }

  #end(change: Partial<TaskState>): void {
    this.#update({ ...change, ttlMs: Date.now() - this.#began.getTime() + KEPT_MS });
  }

  #update(change: Partial<TaskState>): void {
    this.#state = { ...this.#state, ...change, lastUpdatedAt: new Date().toISOString() };
  }
}
