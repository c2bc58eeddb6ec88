// Tasks on disk, where other server processes find them.
import type { Task, TaskState } from "./task.ts";

interface TaskRecord {
  id: string;
  /** Epoch milliseconds. */
  started: number;
  /** Epoch milliseconds; absent while the task runs. */
  ended?: number;
  state: TaskState;
}

/** The records of this machine, as far as tasks use them. */
export interface TaskStore {
  newId(kind: string): string;
  write(record: TaskRecord): unknown;
  read(id: string): Partial<TaskRecord> | undefined;
  /** True if the process that wrote a record has died. */
  isAbandoned(id: string): boolean;
}

/** The letter that ids of tasks begin with. */
const KIND = "t";
const INTERNAL_ERROR = -32603;
const LOST =
  "The server that ran this call has ended. Its program keeps running: call list-commands to find it";

/** The store without the tasks of other processes, which do not say what pane they are about. */
export function ownTasks(store: TaskStore & { owns(id: string): boolean }): TaskStore {
  return {
    newId: (kind) => store.newId(kind),
    write: (record) => store.write(record),
    read: (id) => store.owns(id) ? store.read(id) : undefined,
    isAbandoned: (id) => store.isAbandoned(id),
  };
}

export class TaskRecords {
  readonly #store: TaskStore | undefined;

  /** @param store Undefined if tasks last only as long as this process. */
  constructor(store: TaskStore | undefined) {
    this.#store = store;
  }

  /** An id that no other process creates. */
  newId(): string {
    return this.#store?.newId(KIND) ?? `${KIND}-${crypto.randomUUID()}`;
  }

  write({ id, started, ended, state }: Task): void {
    this.#store?.write({ id, started, ...(ended === undefined ? {} : { ended }), state });
  }

  /** State of a task of any process. A task whose process died before its end has failed. */
  find(taskId: string): TaskState | undefined {
    if (!taskId.startsWith(KIND)) return undefined;
    const { state, ended } = this.#store?.read(taskId) ?? {};
    if (state === undefined || ended !== undefined || !this.#store?.isAbandoned(taskId)) return state;
    const { inputRequests: _, ...rest } = state;
    return { ...rest, status: "failed", statusMessage: LOST, error: { code: INTERNAL_ERROR, message: LOST } };
  }
}
