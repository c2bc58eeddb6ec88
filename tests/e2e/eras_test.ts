// Requests that carry their version (2026-07-28) beside sessions that begin with `initialize`, on one connection.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { envelope, RawClient, type RawMessage } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT = "io.modelcontextprotocol/clientInfo";

const NO_SESSIONS = { name: "list-sessions", arguments: {} };

/** Opens a stream of notifications, and reads which of them it has. */
async function listen(client: RawClient, id: number | string, notifications: unknown): Promise<unknown> {
  await client.send({ id, method: "subscriptions/listen", params: { notifications, _meta: envelope() } });
  const acknowledged = await client.next();
  assertEquals(acknowledged.method, "notifications/subscriptions/acknowledged");
  assertEquals(acknowledged.params._meta[SUBSCRIPTION], id);
  return acknowledged.params.notifications;
}

Deno.test("each request is answered in the era it is written in", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const found = await client.modern(0, "server/discover");
  assertEquals(found.id, 0);
  assertEquals(found.result.supportedVersions, ["2026-07-28"]);
  assertStringIncludes(found.result.instructions, "tmux");
  assertEquals((await client.initialize()).result.protocolVersion, "2025-11-25");
  const session = await client.call(2, "list-sessions");
  const modern = await client.modern(3, "tools/call", NO_SESSIONS);
  assertEquals(Object.keys(session.result), ["content", "structuredContent"]);
  assertEquals(modern.result.structuredContent, session.result.structuredContent);
  assertEquals(modern.result.resultType, "complete");
  assertEquals(modern.result._meta["io.modelcontextprotocol/serverInfo"].name, "tmux-mcp");
  const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
  for (const [index, method] of lists.entries()) {
    const { result } = await client.modern(10 + index, method);
    const { resultType, ttlMs, cacheScope, _meta, ...listed } = result;
    assertEquals([resultType, cacheScope, Number.isInteger(ttlMs)], ["complete", "private", true], method);
    await client.send({ id: 20 + index, method });
    assertEquals(listed, (await client.answer(20 + index)).result);
  }
  const [first, second] = [await client.modern(30, "tools/list"), await client.modern(30, "tools/list")];
  assertEquals(JSON.stringify(first), JSON.stringify(second));
});

/** A mistake: the request's method and `_meta`, the code of its refusal, and part of the message. */
const REFUSED: [what: string, method: string, meta: unknown, code: number, says: RegExp][] = [
  ["no _meta", "server/discover", undefined, -32602, /protocolVersion"\]: expected "2026-07-28"/],
  ["an empty _meta", "subscriptions/listen", {}, -32602, /Missing .*protocolVersion/],
  ["no capabilities", "tools/list", { [VERSION]: "2026-07-28" }, -32602, /Missing .*clientCapabilities/],
  ["no version", "tools/list", { [CAPABILITIES]: {} }, -32602, /Missing .*protocolVersion/],
  [
    "a version that is a number",
    "tools/list",
    { ...envelope(), [VERSION]: 7 },
    -32602,
    /Invalid .*protocolVersion/,
  ],
  ["capabilities that are a number", "tools/list", { ...envelope(), [CAPABILITIES]: 7 }, -32602, /an object/],
  ["a client without a name", "tools/list", { ...envelope(), [CLIENT]: {} }, -32602, /Invalid .*clientInfo/],
  [
    "an unknown log level",
    "tools/list",
    { ...envelope(), "io.modelcontextprotocol/logLevel": "loud" },
    -32602,
    /expected one of debug, info/,
  ],
  ["a future version", "tools/list", { ...envelope(), [VERSION]: "2099-01-01" }, -32022, /"2099-01-01"/],
  ["a session's version", "tools/call", { ...envelope(), [VERSION]: "2025-11-25" }, -32022, /2026-07-28/],
  ["a method nobody knows", "no/such", envelope(), -32601, /not found/],
  ["a method of sessions", "resources/subscribe", envelope(), -32601, /not found/],
];

Deno.test("an envelope that is missing or wrong is refused by name, and the next request is answered", async (t) => {
  await using world = await World.create();
  await using client = new RawClient(world);
  for (const [what, method, meta, code, says] of REFUSED) {
    await t.step(what, async () => {
      await client.send({ id: what, method, params: { ...(meta === undefined ? {} : { _meta: meta }) } });
      const { error, id } = await client.next();
      assertEquals([error?.code, id], [code, what]);
      assertMatch(error!.message, says);
      if (code === -32022) assertEquals(error!.data.supported, ["2026-07-28"]);
    });
  }
  await t.step("an envelope left out after it was sent", async () => {
    assertEquals((await client.modern(1, "tools/call", NO_SESSIONS)).result.isError, undefined);
    assertEquals((await client.call(2, "list-sessions")).error?.code, -32602);
  });
  await t.step("params of a wrong shape", async () => {
    const { error } = await client.modern(3, "tools/call", { name: 5 });
    assertEquals(error, {
      code: -32602,
      message: "params.name: Invalid input: expected string, received number",
    });
    assertMatch((await client.modern(4, "prompts/get", {})).error!.message, /^params.name: /);
    const unknown = await client.modern(5, "tools/call", { name: "list-everything" });
    assertMatch(unknown.error!.message, /^Unknown tool "list-everything"/);
    const missing = await client.modern(6, "resources/read", { uri: "tmux://nothing" });
    assertEquals([missing.error!.code, missing.error!.data.code], [-32602, "not-found"]);
    assertMatch(missing.error!.message, /^Cannot find resource/);
  });
  await t.step("a cancellation with an id is refused once", async () => {
    const cancel = { method: "notifications/cancelled", params: { requestId: 6 } };
    await client.send({ id: "cancel", ...cancel });
    assertEquals((await client.answer("cancel")).error?.code, -32602);
    await client.send({ id: 7, method: "ping" });
    assertEquals((await client.next()).id, 7);
  });
  await t.step("a session is served after all that", async () => {
    await client.initialize(7);
    assertEquals((await client.call(8, "list-sessions")).result.structuredContent, { sessions: [] });
  });
});

Deno.test('a session\'s calls with the ids 0 and "" are answered with them and can be cancelled', async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize();
  const made = await client.call("", "create-session", { command: "cat" });
  const { paneId } = made.result.structuredContent;
  const cancelled = [];
  for (const id of [0, ""]) {
    const params = { name: "watch-pane", arguments: { paneId, triggers: "bell" } };
    await client.send({ id, method: "tools/call", params });
    for (let asked = 10;; asked++) {
      const { result } = await client.call(asked, "watch-events");
      if (result.structuredContent.active.length > 0) break;
    }
    await client.send({ method: "notifications/cancelled", params: { requestId: id } });
    const { result } = await client.call(1, "watch-events", { waitSeconds: 20 });
    cancelled.push(result.structuredContent.events.at(-1)?.event);
    assertEquals(result.structuredContent.active, []);
  }
  assertEquals(cancelled, ["cancelled", "cancelled"]);
});

Deno.test("progress and cancelling are alike in both eras, request id 0 too", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const made = await client.modern(1, "tools/call", {
    name: "create-session",
    arguments: { command: "cat" },
  });
  const { paneId } = made.result.structuredContent;
  const watch = { name: "watch-pane", arguments: { paneId, triggers: "bell", mode: "line" } };
  await client.send({
    id: 0,
    method: "tools/call",
    params: { ...watch, _meta: { ...envelope(), progressToken: "p" } },
  });
  for (let id = 10;; id++) {
    const { result } = await client.modern(id, "tools/call", { name: "watch-events", arguments: {} });
    if (result.structuredContent.active.length > 0) break;
  }
  const typed = { name: "send-keys", arguments: { paneId, keys: "hello\n" } };
  await client.send({ id: 2, method: "tools/call", params: { ...typed, _meta: envelope() } });
  const progress = await nextOf(client, "notifications/progress");
  assertEquals(progress.params.progressToken, "p");
  await client.send({ method: "notifications/cancelled", params: { requestId: 0 } });
  const events = { name: "watch-events", arguments: { waitSeconds: 20 } };
  const { result } = await client.modern(3, "tools/call", events);
  assertEquals(result.structuredContent.events[0].event, "cancelled");
  assertEquals(result.structuredContent.active, []);
});

async function nextOf(client: RawClient, method: string): Promise<RawMessage> {
  for (;;) {
    const message = await client.next();
    if (message.method === method) return message;
  }
}

const UPDATED = "notifications/resources/updated";

Deno.test("streams carry what was asked for and can be had, each under its own id, until they are cancelled", async (t) => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const made = await client.modern(1, "tools/call", {
    name: "create-session",
    arguments: { command: "cat" },
  });
  const { paneId } = made.result.structuredContent;
  const uri = `tmux://pane/${encodeURIComponent(paneId)}`;
  const type = async (id: number, keys: string): Promise<void> => {
    const typed = { name: "send-keys", arguments: { paneId, keys } };
    await client.modern(id, "tools/call", typed);
  };
  await t.step("acknowledged first, without what there is not", async () => {
    assertEquals(
      await listen(client, 0, { toolsListChanged: true, resourceSubscriptions: [uri, "tmux://no"] }),
      {
        resourceSubscriptions: [uri],
      },
    );
    assertEquals(await listen(client, "two", { resourcesListChanged: true, resourceSubscriptions: [uri] }), {
      resourcesListChanged: true,
      resourceSubscriptions: [uri],
    });
  });
  await t.step("both report a resource that changes", async () => {
    await type(2, "hello\n");
    const updates = [await nextOf(client, UPDATED), await nextOf(client, UPDATED)];
    assertEquals(updates.map(({ method, params }) => [method, params.uri, params._meta[SUBSCRIPTION]]), [
      ["notifications/resources/updated", uri, 0],
      ["notifications/resources/updated", uri, "two"],
    ]);
  });
  await t.step("after one is cancelled, only the other reports it", async () => {
    await client.send({ method: "notifications/cancelled", params: { requestId: 0 } });
    await type(3, "again\n");
    assertEquals((await client.next()).params._meta[SUBSCRIPTION], "two");
  });
  await t.step("a new session is reported once, on the stream that asked", async () => {
    await client.modern(4, "tools/call", { name: "create-session", arguments: { name: "more" } });
    const { method, params } = await client.next();
    assertEquals([method, params._meta[SUBSCRIPTION]], ["notifications/resources/list_changed", "two"]);
  });
  await t.step("filters that are wrong and ids that are taken are refused", async () => {
    const refusals = [
      await client.modern(5, "subscriptions/listen"),
      await client.modern(6, "subscriptions/listen", { notifications: { resourceSubscriptions: "all" } }),
      await client.modern("two", "subscriptions/listen", { notifications: {} }),
    ];
    assertEquals(refusals.map(({ error }) => error?.code), [-32602, -32602, -32602]);
  });
  await t.step("the end of the server ends them with a result", async () => {
    const rest = await client.last([]);
    const ended = rest.find(({ id }) => id === "two");
    assertEquals(ended?.result, { resultType: "complete", _meta: { [SUBSCRIPTION]: "two" } });
    assertEquals((await client.child.status).code, 0);
  });
});

Deno.test("a client that only initializes gets its notifications as before", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize();
  await client.send({ id: 2, method: "resources/list" });
  await client.answer(2);
  await client.call(3, "create-session", { name: "one" });
  const { method, params } = await nextOf(client, "notifications/resources/list_changed");
  assertEquals([method, params], ["notifications/resources/list_changed", undefined]);
});

Deno.test("with --channel only sessions are served", async () => {
  await using world = await World.create();
  await using client = new RawClient(world, ["--channel"]);
  assertEquals((await client.modern(1, "server/discover")).error?.code, -32601);
  const { result } = await client.initialize(2);
  assert("claude/channel" in result.capabilities.experimental);
});
