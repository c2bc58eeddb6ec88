// The answers to `initialize` and `server/discover` that are given before the server is loaded are those that the server
// would give.
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { envelope, RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

const PARAMS = {
  protocolVersion: "2025-06-18",
  capabilities: { roots: { listChanged: true } },
  clientInfo: { name: "raw", version: "1" },
};

/** A request with `_meta` is left to the server. */
async function introduction(
  world: World,
  args: readonly string[],
  params: Record<string, unknown>,
): Promise<unknown> {
  await using client = new RawClient(world, args);
  await client.send({ id: 1, method: "initialize", params });
  const { result, error } = await client.answer(1);
  return result ?? error;
}

const SETTINGS: Record<string, string[]> = {
  "the default scope": ["--scope", "agentic"],
  "every tool, pushing events": ["--channel"],
  "read-only primitives": ["--scope", "primitives", "--safety", "readonly"],
  "some tools denied": ["--tools", "deny:@watch,call-tools"],
  "prompts as tools, few allowed": ["--prompts-as-tools", "--tools", "allow:@read,list-prompts"],
  "a client that shows underscores": ["--client", "codex"],
  "calls that never become tasks": ["--tasks-after-seconds", "0"],
};

interface Said {
  initialize: unknown;
  discover: string;
}

/** Asks a server in this order; the second answer comes from the loaded server. */
async function introductions(
  world: World,
  args: readonly string[],
  methods: readonly ("initialize" | "server/discover")[],
): Promise<Said> {
  await using client = new RawClient(world, args);
  const said: Said = { initialize: undefined, discover: "" };
  for (const [id, method] of methods.entries()) {
    if (method === "initialize") {
      await client.send({ id, method, params: PARAMS });
      said.initialize = (await client.answer(id)).result;
    } else {
      const { result, error } = await client.modern(id, method);
      said.discover = JSON.stringify(result ?? error);
    }
  }
  return said;
}

for (const [what, args] of Object.entries(SETTINGS)) {
  Deno.test(`the first answer is the server's own: ${what}`, async () => {
    await using world = await World.create();
    const [first, second] = await Promise.all([
      introductions(world, args, ["initialize", "server/discover"]),
      introductions(world, args, ["server/discover", "initialize"]),
    ]);
    assert(first.initialize !== undefined);
    assertEquals(first, second);
  });
}

Deno.test("settings of the configuration file count in the first answer", async () => {
  await using world = await World.create();
  const path = join(world.folder, "config.toml");
  await Deno.writeTextFile(
    path,
    `[security]\nenabled = false\nallow_execute_command = false\n[client]\ntool_names = "underscores"\n`,
  );
  const [early, own] = await Promise.all([
    introduction(world, ["--config", path], PARAMS),
    introduction(world, ["--config", path], { ...PARAMS, _meta: {} }),
  ]);
  assertEquals(early, own);
});

Deno.test("requests that come with the first are answered after it, each once", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const requests = [
    { id: 0, method: "initialize", params: PARAMS },
    { method: "notifications/initialized" },
    { id: 1, method: "ping" },
    { id: 0, method: "ping" },
  ];
  await client.text(requests.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each }) + "\n").join(""));
  const ids = [];
  for (let count = 0; count < 3; count++) ids.push((await client.next()).id);
  assertEquals(ids, [0, 1, 0]);
});

Deno.test("a first request can't be cancelled any more: the next with its id is answered", async () => {
  await using world = await World.create();
  for (const method of ["initialize", "server/discover"]) {
    await using client = new RawClient(world);
    const params = method === "initialize" ? PARAMS : { _meta: envelope() };
    const requests = [
      { id: 1, method, params },
      { method: "notifications/cancelled", params: { requestId: 1 } },
      { id: 1, method: "ping" },
      { id: 2, method: "tools/list", params: { _meta: envelope() } },
    ];
    await client.text(requests.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each }) + "\n").join(""));
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push((await client.next()).id);
    assertEquals(ids.toSorted(), [1, 1, 2], method);
  }
});

Deno.test("either era can follow the first request, whichever it was, with its id too", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const requests = [
    { id: 1, method: "server/discover", params: { _meta: envelope() } },
    { id: 1, method: "initialize", params: PARAMS },
    { method: "notifications/initialized" },
    { id: 3, method: "tools/call", params: { name: "list-sessions", arguments: {} } },
    { id: 4, method: "tools/call", params: { name: "list-sessions", arguments: {}, _meta: envelope() } },
  ];
  const answers = await client.last(requests.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each })));
  const all = answers.filter(({ id }) => id !== undefined);
  assertEquals(all.map(({ id }) => id).toSorted(), [1, 1, 3, 4]);
  const byId = new Map(all.map((each) => [each.id, each]));
  assertEquals(all[0]!.result.supportedVersions, ["2026-07-28"]);
  assertEquals(byId.get(1)?.result.protocolVersion, "2025-06-18");
  assertEquals(byId.get(3)?.result.structuredContent, { sessions: [] });
  assertEquals(byId.get(4)?.result.resultType, "complete");
});

Deno.test("an envelope left out after an early discover is missed", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.modern(1, "server/discover");
  assertEquals((await client.call(2, "list-sessions")).error?.code, -32602);
});

Deno.test("a first line that ends when the server has loaded is answered by the server", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: PARAMS }) + "\n";
  await client.text(text.slice(0, 40));
  // Nothing tells from outside that it has loaded; an earlier end of the line is answered as well.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await client.text(text.slice(40));
  assertEquals((await client.answer(1)).result.serverInfo.name, "tmux-mcp");
  await client.send({ id: 2, method: "ping" });
  assertEquals((await client.answer(2)).result, {});
});
