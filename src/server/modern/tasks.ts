// Tasks: calls that continue after their client has received an id for them.
import type { AskPerson } from "../../handover/handovers.ts";
import type { TaskCall } from "../../durable/task_call.ts";
import type { TaskPlaces } from "../../durable/task_places.ts";
import { formRequest, formsProblem, readForm } from "../elicitation.ts";
import type { JSONRPCMessage } from "../sdk.ts";
import {
  type CallRequest,
  type DeclaringRequest,
  formsDeclared,
  isTaskRequest,
  MISSING_TASKS,
  NO_TASK_ID,
  readTaskId,
  type TaskRequest,
  tasksDeclared,
  unknownTask,
} from "./task_requests.ts";
import { keepContinuation, type RunningCall, taskCall } from "./running_call.ts";
import { Task, type TaskState } from "./task.ts";
import { bestEffort } from "../../promises.ts";
import { argumentsLeft, type FoundTask, TaskRecords, type TaskStore } from "./task_records.ts";
import { internalError, invalidParams, type RequestError } from "../request_errors.ts";

export interface TasksOptions {
  /** Time after which a call becomes a task (ms). */
  afterMs: number;
  waits(tool: string): boolean;
  /** True for a tool whose calls another process can continue. */
  continues(tool: string): boolean;
  /** Passes a message to the server that runs calls. */
  deliver(message: JSONRPCMessage): void;
  send(message: JSONRPCMessage): void;
  /** Records in which other server processes find tasks; undefined if tasks end with this process. */
  store: TaskStore | undefined;
  places: Pick<TaskPlaces, "allows" | "argumentsFor" | "contents" | "isThere" | "sees">;
  /** Called with every state that listeners should get. */
  changed(task: TaskState): void;
}

/** Maximum size of all finished tasks. */
const KEPT_BYTES = 64 * 1024 * 1024;

export class Tasks {
  readonly #options: TasksOptions;
  /** Calls by the id that they run under. A client may reuse its own request id once it has the task. */
  readonly #running: Map<string, RunningCall> = new Map();
  readonly #tasks: Map<string, Task> = new Map();
  readonly #records: TaskRecords;
  #calls = 0;
  #keptBytes = 0;
  #isDetached = false;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#records = new TaskRecords(options.store, options.places);
  }

  /** Takes a message from the client. False if it isn't about tasks, as the next round of a call that has begun. */
  receive(message: JSONRPCMessage): boolean {
    if (!("method" in message)) return false;
    const { method, params } = message;
    if (method === "notifications/cancelled") return this.#cancelCall(params?.requestId);
    if (!("id" in message)) return false;
    if (isTaskRequest(message)) {
      void this.#reply(message);
      return true;
    }
    return method === "tools/call" && params?.requestState === undefined &&
      this.#begin(message as CallRequest);
  }

  /** Takes a message for the client. False if the message goes out unchanged. */
  intercept(message: JSONRPCMessage): boolean {
    if ("method" in message) {
      if (message.method !== "notifications/progress") return false;
      const { progressToken, ...params } = message.params as { progressToken: string; message?: string };
      const call = this.#running.get(progressToken);
      if (call === undefined) return false;
      if (call.task) this.#progress(call.task, params.message);
      else if (call.progressToken !== undefined) {
        this.#options.send({ ...message, params: { ...params, progressToken: call.progressToken } });
      }
      return true;
    }
    const key = message.id as string;
    const call = this.#running.get(key);
    if (call === undefined) return false;
    this.#over(key);
    if (call.task === undefined) this.#options.send({ ...message, id: call.id });
    else this.#finish(call.task, message);
    return true;
  }

  /** State of a task; undefined if it never existed, is no longer kept, or is out of scope. */
  async find(taskId: string, request: DeclaringRequest): Promise<TaskState | undefined> {
    const own = this.#tasks.get(taskId);
    if (own) return own.state;
    const found = await this.#records.find(taskId);
    const begun = this.#tasks.get(taskId);
    if (begun || found?.continuation === undefined) return begun?.state ?? found?.state;
    if (!this.#records.takeOver(taskId)) return found.state;
    return this.#resume(found as Required<FoundTask>, request).state;
  }

  /** Handle of a running call that can become a task; undefined for other calls. */
  taskOf(key: unknown): TaskCall | undefined {
    const call = this.#running.get(key as string);
    return call && taskCall(call, () => void bestEffort(this.#keep(call)));
  }

  /** Function that asks the person at the client of a call that becomes a task; undefined for other calls. */
  askPerson(key: unknown): AskPerson | undefined {
    const call = this.#running.get(key as string);
    if (!call?.showsForms) return undefined;
    return async (message, signal) => {
      await this.#becomeTask(key as string);
      const { task } = call;
      // The call was cancelled meanwhile.
      if (task === undefined || task.isFinished) return "unasked";
      const asking = task.ask(formRequest(message), signal);
      this.#options.changed(task.state);
      const response = await asking as { action?: unknown } | undefined;
      if (!task.isFinished) this.#options.changed(task.state);
      return response === undefined ? "unasked" : readForm(response.action);
    };
  }

  /** Called when this process ends: the failure of its calls doesn't end their tasks. */
  detach(): void {
    this.#isDetached = true;
  }

  close(): void {
    for (const { timer } of this.#running.values()) clearTimeout(timer);
  }

  #begin(request: CallRequest): boolean {
    const { _meta: meta } = request.params;
    const name = String(request.params.name);
    if (!tasksDeclared(request) || !this.#options.waits(name)) return false;
    const key = `tmux-mcp/call-${++this.#calls}`;
    this.#running.set(key, {
      id: request.id,
      progressToken: meta?.progressToken,
      timer: setTimeout(() => void this.#becomeTask(key), this.#options.afterMs),
      showsForms: formsDeclared(request),
      continuable: this.#options.continues(name) ? Promise.withResolvers() : undefined,
    });
    const params = { ...request.params, _meta: { ...meta, progressToken: key } };
    this.#options.deliver({ ...request, id: key, params });
    return true;
  }

  async #becomeTask(key: string): Promise<void> {
    const call = this.#running.get(key);
    if (call === undefined || call.task) return;
    clearTimeout(call.timer);
    await (call.becoming ??= this.#create(key, call));
  }

  /** Creates a call's task. This process may die at any moment: the record is on disk before the client has the id. */
  async #create(key: string, call: RunningCall): Promise<void> {
    const continuation = await keepContinuation(call);
    // The call ended or was cancelled meanwhile.
    if (this.#running.get(key) !== call) return;
    const task = call.task = new Task(key, this.#records.newId());
    task.continuation = continuation;
    this.#tasks.set(task.id, task);
    this.#records.write(task);
    this.#options.send({ jsonrpc: "2.0", id: call.id, result: { resultType: "task", ...task.state } });
  }

  /** Records a point from which another process can continue the task. */
  async #keep(call: RunningCall): Promise<void> {
    const { task } = call;
    if (task === undefined || task.isResumed) return;
    task.continuation = await keepContinuation(call);
    this.#record(task);
  }

  /** Continues a task whose process has died, as a call of the client that asks for it. */
  #resume({ state, continuation }: Required<FoundTask>, { params }: DeclaringRequest): Task {
    const key = `tmux-mcp/call-${++this.#calls}`;
    const task = new Task(key, state.taskId, state);
    this.#tasks.set(task.id, task);
    task.continuation = continuation;
    this.#running.set(key, { id: key, task, showsForms: formsDeclared({ params }) });
    const { tool: name, socket } = continuation;
    const _meta = { ...params?._meta as object, progressToken: key };
    this.#options.deliver({
      jsonrpc: "2.0",
      id: key,
      method: "tools/call",
      params: {
        name,
        arguments: { ...argumentsLeft(continuation), ...this.#options.places.argumentsFor(socket) },
        _meta,
      },
    });
    return task;
  }

  /** Cancels a call that is not a task yet. `notifications/cancelled` doesn't cancel tasks. */
  #cancelCall(id: unknown): boolean {
    const [key, call] = [...this.#running].find(([, each]) => each.id === id && !each.task) ?? [];
    if (call === undefined) return false;
    this.#stop(key!);
    return true;
  }

  /** Ends the wait of a call; the program keeps running. */
  #stop(key: string): void {
    this.#over(key);
    this.#options.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: key } });
  }

  #over(key: string): void {
    const call = this.#running.get(key);
    clearTimeout(call?.timer);
    call?.continuable?.resolve();
    this.#running.delete(key);
  }

  async #reply(request: TaskRequest): Promise<void> {
    const answer = await this.#answer(request).catch((error) => ({ error: internalError(error) }));
    this.#options.send({ jsonrpc: "2.0", id: request.id, ...answer } as JSONRPCMessage);
  }

  async #answer(
    request: TaskRequest,
  ): Promise<{ result: Record<string, unknown> } | { error: RequestError }> {
    if (!tasksDeclared(request)) return { error: MISSING_TASKS };
    const taskId = readTaskId(request);
    if (taskId === undefined) return { error: NO_TASK_ID };
    const state = await this.find(taskId, request);
    const problem = state === undefined ? unknownTask(taskId) : this.#act(request, state);
    if (problem !== undefined) return { error: invalidParams(problem) };
    return { result: { resultType: "complete", ...(request.method === "tasks/get" && state) } };
  }

  /** Applies a request to a task. Returns the problem if it can't. */
  #act(
    { method, params }: TaskRequest,
    { taskId, status, inputRequests = {} }: TaskState,
  ): string | undefined {
    // A form may be answered just after the program was answered in its pane.
    if (method === "tasks/get" || !["working", "input_required"].includes(status)) return undefined;
    const task = this.#tasks.get(taskId);
    if (task === undefined) {
      return `Cannot change task ${taskId}: another server process runs it. Ask the client that began it`;
    }
    if (method === "tasks/cancel") {
      this.#cancelTask(task);
      return undefined;
    }
    const responses = params?.inputResponses;
    const problem = formsProblem(responses, Object.keys(inputRequests));
    if (problem === undefined) task.respond(responses as Record<string, unknown>);
    return problem;
  }

  #cancelTask(task: Task): void {
    this.#stop(task.key);
    task.cancel();
    this.#ended(task);
  }

  #progress(task: Task, message: string | undefined): void {
    if (message !== undefined && task.progress(message)) this.#options.changed(task.state);
  }

  #finish(task: Task, answer: JSONRPCMessage): void {
    // A later process continues it, or says why it can't.
    if (this.#isDetached && this.#records.keeps(task)) return;
    task.finish(answer);
    this.#ended(task);
  }

  /** Records the end of a task. Forgets those that ended long ago, and the oldest if all take too much memory. */
  #ended(task: Task): void {
    this.#record(task);
    this.#keptBytes += task.bytes;
    this.#options.changed(task.state);
    for (const old of this.#tasks.values()) {
      if (!old.isExpired && (!old.isFinished || this.#keptBytes <= KEPT_BYTES)) continue;
      this.#tasks.delete(old.id);
      this.#keptBytes -= old.bytes;
    }
  }

  #record(task: Task): void {
    if (!this.#isDetached) this.#records.write(task);
  }
}
