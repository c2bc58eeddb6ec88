// Messages and arguments of any length: each is answered, and says what is too much of it.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { RawClient, type RawMessage } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const MEGABYTE = 1_000_000;

function nested(depth: number): string {
  return '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
}

/** Calls whose arguments are too much, as text of their JSON, and the limit that each error names. */
const LONG: [what: string, tool: string, args: string, limit: string][] = [
  ["a pattern", "wait-for-text", `{"paneId":"%0","pattern":"${"a".repeat(MEGABYTE)}"}`, "2000 characters"],
  ["a search", "search-panes", `{"query":"${"a".repeat(4 * MEGABYTE)}"}`, "2000 characters"],
  ["a name", "find-session", `{"name":"${"a".repeat(MEGABYTE)}"}`, "10000 characters"],
  [
    "triggers",
    "watch-pane",
    `{"paneId":"%0","triggers":"${"pattern:a,".repeat(18_000)}"}`,
    "4000 characters",
  ],
  [
    "a list of triggers",
    "watch-pane",
    `{"paneId":"%0","triggers":[${Array(5000).fill('"idle:1"').join(",")}]}`,
    "4000 characters",
  ],
  ["a pane id", "capture-pane", `{"paneId":"%${"1".repeat(MEGABYTE)}"}`, "10000 characters"],
  ["nested objects", "list-panes", `{"filters":${nested(100_000)}}`, "32 levels"],
  ["nested lists", "list-panes", `{"filters":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "32 levels"],
  ["nested objects as text", "list-panes", JSON.stringify({ filters: nested(1500) }), "32 levels"],
  [
    "nested arguments as text",
    "call-tools",
    JSON.stringify({ calls: `[{"tool":"list-panes","arguments":${nested(10_000)}}]` }),
    "32 levels",
  ],
  ["nested objects that nobody asked for", "list-sessions", `{"x":${nested(100_000)}}`, "32 levels"],
];

type Run = (client: RawClient, t: Deno.TestContext) => Promise<void>;
const declared: { name: string; run: Run }[] = [];
const test = (name: string, run: Run) => void declared.push({ name, run });

Deno.test("messages and arguments of any length", async (t) => {
  await using world = await World.create();
  await using client = new RawClient(world, ["--audit-path", `${world.folder}/audit.jsonl`]);
  await client.initialize();
  for (const { name, run } of declared) await t.step(name, (step) => run(client, step));
});

test(
  "an argument that is too long or too deep is invalid, and the error names the limit",
  async (client, t) => {
    let id = 10;
    for (const [what, tool, args, limit] of LONG) {
      await t.step(what, async () => {
        id++;
        const params = `{"name":"${tool}","arguments":${args}}`;
        await client.line(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`);
        const { result } = await client.answer(id);
        assertEquals(result?._meta?.["tmux-mcp/error"]?.code, "invalid-argument");
        const [{ text }] = result.content;
        assertStringIncludes(text, limit);
        assert(text.length < 1000, "it says no more than it must");
      });
    }
  },
);

test("a tool that nobody knows is named by the beginning of its name", async (client) => {
  await client.send({ id: 3, method: "tools/call", params: { name: "x".repeat(5 * MEGABYTE) } });
  const { error } = await client.answer(3);
  assertEquals(error?.code, INVALID_PARAMS);
  assert(error!.message.length < 500, `${error!.message.length} characters`);
});

test("a prompt, an address and an argument that nobody knows are named by their beginning", async (client) => {
  const long = "x".repeat(3 * MEGABYTE);
  const requests = [
    { method: "prompts/get", params: { name: long } },
    { method: "resources/read", params: { uri: `tmux://${long}` } },
    { method: "tools/call", params: { name: "list-panes", arguments: { [long]: 1 } } },
    {
      method: "tools/call",
      params: { name: "send-keys", arguments: { paneId: "%0", keys: long, literal: false } },
    },
  ];
  for (const [at, request] of requests.entries()) {
    await client.send({ id: 10 + at, ...request });
    const answer = await client.answer(10 + at);
    assert(answer.error !== undefined || answer.result.isError === true);
    assert(JSON.stringify(answer).length < 8000, `${request.method}: ${JSON.stringify(answer).length}`);
  }
});

test("a message that is too long is refused by its id, and the server serves on", async (client, t) => {
  const content = "y".repeat(66 * 1024 * 1024);
  const call = { method: "tools/call", params: { name: "set-buffer", arguments: { name: "b", content } } };
  const messages: [what: string, message: Record<string, unknown>, id: unknown][] = [
    ["whose id comes last", { jsonrpc: "2.0", ...call, id: 4 }, 4],
    ["whose id comes first", { jsonrpc: "2.0", id: "a", ...call }, "a"],
    ["without an id", { jsonrpc: "2.0", ...call }, null],
  ];
  for (const [what, message, id] of messages) {
    await t.step(what, async () => {
      await client.line(JSON.stringify(message));
      const answer = await client.next();
      assertEquals([answer.id, answer.error?.code], [id, INVALID_REQUEST]);
      assertStringIncludes(answer.error!.message, "at most 67108864");
    });
  }
  assertEquals((await client.call(5, "list-sessions")).result.structuredContent, { sessions: [] });
});

test("lines that are no message are answered a hundred times, then not until one is", async (client) => {
  const ping = (id: number): string => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
  await client.text(`${"nothing\n".repeat(1500)}${ping(2)}\nnothing\n${ping(3)}\n`);
  const answers: RawMessage[] = [];
  while (answers.at(-1)?.id !== 3) answers.push(await client.next());
  const refused = answers.filter(({ id }) => id === null);
  assertEquals([refused.length, answers.length], [101, 103]);
  assertStringIncludes(refused[99]!.error!.message, "no more are answered");
});
