// A client that supports tasks, over its server's stdin and stdout.
import { until } from "./until.ts";
import { envelope, type RawClient, type RawMessage } from "./raw_client.ts";

export const TASKS = "io.modelcontextprotocol/tasks";
export const TAKES_TASKS = envelope({ extensions: { [TASKS]: {} } });

export class TaskClient {
  readonly raw: RawClient;
  readonly #meta: typeof TAKES_TASKS;
  #id = 0;

  constructor(raw: RawClient, meta = TAKES_TASKS) {
    this.raw = raw;
    this.#meta = meta;
  }

  async ask(method: string, params: Record<string, unknown>): Promise<RawMessage> {
    return await this.raw.modern(++this.#id, method, params, this.#meta);
  }

  // deno-lint-ignore no-explicit-any -- results of many shapes
  async call(name: string, args: Record<string, unknown> = {}): Promise<any> {
    return (await this.ask("tools/call", { name, arguments: args })).result;
  }

  // deno-lint-ignore no-explicit-any -- tasks of many shapes
  async get(taskId: string): Promise<any> {
    return (await this.ask("tasks/get", { taskId })).result;
  }

  /** Polls until the task has this status. */
  // deno-lint-ignore no-explicit-any -- tasks of many shapes
  async until(taskId: string, holds: (task: any) => boolean): Promise<any> {
    let task: unknown;
    await until(async () => holds(task = await this.get(taskId)));
    return task;
  }

  async pane(command = "cat"): Promise<string> {
    return (await this.call("create-session", { command })).structuredContent.paneId;
  }
}
