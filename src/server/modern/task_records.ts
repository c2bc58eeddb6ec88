// Tasks on disk, where other server processes find them.
import type { Continuation } from "../../watch/durable/task_call.ts";
import type { TaskPlaces } from "../../watch/durable/task_places.ts";
import type { Task, TaskState } from "./task.ts";
import { isObject } from "../../json.ts";

interface TaskRecord {
  id: string;
  /** Epoch milliseconds. */
  started: number;
  /** Epoch milliseconds; absent while the task runs. */
  ended?: number;
  state: TaskState;
  /** Absent where no other process can continue it. */
  continuation?: Continuation;
}

/** The records of this machine that tasks use. */
export interface TaskStore {
  readonly ids: { next(kind: string): string };
  write(record: TaskRecord): unknown;
  read(id: string): Partial<TaskRecord> | undefined;
  owns(id: string): boolean;
  /** True if the process that wrote a record has died. */
  isAbandoned(id: string): boolean;
  /** True if the process that wrote a record can't be seen from here. */
  isElsewhere(id: string): boolean;
}

export interface FoundTask {
  state: TaskState;
  /** Continues the call of a process that has died. */
  continuation?: Continuation;
}

/** The letter that ids of tasks begin with. */
const KIND = "t";
const INTERNAL_ERROR = -32603;
const LOST = "The server that ran this call has ended, and no other can continue it. " +
  "Its program keeps running: call list-commands to find it";

export class TaskRecords {
  readonly #store: TaskStore | undefined;
  readonly #places: Pick<TaskPlaces, "sees" | "isThere">;

  /** @param store Undefined if tasks last only as long as this process. */
  constructor(store: TaskStore | undefined, places: Pick<TaskPlaces, "sees" | "isThere">) {
    this.#store = store;
    this.#places = places;
  }

  /** An id that no other process creates. */
  newId(): string {
    return this.#store?.ids.next(KIND) ?? `${KIND}-${crypto.randomUUID()}`;
  }

  write({ id, started, ended, state, continuation }: Task): void {
    const rest = { ...(ended !== undefined && { ended }), ...(continuation && { continuation }) };
    this.#store?.write({ id, started, state, ...rest });
  }

  /** A task of any process. A task whose process died before its end continues, or has failed where it can't. */
  async find(taskId: string): Promise<FoundTask | undefined> {
    if (!taskId.startsWith(KIND)) return undefined;
    const store = this.#store;
    const { state, ended, continuation: stored } = store?.read(taskId) ?? {};
    const continuation = isContinuation(stored) ? stored : undefined;
    if (!store || state === undefined) return undefined;
    const isThere = continuation !== undefined && await this.#places.isThere(continuation);
    const isAbandoned = ended === undefined &&
      (store.isAbandoned(taskId) || (store.isElsewhere(taskId) && !isThere));
    // The continuing call decides itself what it may report of other panes.
    const isAboutNone = isAbandoned && continuation?.paneIds.length === 0;
    if (!isAboutNone && !store.owns(taskId) && !await this.#places.sees(continuation)) return undefined;
    if (!isAbandoned) return { state };
    const { inputRequests: _, ...rest } = state;
    if (continuation && (continuation.isSelfKnown || isThere)) {
      return { state: rest as TaskState, continuation };
    }
    const error = { code: INTERNAL_ERROR, message: LOST };
    return { state: { ...rest, status: "failed", statusMessage: LOST, error } };
  }
}

/** Arguments of the call that continues another, with the time that is left of it. */
export function argumentsLeft({ arguments: given, until }: Continuation): Record<string, unknown> {
  if (until === undefined) return given;
  return { ...given, [until.argument]: Math.max(until.at - Date.now(), 0) / 1000 };
}

/** True if a record has all fields of one; another version, or nobody of ours, may have written it. */
export function isContinuation(value: unknown): value is Continuation {
  const { tool, arguments: given, until, watched, socket, paneIds } = Object(value) as Partial<Continuation>;
  return typeof tool === "string" && isObject(given) && typeof socket === "string" &&
    Array.isArray(paneIds) && paneIds.every((id) => typeof id === "string") &&
    (until === undefined || (Number.isFinite(until.at) && typeof until.argument === "string")) &&
    (watched === undefined || (typeof watched.watchId === "string" && isObject(watched.beside)));
}
