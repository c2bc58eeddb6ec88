// A client of 2026-07-28 without tasks shows forms: its request ends with one, and the next continues with the call.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import { officialTransport, testOfficial } from "../support/official_client.ts";
import { envelope, RawClient, type RawMessage } from "../support/raw_client.ts";
import { TASKS } from "../support/task_client.ts";
import { World } from "../support/world.ts";

const SECRET = "word-of-17-chars!";
const ASKING = "read -s -p 'Key: ' word; echo; echo ${#word}";

class FormClient {
  readonly #raw: RawClient;
  #id = 0;

  constructor(raw: RawClient) {
    this.#raw = raw;
  }

  async begin(
    name: string,
    args: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<number> {
    const id = ++this.#id;
    const { progressToken, extensions, ...rest } = more;
    const capabilities = { elicitation: { form: {} }, ...(extensions ? { extensions } : {}) };
    const _meta = { ...envelope(capabilities), ...(progressToken ? { progressToken } : {}) };
    await this.#raw.send({ id, method: "tools/call", params: { name, arguments: args, ...rest, _meta } });
    return id;
  }

  async call(
    name: string,
    args: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<RawMessage> {
    return await this.#raw.answer(await this.begin(name, args, more));
  }

  /** The next round of a call whose form was closed. */
  async next(
    args: Record<string, unknown>,
    { result }: RawMessage,
    action?: string,
    more: Record<string, unknown> = {},
  ): Promise<RawMessage> {
    const [key] = Object.keys(result.inputRequests);
    const inputResponses = action === undefined ? {} : { [key!]: { action, content: {} } };
    const { requestState } = result;
    return await this.call("execute-command", args, { inputResponses, requestState, ...more });
  }
}

async function typedBy(world: World, paneId: string, text: string): Promise<void> {
  await world.tmux("send-keys", "-t", paneId, "-l", text);
  await world.tmux("send-keys", "-t", paneId, "Enter");
}

Deno.test("a call asks for a person with a form and no field, and the next round has its result", async (t) => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  const client = new FormClient(raw);
  const made = await client.call("create-session", { command: "bash --norc" });
  const { paneId } = made.result.structuredContent;
  const args = { paneId, command: ASKING, onInput: "person", timeout: 60 };

  await t.step("answered in the pane before the form is closed", async () => {
    const asked = await client.call("execute-command", args);
    assertEquals(asked.result.resultType, "input_required");
    const [form] = Object.values(asked.result.inputRequests) as RawMessage[];
    assertEquals([form!.method, form!.params.requestedSchema], ["elicitation/create", {
      type: "object",
      properties: {},
    }]);
    assertMatch(form!.params.message, /bash waits for a password: Key:\n.*tmux -S /);
    await typedBy(world, paneId, SECRET);
    const { result } = await client.next(args, asked, "accept");
    assertEquals(result.resultType, "complete");
    const { status, output, handedOver } = result.structuredContent;
    assertEquals([status, output, handedOver[0].outcome], [
      "completed",
      `Key: \n${SECRET.length}`,
      "answered",
    ]);
    // Each state is good for one round.
    const again = await client.next(args, asked, "accept");
    assertEquals(again.error?.code, -32602);
    assertMatch(again.error!.message, /requestState.*list-commands/);
  });

  await t.step("answered in the pane after the form is accepted", async () => {
    const asked = await client.call("execute-command", args);
    // Members of an object have no order.
    const reordered = Object.fromEntries(Object.entries(args).toReversed());
    const next = client.next(reordered, asked, "accept");
    await typedBy(world, paneId, SECRET);
    assertEquals((await next).result.structuredContent.handedOver[0].outcome, "answered");
  });

  await t.step("answered, and continued by a client that has tasks by then", async () => {
    const asked = await client.call("execute-command", args);
    await typedBy(world, paneId, SECRET);
    const { result } = await client.next(args, asked, "accept", { extensions: { [TASKS]: {} } });
    assertEquals(result.resultType, "complete");
    assertEquals(result.structuredContent.output, `Key: \n${SECRET.length}`);
  });

  await t.step("declined", async () => {
    const asked = await client.call("execute-command", args);
    const wrong = await client.next(args, asked, "perhaps");
    assertMatch(wrong.error!.message, /Invalid inputResponses.*accept, decline, cancel/);
    const { result } = await client.next(args, asked, "decline");
    const { status, handedOver, hint } = result.structuredContent;
    assertEquals([status, handedOver[0].outcome], ["waiting", "declined"]);
    assertMatch(hint, /tmux -S /);
    await world.tmux("send-keys", "-t", paneId, "C-c");
    await client.call("get-command-result", {
      commandId: result.structuredContent.commandId,
      waitSeconds: 20,
    });
  });

  await t.step("two questions, both with a form", async () => {
    const twice = {
      ...args,
      command: "read -s -p 'One: ' one; echo; read -s -p 'Two: ' two; echo; echo $one$two",
    };
    const first = await client.call("execute-command", twice);
    await typedBy(world, paneId, "a");
    // The second question came up while the form for the first was shown.
    const second = await client.next(twice, first, "accept");
    assertEquals(second.result.resultType, "input_required");
    const [form] = Object.values(second.result.inputRequests) as RawMessage[];
    assertMatch(form!.params.message, /Two:/);
    // A client that leaves the response out is asked again.
    const repeated = await client.next(twice, second);
    assertEquals(Object.keys(repeated.result.inputRequests), Object.keys(second.result.inputRequests));
    await typedBy(world, paneId, "b");
    const { result } = await client.next(twice, repeated, "accept");
    assertEquals(result.structuredContent.output, "One: \nTwo: \nab");
    assertEquals(result.structuredContent.handedOver.length, 2);
  });

  await t.step("a state is of one call, with its arguments", async () => {
    const asked = await client.call("execute-command", args);
    const other = await client.next({ ...args, command: "true" }, asked, "accept");
    assertEquals(other.error?.code, -32602);
    const forged = { ...asked, result: { ...asked.result, requestState: "tmux-mcp/round-1" } };
    assertEquals((await client.next(args, forged, "accept")).error?.code, -32602);
    // No request of this call is open, and no notification without an id means it.
    await raw.send({ method: "notifications/cancelled", params: {} });
    await raw.send({ method: "notifications/cancelled", params: { requestId: null } });
    await typedBy(world, paneId, SECRET);
    assertEquals((await client.next(args, asked, "accept")).result.structuredContent.status, "completed");
  });

  await t.step(
    "a background watch has no request that could return a form, and reports the question",
    async () => {
      const background = { ...args, background: true, timeout: 600 };
      const started = await client.call("start-and-watch", background);
      assertEquals(started.result.resultType, "complete");
      const events = await client.begin("watch-events", { waitSeconds: 20 });
      const answer = await raw.next();
      assertEquals(answer.id, events, JSON.stringify(answer));
      const [{ event, hint }] = answer.result.structuredContent.events;
      assertEquals(event, "user_input");
      assertMatch(hint, /tmux -S /);
      await typedBy(world, paneId, SECRET);
      const { commandId } = started.result.structuredContent;
      await client.call("get-command-result", { commandId, waitSeconds: 20 });
    },
  );

  await t.step(
    "progress under the token of each round, and a round that is cancelled leaves the program",
    async () => {
      const asked = await client.call("execute-command", { ...args, command: `${ASKING}; sleep 60` });
      const again = { ...args, command: `${ASKING}; sleep 60` };
      const [key] = Object.keys(asked.result.inputRequests);
      const inputResponses = { [key!]: { action: "accept", content: {} } };
      const { requestState } = asked.result;
      const id = await client.begin("execute-command", again, {
        inputResponses,
        requestState,
        progressToken: "mine",
      });
      await typedBy(world, paneId, SECRET);
      for (let seen = false; !seen;) {
        const { method, params } = await raw.next();
        seen = method === "notifications/progress";
        if (seen) assertEquals(params.progressToken, "mine");
      }
      await raw.send({ method: "notifications/cancelled", params: { requestId: id } });
      const { result } = await client.call("list-commands", { limit: 1 });
      assertEquals(result.structuredContent.commands[0].status, "running");
    },
  );
});

testOfficial("the official client shows the form and gets the result of the same call", async () => {
  await using world = await World.create();
  const client = new Client({ name: "modern", version: "1" }, {
    versionNegotiation: { mode: "auto" },
    capabilities: { elicitation: {} },
  });
  const shown = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<void>();
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    shown.resolve(params.message);
    await closed.promise;
    return { action: "accept" as const, content: {} };
  });
  await client.connect(officialTransport(world));
  try {
    assertEquals(client.getNegotiatedProtocolVersion(), "2026-07-28");
    const made = await client.callTool({ name: "create-session", arguments: { command: "bash --norc" } });
    const { paneId } = made.structuredContent as { paneId: string };
    const call = client.callTool({
      name: "execute-command",
      arguments: { paneId, command: ASKING, onInput: "person", timeout: 60 },
    });
    assert((await shown.promise).includes("waits for a password"));
    await typedBy(world, paneId, SECRET);
    closed.resolve();
    const { structuredContent } = await call;
    const { status, exitCode } = structuredContent as Record<string, unknown>;
    assertEquals([status, exitCode], ["completed", 0]);
  } finally {
    await client.close();
  }
});
