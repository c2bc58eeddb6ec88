// Streams of notifications that clients open with `subscriptions/listen`.
import * as z from "zod";
import type { JSONRPCMessage } from "../sdk.ts";
import type { ResourceSubscriber } from "../resources/subscriptions.ts";
import type { TaskState } from "./task.ts";
import { type DeclaringRequest, MISSING_TASKS, tasksDeclared } from "./task_requests.ts";
import { INTERNAL_ERROR, invalidParams, type RequestError } from "../request_errors.ts";
import { bestEffort } from "../../promises.ts";
import { delay } from "../../timer.ts";

export interface StreamSources {
  send(message: JSONRPCMessage): void;
  /**
   * Follows a resource.
   * @throws {McpError} if it doesn't exist or may not be read
   */
  subscribe(uri: string, subscriber: ResourceSubscriber): Promise<void>;
  unsubscribe(uri: string, subscriber: ResourceSubscriber): Promise<void>;
  /** Starts to watch for resources that are created or removed. */
  followResourceList(): void;
  /** Settles when changes from now on will be noticed. */
  resourceListKnown(): Promise<void>;
  /** Finds the state of a task; undefined if calls never become tasks. */
  findTask: ((taskId: string, request: DeclaringRequest) => Promise<TaskState | undefined>) | undefined;
}

interface ListenRequest {
  id: string | number;
  params?: Record<string, unknown> | undefined;
}

/** Notifications that a stream carries. */
interface Filter {
  resourcesListChanged?: true;
  resourceSubscriptions?: string[];
  taskIds?: string[];
}

interface Stream extends ResourceSubscriber {
  readonly id: string | number;
  readonly filter: Filter;
  /** True once the client knows that the stream is open. */
  isAcknowledged: boolean;
  /** Resources that changed before the acknowledgement. */
  readonly early: Set<string>;
  /** Tasks, each with the state last sent. */
  readonly tasks: Map<string, string | undefined>;
  readonly ended: AbortController;
}

/** Interval (ms) at which tasks are read: another process, which sends nothing here, may run them. */
const READ_TASKS_MS = 1000;
const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";
const MAX_STREAMS = 1024;
const MAX_URIS = 1000;
const MAX_TASKS = 10_000;
const ENDED: ReadonlySet<TaskState["status"]> = new Set(["completed", "failed", "cancelled"]);

const PARAMS = z.looseObject({
  notifications: z.looseObject({
    toolsListChanged: z.boolean().optional(),
    promptsListChanged: z.boolean().optional(),
    resourcesListChanged: z.boolean().optional(),
    resourceSubscriptions: z.array(z.string()).max(MAX_URIS).optional(),
    taskIds: z.array(z.string()).max(MAX_TASKS).optional(),
  }),
});

export class NotificationStreams {
  readonly #sources: StreamSources;
  readonly #streams: Map<string | number, Stream> = new Map();

  constructor(sources: StreamSources) {
    this.#sources = sources;
  }

  /** Opens a stream and acknowledges which of the requested notifications it carries. */
  async open(request: ListenRequest): Promise<void> {
    const { id, params } = request;
    const error = this.#findProblem(request);
    if (error) return this.#sources.send({ jsonrpc: "2.0", id, error });
    const { resourcesListChanged, resourceSubscriptions = [], taskIds } = PARAMS.parse(params).notifications;
    const stream = this.#addStream(id);
    if (resourcesListChanged) stream.filter.resourcesListChanged = true;
    const uris = await this.#subscribe([...new Set(resourceSubscriptions)], stream);
    if (uris.length > 0) stream.filter.resourceSubscriptions = uris;
    for (const taskId of new Set(taskIds)) {
      if ((await this.#readTask(taskId, { params })).task) stream.tasks.set(taskId, undefined);
    }
    if (stream.tasks.size > 0) stream.filter.taskIds = [...stream.tasks.keys()];
    if (resourcesListChanged) {
      this.#sources.followResourceList();
      await this.#sources.resourceListKnown();
    }
    // The client has cancelled the stream meanwhile.
    if (this.#streams.get(id) !== stream) return this.#unsubscribe(stream);
    this.#notify(stream, "notifications/subscriptions/acknowledged", { notifications: stream.filter });
    stream.isAcknowledged = true;
    for (const uri of stream.early) stream.updated(uri);
    void bestEffort(this.#followTasks(stream, { params }));
  }

  /** Ends a stream. False if no stream has this id. */
  cancel(id: unknown): boolean {
    const stream = this.#streams.get(id as string | number);
    if (stream === undefined) return false;
    this.#streams.delete(stream.id);
    stream.ended.abort();
    this.#unsubscribe(stream);
    return true;
  }

  resourceListChanged(): void {
    for (const stream of this.#streams.values()) {
      if (stream.isAcknowledged && stream.filter.resourcesListChanged) {
        this.#notify(stream, "notifications/resources/list_changed");
      }
    }
  }

  taskChanged(task: TaskState): void {
    for (const stream of this.#streams.values()) {
      if (stream.isAcknowledged && stream.tasks.has(task.taskId)) this.#notifyTask(stream, task);
    }
  }

  /** Ends every stream with a result, so that clients know it has ended. */
  close(): void {
    for (const { id, ended } of this.#streams.values()) {
      ended.abort();
      const result = { resultType: "complete", _meta: { [SUBSCRIPTION_KEY]: id } };
      this.#sources.send({ jsonrpc: "2.0", id, result });
    }
    this.#streams.clear();
  }

  #findProblem({ id, params }: ListenRequest): RequestError | undefined {
    const { data, error } = PARAMS.safeParse(params);
    if (error) {
      const { path, message } = error.issues[0]!;
      return invalidParams(`Invalid ${path.join(".")}: ${message}`);
    }
    if (this.#streams.has(id)) {
      return invalidParams(`Request id ${JSON.stringify(id)} belongs to an open stream: use another id`);
    }
    if (this.#streams.size >= MAX_STREAMS) {
      return {
        code: INTERNAL_ERROR,
        message: `Subscription limit reached: cancel one of ${MAX_STREAMS} streams`,
      };
    }
    const needsTasks = data.notifications.taskIds !== undefined && this.#sources.findTask !== undefined;
    return needsTasks && !tasksDeclared({ params }) ? MISSING_TASKS : undefined;
  }

  #addStream(id: string | number): Stream {
    const stream: Stream = {
      id,
      filter: {},
      isAcknowledged: false,
      early: new Set(),
      tasks: new Map(),
      ended: new AbortController(),
      updated: (uri) => {
        if (stream.isAcknowledged) this.#notify(stream, "notifications/resources/updated", { uri });
        else stream.early.add(uri);
      },
    };
    this.#streams.set(id, stream);
    return stream;
  }

  /** Subscribes to the URIs and returns those that exist and may be read. */
  async #subscribe(uris: readonly string[], stream: Stream): Promise<string[]> {
    const outcomes = await Promise.allSettled(uris.map((uri) => this.#sources.subscribe(uri, stream)));
    return uris.filter((_, index) => outcomes[index]!.status === "fulfilled");
  }

  #unsubscribe(stream: Stream): void {
    for (const uri of stream.filter.resourceSubscriptions ?? []) {
      // Ignore failures: the tmux server may be gone.
      bestEffort(this.#sources.unsubscribe(uri, stream));
    }
  }

  /** Sends the states of a stream's tasks that have not been sent: one may have finished before its client listened. */
  async #followTasks(stream: Stream, request: DeclaringRequest): Promise<void> {
    const { tasks, ended: { signal } } = stream;
    const running = new Set(tasks.keys());
    while (running.size > 0 && !signal.aborted) {
      for (const taskId of running) {
        const { isRead, task } = await this.#readTask(taskId, request);
        if (signal.aborted) return;
        // It is read again later.
        if (!isRead) continue;
        if (task && tasks.get(taskId) !== stateKey(task)) this.#notifyTask(stream, task);
        if (task === undefined || ENDED.has(task.status)) running.delete(taskId);
      }
      await delay(READ_TASKS_MS, signal);
    }
  }

  /** Reads a task, which does not exist if `task` is missing; `isRead` is false if the reading failed. */
  async #readTask(
    taskId: string,
    request: DeclaringRequest,
  ): Promise<{ isRead: boolean; task?: TaskState | undefined }> {
    const found = this.#sources.findTask?.(taskId, request) ?? Promise.resolve(undefined);
    return await found.then((task) => ({ isRead: true, task }), () => ({ isRead: false }));
  }

  #notifyTask(stream: Stream, task: TaskState): void {
    stream.tasks.set(task.taskId, stateKey(task));
    this.#notify(stream, "notifications/tasks", task);
  }

  #notify({ id }: Stream, method: string, params: Record<string, unknown> = {}): void {
    this.#sources.send({ jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION_KEY]: id } } });
  }
}

/** Text that differs for each state of a task. */
function stateKey({ status, lastUpdatedAt }: TaskState): string {
  return `${status} ${lastUpdatedAt}`;
}
