// Finished tasks are kept for an hour, and their listeners get each state once.
import { assertEquals, assertMatch } from "@std/assert";
import type { TaskPlaces } from "../../../src/durable/task_places.ts";
import { TaskRecords, type TaskStore } from "../../../src/server/modern/task_records.ts";
import { Tasks } from "../../../src/server/modern/tasks.ts";
import type { JSONRPCMessage } from "../../../src/server/sdk.ts";
import { until } from "../../support/until.ts";

const CAPABILITIES = {
  "io.modelcontextprotocol/clientCapabilities": {
    extensions: { "io.modelcontextprotocol/tasks": {} },
    elicitation: { form: {} },
  },
};
const HOUR_MS = 3_600_000;

/** A client and a server whose calls all become tasks at once. */
class TaskWire implements Disposable {
  readonly #sent: JSONRPCMessage[] = [];
  readonly #delivered: JSONRPCMessage[] = [];
  /** Each state that listeners got, by its status. */
  readonly heard: string[] = [];
  #arrived = Promise.withResolvers<void>();
  readonly #now = performance.now;
  #requests = 0;
  readonly tasks: Tasks;

  constructor(store?: TaskStore) {
    this.tasks = new Tasks({
      afterMs: 0,
      waits: () => true,
      continues: () => false,
      deliver: (message) => void this.#delivered.push(message),
      send: (message) => {
        this.#sent.push(message);
        this.#arrived.resolve();
      },
      store,
      places: {
        allows: () => true,
        argumentsFor: () => ({}),
        contents: true,
        isThere: () => Promise.resolve(false),
        sees: () => Promise.resolve(true),
      },
      changed: ({ status }) => void this.heard.push(status),
    });
  }

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

  /** Id that the latest call runs under. */
  get #latest(): string {
    return (this.#delivered.at(-1) as { id: string }).id;
  }

  /** Ends the latest call. */
  finish(): void {
    this.tasks.intercept({ jsonrpc: "2.0", id: this.#latest, result: { content: [] } });
  }

  /** Asks a person for the latest call. */
  async ask(signal: AbortSignal): Promise<string> {
    return await this.tasks.askPerson(this.#latest)!("Name?", signal);
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

Deno.test("a task that is cancelled while it asks is heard of once more", async () => {
  using wire = new TaskWire();
  const taskId = await wire.begin();
  const abort = new AbortController();
  const asking = wire.ask(abort.signal);
  await until(() => wire.heard.length > 0);
  await wire.request("tasks/cancel", { taskId });
  abort.abort();
  assertEquals([await asking, wire.heard], ["unasked", ["input_required", "cancelled"]]);
});

Deno.test("a task whose call the end of its process stops is not over, if it is on disk", async () => {
  const records: unknown[] = [];
  const store = {
    ids: { next: () => "t1" },
    owns: () => true,
    write: (record: { state: { status: string } }) => void records.push(record.state.status),
  };
  for (const kept of [store as unknown as TaskStore, undefined]) {
    using wire = new TaskWire(kept);
    const taskId = await wire.begin();
    wire.tasks.detach();
    wire.finish();
    const status = kept ? "working" : "completed";
    assertEquals([await wire.status(taskId), wire.heard], [status, kept ? [] : ["completed"]]);
  }
  assertEquals(records, ["working"]);
});

Deno.test("a request about a task whose record can't be read is answered", async () => {
  const fails = (): never => {
    throw new Error("the disk is gone");
  };
  using wire = new TaskWire(
    { ids: { next: () => "t1" }, owns: () => true, read: fails } as unknown as TaskStore,
  );
  assertMatch(await wire.status("t2"), /the disk is gone/);
});

Deno.test("a damaged record is no task", async () => {
  const state = {
    taskId: "t1",
    status: "working",
    createdAt: "",
    lastUpdatedAt: "",
    ttlMs: null,
    pollIntervalMs: 1,
  };
  const find = async (stored: unknown) => {
    const store = { read: () => ({ state: stored }), isAbandoned: () => true, owns: () => true };
    return await new TaskRecords(store as unknown as TaskStore, { contents: true } as unknown as TaskPlaces)
      .find("t1");
  };
  assertEquals(await find(state) === undefined, false);
  for (
    const change of [{ taskId: null }, { status: "later" }, { createdAt: 1 }, { ttlMs: "1" }, {
      pollIntervalMs: [],
    }]
  ) {
    assertEquals(await find({ ...state, ...change }), undefined);
  }
  for (const stored of [null, "working", [], undefined]) assertEquals(await find(stored), undefined);
});
