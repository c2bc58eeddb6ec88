// Tasks on disk, where other server processes find them.
import type { Continuation } from "../../durable/task_call.ts";
import type { TaskPlaces } from "../../durable/task_places.ts";
import type { RecordStore, StoredRecord } from "../../records/record_store.ts";
import type { Task, TaskState } from "./task.ts";
import { withoutOutput } from "./task_output.ts";
import { isObject } from "../../json.ts";
import { INTERNAL_ERROR } from "../request_errors.ts";

interface TaskRecord extends StoredRecord {
  state: TaskState;
  /** Absent if no other process can continue the task. */
  continuation?: Continuation;
}

/** Records on this machine, as tasks use them. */
export type TaskStore = Pick<
  RecordStore,
  "ids" | "write" | "read" | "owns" | "claim" | "isAbandoned" | "isElsewhere"
>;

export interface FoundTask {
  state: TaskState;
  /** Continuation of a call whose process has died. */
  continuation?: Continuation;
}

/** First letter of task ids. */
const KIND = "t";
const LOST = "The server that ran this call has ended, and no other can continue it. " +
  "A program that it has started may still run: call list-commands to find it";

type Visible = Pick<TaskPlaces, "allows" | "contents" | "isThere" | "sees">;

export class TaskRecords {
  readonly #store: TaskStore | undefined;
  readonly #places: Visible;

  /** @param store Undefined if tasks end with this process */
  constructor(store: TaskStore | undefined, places: Visible) {
    this.#store = store;
    this.#places = places;
  }

  /** Returns an id that no other process creates. */
  newId(): string {
    return this.#store?.ids.next(KIND) ?? `${KIND}-${crypto.randomUUID()}`;
  }

  /** True if the task outlives this process, which is responsible for it. */
  keeps({ id }: Task): boolean {
    return this.#store?.owns(id) === true;
  }

  /** Records a task if this process is responsible for it. */
  write(task: Task): void {
    if (!this.#store || !this.keeps(task)) return;
    const { id, started, ended, state, continuation } = task;
    const rest = { ...(ended !== undefined && { ended }), ...(continuation && { continuation }) };
    const record: TaskRecord = { id, started, state, ...rest };
    this.#store.write(record);
  }

  /**
   * Finds a task of any process, as this client may see it. If the process died before the task's end, the
   * result says how to continue it, or that it has failed.
   */
  async find(taskId: string): Promise<FoundTask | undefined> {
    const found = await this.#find(taskId);
    if (found === undefined || this.#places.contents) return found;
    return { ...found, state: withoutOutput(found.state) };
  }

  /** True if this process may continue a task that it has found: no other does, as far as can be known. */
  takeOver(taskId: string): boolean {
    return this.#store !== undefined && (this.#store.claim(taskId) || this.#store.isElsewhere(taskId));
  }

  async #find(taskId: string): Promise<FoundTask | undefined> {
    const store = this.#store;
    if (!store || !taskId.startsWith(KIND)) return undefined;
    const { state, ended, continuation: stored } = store.read<TaskRecord>(taskId) ?? {};
    if (!isState(state)) return undefined;
    const continuation = isContinuation(stored) ? stored : undefined;
    const isThere = continuation === undefined ? false : await this.#places.isThere(continuation);
    const isAbandoned = ended === undefined &&
      (store.isAbandoned(taskId) || (store.isElsewhere(taskId) && isThere === false));
    if (!store.owns(taskId) && !await this.#mayShow(continuation, isAbandoned)) return undefined;
    if (!isAbandoned) return { state };
    const { inputRequests: _, ...last } = state;
    if (continuation && (isThere || continuation.isSelfKnown)) return { state: last, continuation };
    // While tmux does not answer, nobody knows if the call can be continued.
    if (isThere === undefined) return { state: { ...last, status: "working" } };
    const error = { code: INTERNAL_ERROR, message: LOST };
    return { state: { ...last, status: "failed", statusMessage: LOST, error } };
  }

  /** True if this client may see another process's task. */
  async #mayShow(continuation: Continuation | undefined, isAbandoned: boolean): Promise<boolean> {
    // A call about no particular pane checks scope itself when it continues.
    if (isAbandoned && continuation?.paneIds.length === 0) return true;
    if (!await this.#places.sees(continuation)) return false;
    return isAbandoned || continuation === undefined || this.#places.allows(continuation.tool);
  }
}

/** Arguments of the continuing call, with the remaining time. */
export function argumentsLeft({ arguments: given, until }: Continuation): Record<string, unknown> {
  if (until === undefined) return given;
  return { ...given, [until.argument]: Math.max(until.at - Date.now(), 0) / 1000 };
}

const STATUSES: readonly unknown[] = ["working", "input_required", "completed", "failed", "cancelled"];

/** True if a value is the state of a task, with every field that clients rely on. */
function isState(value: unknown): value is TaskState {
  const { taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = Object(value) as TaskState;
  return [taskId, createdAt, lastUpdatedAt].every((text) => typeof text === "string") &&
    STATUSES.includes(status) && Number.isFinite(ttlMs ?? 0) && Number.isFinite(pollIntervalMs);
}

/** True if a value is a complete continuation. Another version or another program may have written the record. */
function isContinuation(value: unknown): value is Continuation {
  const { tool, arguments: given, until, watched, socket, paneIds } = Object(value) as Partial<Continuation>;
  return typeof tool === "string" && isObject(given) && typeof socket === "string" &&
    Array.isArray(paneIds) && paneIds.every((id) => typeof id === "string") &&
    (until === undefined || (Number.isFinite(until.at) && typeof until.argument === "string")) &&
    (watched === undefined || (typeof watched.watchId === "string" && isObject(watched.beside)));
}
