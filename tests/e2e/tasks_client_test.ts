// Tasks as the official client library drives them: calls in, results out, polling as announced in between.
import { assertEquals, assertMatch } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { officialTransport, testOfficial } from "../support/official_client.ts";
import { World } from "../support/world.ts";

const FRAMING = {
  protocolVersion: "2026-07-28",
  clientInfo: { name: "tasks", version: "1" },
  clientCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: { form: {} } },
};

/** One server, its client and the client's session of tasks. */
class Tasks implements AsyncDisposable {
  readonly client: Client = new Client(FRAMING.clientInfo, {
    versionNegotiation: { mode: "auto" },
    capabilities: FRAMING.clientCapabilities,
  });
  /** Forms that the session showed, by what they say. */
  readonly forms: string[] = [];
  readonly #transport: StdioClientTransport;
  // deno-lint-ignore no-explicit-any -- the session's type depends on its options
  #session: any;
  // deno-lint-ignore no-explicit-any -- messages of many shapes
  readonly #answers: Map<string, (answer: any) => void> = new Map();
  #requests = 0;

  constructor(world: World) {
    this.#transport = officialTransport(world, ["--scope", "all"]);
  }

  async connect(): Promise<this> {
    await this.client.connect(this.#transport);
    const onmessage = this.#transport.onmessage!;
    this.#transport.onmessage = (message) => {
      const answered = "id" in message && this.#answers.get(String(message.id));
      if (answered) answered(message);
      else onmessage(message);
    };
    this.#session = createTaskSessionFromClient(this.client, {
      endpointId: "tmux-mcp",
      v2RequestFraming: FRAMING,
      rawDispatch: async (request) => {
        const id = `raw-${++this.#requests}`;
        // deno-lint-ignore no-explicit-any -- messages of many shapes
        const { promise, resolve } = Promise.withResolvers<any>();
        this.#answers.set(id, resolve);
        await this.#transport.send({ jsonrpc: "2.0", ...request as object, id } as never);
        const { result, error } = await promise;
        return error ? { kind: "error", error: { code: error.code, ...error } } : { kind: "result", result };
      },
      onInputRequest: (request) => {
        this.forms.push((request.params as { message: string }).message);
        return Promise.resolve({ action: "decline" }) as never;
      },
    });
    return this;
  }

  // deno-lint-ignore no-explicit-any -- executions of many shapes
  async start(tool: string, args: Record<string, unknown>): Promise<any> {
    return await this.#session.callTool(tool, args);
  }

  // deno-lint-ignore no-explicit-any -- results of many shapes
  async call(tool: string, args: Record<string, unknown>): Promise<any> {
    const { outcome } = await (await this.start(tool, args)).settle();
    // deno-lint-ignore no-explicit-any -- results of many shapes
    return (resultFromTaskOutcome(outcome) as any).structuredContent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session?.close();
    await this.client.close();
  }
}

testOfficial(
  "the official client of tasks gets the results of calls that become tasks, and of those that do not",
  async () => {
    await using world = await World.create();
    await using tasks = await new Tasks(world).connect();
    const { paneId } = await tasks.call("create-session", { name: "t", command: "sh" });
    // The first command waits for the shell, on a busy machine for long enough to become a task.
    await tasks.call("execute-command", { paneId, command: "true" });
    const quick = await tasks.start("execute-command", { paneId, command: "echo quick" });
    assertEquals(quick.kind, "immediate");
    const slow = await tasks.start("execute-command", { paneId, command: "sleep 1.5; echo slow; (exit 7)" });
    assertEquals(slow.kind, "task");
    const { outcome } = await slow.settle();
    assertEquals(outcome.status, "completed");
    const { exitCode, output } = outcome.result.structuredContent;
    assertEquals([exitCode, output], [7, "slow"]);
  },
);

testOfficial("the official client of tasks cancels the wait, and the program continues", async () => {
  await using world = await World.create();
  await using tasks = await new Tasks(world).connect();
  const { paneId } = await tasks.call("create-session", { name: "t", command: "cat" });
  const watch = await tasks.start("watch-pane", { paneId, triggers: "pattern:never", timeout: 600 });
  assertEquals(watch.kind, "task");
  await watch.cancel();
  assertEquals((await watch.settle()).outcome.status, "cancelled");
  assertEquals((await tasks.call("pane-state", { paneId })).foregroundCmd, "cat");
});

testOfficial(
  "the official client of tasks shows the form of a question, and its refusal ends the wait",
  async () => {
    await using world = await World.create();
    await using tasks = await new Tasks(world).connect();
    const { paneId } = await tasks.call("create-session", { name: "t", command: "sh" });
    const command = "printf 'Really? '; read answer";
    const result = await tasks.call("execute-command", { paneId, command, onInput: "person" });
    assertEquals(result.status, "waiting");
    assertEquals(result.handedOver.map((each: { outcome: string }) => each.outcome), ["declined"]);
    assertEquals(tasks.forms.length, 1);
    assertMatch(tasks.forms[0]!, /Really\?/);
  },
);
