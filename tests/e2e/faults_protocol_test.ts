// Clients that break the protocol, flood it or leave: each call is answered or ends alone, and the server serves on.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { envelope, RawClient, type RawMessage } from "../support/raw_client.ts";
import { Watching } from "../support/watching.ts";
import { LAUNCHER } from "../support/launched.ts";
import { sized } from "../support/sized.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("clients that leave calls or answers");

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const UNKNOWN_METHOD = -32601;

/** Lines that are no message of this protocol, the error each is answered with, the request, and what is wrong with it. */
const GARBAGE: [what: string, line: string, code: number, id?: string | number | null, problem?: string][] = [
  ["words", "hello there", PARSE_ERROR],
  ["half a message", '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"na', PARSE_ERROR],
  ["a lone bracket", "}", PARSE_ERROR],
  ["control characters", "\u0000\u001b[31m\u0007", PARSE_ERROR],
  ["brackets without end", "[".repeat(100_000), PARSE_ERROR],
  ["a number", "42", INVALID_REQUEST],
  ["null", "null", INVALID_REQUEST],
  [
    "a batch",
    '[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]',
    INVALID_REQUEST,
  ],
  ["an empty batch", "[]", INVALID_REQUEST],
  ["no version", '{"id":7,"method":"ping"}', INVALID_REQUEST, 7, ": jsonrpc: "],
  ["another version", '{"jsonrpc":"1.0","id":7,"method":"ping"}', INVALID_REQUEST, 7],
  ["an invalid id", '{"jsonrpc":"2.0","id":{},"method":"ping"}', INVALID_REQUEST, null, ": id: "],
  ["an invalid method", '{"jsonrpc":"2.0","id":7,"method":5}', INVALID_REQUEST, 7, ": method: "],
  ["invalid params", '{"jsonrpc":"2.0","id":7,"method":"ping","params":3}', INVALID_REQUEST, 7, ": params: "],
  ["params in a list", '{"jsonrpc":"2.0","method":"ping","params":[]}', INVALID_REQUEST, null, ": params: "],
  ["an unknown member", '{"jsonrpc":"2.0","id":7,"method":"ping","extra":1}', INVALID_REQUEST, 7, '"extra"'],
  [
    "an invalid token",
    '{"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":{"progressToken":{}}}}',
    INVALID_REQUEST,
    "a",
    ": params._meta.progressToken: ",
  ],
  ["an answer to nothing", '{"jsonrpc":"2.0","id":7,"result":3}', INVALID_REQUEST],
];

Deno.test("garbage on stdin is answered line by line, and the next request too", async (t) => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize();
  for (const [what, line, code, id = null, problem = ""] of GARBAGE) {
    await t.step(what, async () => {
      await client.line(line);
      const answer = await client.next();
      assertEquals([answer.error?.code, answer.id], [code, id]);
      assertStringIncludes(answer.error!.message, problem);
    });
  }
  await t.step("one among others that come at once", async () => {
    const ids = [20, 21, 22];
    const broken = ids.map((id) => ({ jsonrpc: "2.0", id, method: "ping", ...(id === 21 && { params: 3 }) }));
    await client.text(broken.map((message) => `${JSON.stringify(message)}\n`).join(""));
    const answers = [await client.next(), await client.next(), await client.next()];
    assertEquals(answers.map(({ id }) => Number(id)).toSorted(), ids);
  });
  await t.step("a method nobody knows", async () => {
    await client.send({ id: 9, method: "no/such" });
    assertEquals((await client.answer(9)).error?.code, UNKNOWN_METHOD);
  });
  await t.step("what needs no answer gets none", async () => {
    await client.send({ method: "notifications/no-such" });
    await client.send({ method: "notifications/cancelled", params: { requestId: 999 } });
    await client.send({ id: 999, result: {} });
    await client.send({ id: 10, method: "ping" });
    assertEquals(await client.next(), { jsonrpc: "2.0", id: 10, result: {} } as never);
  });
  await t.step("tools are called after all that", async () => {
    assertEquals((await client.call(11, "list-sessions")).result.structuredContent, { sessions: [] });
  });
  await t.step(
    "a line of 20 MB is read and refused for what it holds, and the server serves on",
    async () => {
      const { result } = await client.call(12, "set-buffer", { name: "x".repeat(20_000_000), content: "y" });
      assertEquals(result.isError, true);
      assertEquals((await client.call(13, "list-sessions")).result.structuredContent, { sessions: [] });
    },
  );
  await t.step("arguments may be the text of their JSON, or PHP's empty list, and nothing else", async () => {
    for (const [id, name, args] of [[16, "find-session", '{"name":"none"}'], [17, "list-sessions", []]]) {
      await client.send({ id, method: "tools/call", params: { name, arguments: args } });
      assertEquals((await client.answer(id as number)).result?.structuredContent, { sessions: [] });
    }
    for (const [id, args] of [[18, "none"], [19, ["none"]], [20, "5"]]) {
      await client.send({ id, method: "tools/call", params: { name: "find-session", arguments: args } });
      assertEquals((await client.answer(id as number)).error?.code, -32602);
    }
  });
  await t.step("two requests with one id are both answered", async () => {
    const call = { id: 15, method: "tools/call", params: { name: "list-sessions", arguments: {} } };
    await Promise.all([client.send(call), client.send(call)]);
    const both = [await client.answer(15), await client.answer(15)];
    for (const { result } of both) assertEquals(result.structuredContent, { sessions: [] });
  });
});

Deno.test("null for params, or within them, counts as left out", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const clientInfo = { name: "raw", version: "1", title: null };
  const capabilities = { roots: null, experimental: null, elicitation: { form: null } };
  await client.send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
  });
  assertEquals((await client.next()).error, undefined);
  await client.send({ id: 2, method: "ping", params: null });
  assertEquals((await client.next()).result, {});
  await client.send({ id: 3, method: "resources/list", params: { cursor: null, _meta: null } });
  assertEquals((await client.answer(3)).error, undefined);
  const meta = { progressToken: null };
  const nothing = { name: "list-sessions", arguments: null, _meta: meta };
  await client.send({ id: 4, method: "tools/call", params: nothing });
  assertEquals((await client.answer(4)).result.structuredContent, { sessions: [] });
  for (const elicitation of [null, { form: null }]) {
    const _meta = {
      ...envelope({ elicitation, extensions: null }),
      ...meta,
      "io.modelcontextprotocol/clientInfo": clientInfo,
    };
    await client.send({ id: 5, method: "tools/call", params: { ...nothing, _meta } });
    assertEquals((await client.answer(5)).result?.structuredContent, { sessions: [] });
  }
  const unset = { option: "@mine", value: null, global: true };
  await client.call(6, "create-session", { command: "cat" });
  assertEquals((await client.call(7, "set-option", unset)).result.structuredContent, { option: "@mine" });
});

Deno.test("a form is cancelled only while it is open, and with a reason for people", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize(1, { elicitation: {} });
  const { result } = await client.call(2, "create-session", { command: "read -r line; read -r line; cat" });
  const { paneId } = result.structuredContent;
  const seen: RawMessage[] = [];
  const until = async (is: (message: RawMessage) => boolean): Promise<RawMessage> => {
    for (;;) {
      const message = await client.next();
      seen.push(message);
      if (is(message)) return message;
    }
  };
  const ask = async (id: number): Promise<RawMessage> => {
    const params = { name: "ask-person", arguments: { paneId, message: "Say it" } };
    await client.send({ id, method: "tools/call", params });
    return await until(({ method }) => method === "elicitation/create");
  };
  const answered = async (id: number): Promise<unknown[]> => {
    await until((message) => message.id === id && message.method === undefined);
    await client.send({ id: 9, method: "ping" });
    await until((message) => message.id === 9);
    return seen.splice(0).flatMap(({ method, params }) => method === "notifications/cancelled" ? params : []);
  };
  const declined = await ask(3);
  await client.send({ id: declined.id, result: { action: "decline" } });
  assertEquals(await answered(3), []);
  const open = await ask(4);
  await world.tmux("send-keys", "-t", paneId, "said", "Enter");
  assertEquals(await answered(4), [{ requestId: open.id, reason: "The form is not needed any more" }]);
});

/** Responses to a form from clients that write every member, and the outcome of the question. */
const FORM_ANSWERS: [answer: Record<string, unknown>, outcome: string | undefined][] = [
  [{ result: { action: "decline", content: null, _meta: null } }, "declined"],
  [{ method: null, params: null, result: { action: "decline" }, error: null }, "declined"],
  [{ result: { action: "decline", content: { note: { text: "no" } } } }, "declined"],
  [{ result: null, error: { code: UNKNOWN_METHOD, message: "No forms here", data: null } }, undefined],
];

Deno.test("a client's answer to a form counts, with null for what it lacks, or with content", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize(1, { elicitation: {} });
  const { result } = await client.call(2, "create-session", { command: "read -r line; cat" });
  const { paneId } = result.structuredContent;
  for (const [answer, outcome] of FORM_ANSWERS) {
    const params = { name: "ask-person", arguments: { paneId, message: "Say it" } };
    await client.send({ id: "ask", method: "tools/call", params });
    let form = await client.next();
    while (form.method !== "elicitation/create") form = await client.next();
    await client.send({ id: form.id, ...answer });
    const { handedOver } = (await client.answer("ask")).result.structuredContent;
    assertEquals(handedOver?.[0].outcome, outcome, JSON.stringify(answer));
  }
});

/** A batch of pings with these ids, and whatever else. */
const batchOf = (ids: readonly (string | number)[], ...others: unknown[]): string =>
  JSON.stringify([...ids.map((id) => ({ jsonrpc: "2.0", id, method: "ping" })), ...others]);

/** The next answer; lists may change at any time. */
async function nextAnswer(client: RawClient): ReturnType<RawClient["next"]> {
  for (;;) {
    const message = await client.next();
    if (!("method" in message)) return message;
  }
}

// deno-lint-ignore no-explicit-any -- the answer to a batch is no message
const nextBatch = async (client: RawClient): Promise<any[]> => await nextAnswer(client) as any;

Deno.test("a session of 2025-03-26 may send batches, whose answers are one line", async (t) => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  await client.answer(1);
  const call = (id: number | string, name: string, args = {}): Record<string, unknown> => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name, arguments: args },
  });
  await t.step("notifications and garbage in it too", async () => {
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    await client.line(batchOf([0, "a"], initialized, call(2, "list-sessions"), 3, { id: 4, method: "ping" }));
    const answers = await nextBatch(client);
    const byId = Object.fromEntries(answers.map((each) => [each.id, each.error?.code ?? each.result]));
    assertEquals(Object.keys(byId).toSorted(), ["0", "2", "4", "a", "null"]);
    assertEquals([byId[0], byId["a"], byId["null"], byId[4]], [{}, {}, INVALID_REQUEST, INVALID_REQUEST]);
    assertEquals(byId[2].structuredContent, { sessions: [] });
  });
  await t.step("other requests are answered while one of its calls continues", async () => {
    const { paneId } = (await client.call(5, "create-session", { command: "cat" })).result.structuredContent;
    await client.line(batchOf([6, 7], call(8, "watch-pane", { paneId, triggers: "bell" })));
    await client.send({ id: 9, method: "ping" });
    assertEquals(await nextAnswer(client), { jsonrpc: "2.0", id: 9, result: {} } as never);
    await client.send({ method: "notifications/cancelled", params: { requestId: 8 } });
    assertEquals((await nextBatch(client)).map(({ id }) => id), [6, 7]);
  });
  await t.step("one that asks for nothing gets no answer", async () => {
    await client.line(JSON.stringify([{ jsonrpc: "2.0", method: "notifications/no-such" }]));
    await client.send({ id: 10, method: "ping" });
    assertEquals((await nextAnswer(client)).id, 10);
  });
});

test("a storm of calls that are cancelled at once leaves nothing going on, and no other call waits for it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  await using raw = new RawClient(world);
  await raw.initialize();
  const kinds: [string, Record<string, unknown>][] = [
    ["watch-pane", { paneId, triggers: "pattern:never", timeout: 600 }],
    ["wait-for-text", { paneId, pattern: "never", timeout: 600 }],
    ["wait-for-channel", { channel: "never", timeout: 600 }],
    ["list-panes", {}],
    ["capture-pane", { paneId }],
    ["search-panes", { query: "x" }],
    ["watch-events", { waitSeconds: 60 }],
    ["split-pane", { paneId: "%999" }],
  ];
  const ids = Array.from({ length: sized({ gate: 6, soak: 20 }) * kinds.length }, (_, i) => 100 + i);
  await Promise.all(ids.map((id) => {
    const [name, args] = kinds[id % kinds.length]!;
    return raw.send({ id, method: "tools/call", params: { name, arguments: args } });
  }));
  await Promise.all(
    ids.map((requestId) => raw.send({ method: "notifications/cancelled", params: { requestId } })),
  );
  assertEquals((await raw.call(1000, "list-panes")).result.structuredContent.panes.length, 1);
  let id = 1001;
  const active = async (): Promise<number> =>
    (await raw.call(id++, "watch-events", { limit: 0 })).result.structuredContent.active.length;
  // One that has begun, and all that would have before it.
  const [name, args] = kinds[0]!;
  await raw.send({ id: "begun", method: "tools/call", params: { name, arguments: args } });
  const becomes = async (isSo: (count: number) => boolean): Promise<void> => {
    for (let tries = 0; !isSo(await active()); tries++) assert(tries < 3000, "watches have ended and begun");
  };
  await becomes((count) => count > 0);
  await raw.send({ method: "notifications/cancelled", params: { requestId: "begun" } });
  await becomes((count) => count === 0);
  assertEquals((await raw.hangUp()).code, 0);
  await watching.noClients();
});

test("a client that reads no answers any more ends the server, and its tmux clients with it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.pane("cat");
  await using raw = new RawClient(world);
  await raw.initialize();
  await raw.call(2, "watch-pane", { paneId, triggers: "bell", background: true });
  assertEquals((await watching.clients()).length > 0, await world.attaches());
  await raw.stopReading();
  await raw.send({ id: 3, method: "tools/list" }).catch(() => {});
  assertEquals((await raw.child.status).code, 0);
  await watching.noClients();
});

Deno.test("requests piped in are all answered, the last line without its end too, and then the server ends", async () => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  await raw.initialize();
  const asked = [{ id: 0, method: "ping" }, { id: 2, method: "tools/list" }, { id: "last", method: "ping" }];
  const lines = asked.map((request) => JSON.stringify({ jsonrpc: "2.0", ...request }));
  const answers = await raw.last([...lines, '{"jsonrpc":']);
  assertEquals(answers.map(({ id }) => `${id}`).toSorted(), ["0", "2", "last", "null"]);
  assertEquals((await raw.child.status).code, 0);
});

Deno.test("half a request and the end of stdin ends the server", async () => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  await raw.initialize();
  await raw.text('{"jsonrpc":"2.0","id":2,"method":"tools/ca');
  assertEquals((await raw.hangUp()).code, 0);
});

Deno.test("a client that closed stdin and does not read its answers does not keep the server", async () => {
  await using world = await World.create();
  const server = new Deno.Command(LAUNCHER, {
    args: ["--socket", world.socket],
    env: world.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "unread", version: "1" },
  };
  const initialize = { jsonrpc: "2.0", id: "first", method: "initialize", params };
  const asks = Array.from(
    { length: 20 },
    (_, id) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" }),
  );
  const input = server.stdin.getWriter();
  await input.write(new TextEncoder().encode([JSON.stringify(initialize), ...asks, ""].join("\n")));
  await input.close();
  assertEquals((await server.status).code, 0);
  await server.stdout.cancel();
});
