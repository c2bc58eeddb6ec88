// Finished tasks are kept for an hour.
import { assertEquals, assertMatch } from "@std/assert";
import { Tasks } from "../../../src/server/modern/tasks.ts";
import type { JSONRPCMessage } from "../../../src/server/sdk.ts";

const CAPABILITIES = {
  "io.modelcontextprotocol/clientCapabilities": {
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};
const HOUR_MS = 3_600_000;

/** A client and a server whose calls all become tasks at once. */
class TaskWire implements Disposable {
  readonly #sent: JSONRPCMessage[] = [];
  readonly #delivered: JSONRPCMessage[] = [];
  #arrived = Promise.withResolvers<void>();
  readonly #now = performance.now;
  #requests = 0;
  readonly tasks = new Tasks({
    afterMs: 0,
    waits: () => true,
    continues: () => false,
    deliver: (message) => void this.#delivered.push(message),
    send: (message) => {
      this.#sent.push(message);
      this.#arrived.resolve();
    },
    store: undefined,
    places: {
      allows: () => true,
      argumentsFor: () => ({}),
      contents: true,
      isThere: () => Promise.resolve(false),
      sees: () => Promise.resolve(true),
    },
    changed() {},
  });

  async request(method: string, params: Record<string, unknown>): Promise<unknown> {
    this.#arrived = Promise.withResolvers();
    this.tasks.receive({
      jsonrpc: "2.0",
      id: ++this.#requests,
      method,
      params: { ...params, _meta: CAPABILITIES },
    });
    await this.#arrived.promise;
    return this.#sent.pop();
  }

  async begin(): Promise<string> {
    const answer = await this.request("tools/call", { name: "wait", arguments: {} });
    return (answer as { result: { taskId: string } }).result.taskId;
  }

  /** Ends the latest call. */
  finish(): void {
    const { id } = this.#delivered.at(-1) as { id: string };
    this.tasks.intercept({ jsonrpc: "2.0", id, result: { content: [] } });
  }

  async status(taskId: string): Promise<string> {
    const { result, error } = await this.request("tasks/get", { taskId }) as {
      result?: { status: string };
      error?: { message: string };
    };
    return result?.status ?? error!.message;
  }

  pass(ms: number): void {
    const now = performance.now.bind(performance);
    performance.now = () => now() + ms;
  }

  [Symbol.dispose](): void {
    this.tasks.close();
    performance.now = this.#now;
  }
}

Deno.test("finished tasks are kept for an hour", async () => {
  using wire = new TaskWire();
  const done = await wire.begin();
  wire.finish();
  const cancelled = await wire.begin();
  await wire.request("tasks/cancel", { taskId: cancelled });
  const running = await wire.begin();
  wire.pass(HOUR_MS - 60_000);
  await wire.begin();
  wire.finish();
  assertEquals([await wire.status(done), await wire.status(cancelled)], ["completed", "cancelled"]);
  wire.pass(60_000);
  const last = await wire.begin();
  await wire.request("tasks/cancel", { taskId: last });
  for (const taskId of [done, cancelled]) {
    assertMatch(await wire.status(taskId), /^Unknown task/);
  }
  assertEquals([await wire.status(running), await wire.status(last)], ["working", "cancelled"]);
});
