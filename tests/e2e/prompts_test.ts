import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { McpError } from "../support/sdk.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("prompts");

const ARGUMENTS: Record<string, Record<string, string>> = {
  "run-and-wait": { command: 'echo "a b" \\; $X', paneId: "%3", timeout: "7.5" },
  "diagnose-failing-pane": { paneId: "%3" },
  "build-dev-workspace": { sessionName: "dev" },
  "interrupt-gracefully": { paneId: "%3" },
};

async function textOf(client: TestClient, name: string, args = ARGUMENTS[name]!): Promise<string> {
  const { messages } = await client.client.getPrompt({ name, arguments: args });
  assertEquals(messages.length, 1);
  const [{ role, content }] = messages as [{ role: string; content: { type: string; text: string } }];
  assertEquals([role, content.type], ["user", "text"]);
  return content.text;
}

/** Fails unless each tool that a prompt names is there, beside those for prompts, and takes what the prompt gives it. */
async function assertNamesTools(client: TestClient): Promise<void> {
  const listed = (await client.client.listTools()).tools.filter(({ name }) => !isForPrompts(name));
  const tools = new Map(listed.map((tool) => [tool.name, tool.inputSchema]));
  const { prompts } = await client.client.listPrompts();
  assertEquals(prompts.map((prompt) => prompt.name), Object.keys(ARGUMENTS));
  for (const { name } of prompts) {
    const text = await textOf(client, name);
    const calls = [...text.matchAll(/([a-z]+(?:-[a-z]+)+) (\{.*?\})(?=[.;: ]|$)/gm)];
    assert(calls.length > 0, text);
    for (const [, tool, json] of calls) {
      const schema = tools.get(tool!);
      assert(schema, `${name} names ${tool}`);
      for (const key of Object.keys(JSON.parse(json!))) {
        assert(key in (schema.properties ?? {}), `${name}: ${tool} takes no ${key}`);
      }
    }
    for (const [, tool] of text.matchAll(/\bcall ([a-z]+(?:-[a-z]+)+)/gi)) assert(tools.has(tool!), tool);
  }
}

const isForPrompts = (tool: string): boolean => ["list-prompts", "get-prompt"].includes(tool);

test("prompts name tools that are there, with parameters they take: --scope all", ({ client }) =>
  assertNamesTools(client));

test("prompts are no tools unless that is asked for", async ({ client }) => {
  assert(!(await client.client.listTools()).tools.some((tool) => tool.name.endsWith("prompt")));
});

for (const scope of ["agentic", "primitives"]) {
  Deno.test(`prompts name tools that are there, and are tools where that is asked for: --scope ${scope}`, async () => {
    await using world = await World.create();
    const client = await world.serve({ args: ["--scope", scope], env: { TMUX_MCP_PROMPTS_AS_TOOLS: "1" } });
    await assertNamesTools(client);
    const { prompts } = await client.ok("list-prompts");
    assertEquals(prompts.map((prompt: { name: string }) => prompt.name), Object.keys(ARGUMENTS));
    const got = await client.ok("get-prompt", { name: "interrupt-gracefully", arguments: { paneId: "%3" } });
    assertEquals(got.messages[0].content.text, await textOf(client, "interrupt-gracefully"));
    assertEquals((await client.fails("get-prompt", { name: "nope" })).code, "invalid-argument");
  });
}

test("a prompt's arguments arrive as they are; missing, unknown and invalid ones are refused", async ({ client }) => {
  const text = await textOf(client, "run-and-wait");
  const json = /execute-command (\{.*\})\./.exec(text)![1]!;
  assertEquals(JSON.parse(json), { paneId: "%3", command: 'echo "a b" \\; $X', timeout: 7.5 });
  for (
    const [name, args] of [
      ["run-and-wait", { command: "x" }],
      ["run-and-wait", { command: "x", paneId: "%1", other: "y" }],
      ["run-and-wait", { command: "x", paneId: "%1", timeout: "abc" }],
      ["run-and-wait", { command: "x", paneId: "%1", timeout: "0" }],
      ["run-and-wait", { command: "x", paneId: "1" }],
      ["diagnose-failing-pane", { paneId: "%01" }],
      ["interrupt-gracefully", { paneId: "=dev" }],
      ["no-such", {}],
    ] as const
  ) {
    const error = await assertRejects(() => textOf(client, name, args), McpError) as McpError;
    assertEquals(error.code, -32602);
  }
});

const template = (uri: string) => ({ type: "ref/resource", uri }) as const;
const prompt = (name: string) => ({ type: "ref/prompt", name }) as const;

type Completes = (
  ref: ReturnType<typeof template> | ReturnType<typeof prompt>,
  name: string,
  value: string,
  settled?: Record<string, string>,
) => Promise<string[]>;

/** Values of an argument that begin with the typed text, where some arguments are settled. */
function completionOf({ client }: TestClient): Completes {
  return async (ref, name, value, settled) => {
    const context = settled ? { context: { arguments: settled } } : {};
    return (await client.complete({ ref, argument: { name, value }, ...context })).completion.values;
  };
}

test("arguments of prompts and resources are completed from what is live", async ({ world, client }) => {
  for (const name of ["alpha", "alps", "beta"]) {
    await client.ok("create-session", { name, command: "exec sleep 1000" });
  }
  await world.tmux("new-window", "-d", "-t", "=beta:7", "exec sleep 1000");
  const complete = completionOf(client);
  assertEquals(await complete(prompt("run-and-wait"), "paneId", "%"), ["%0", "%1", "%2", "%3"]);
  assertEquals(await complete(prompt("build-dev-workspace"), "sessionName", "al"), ["alpha", "alps"]);
  assertEquals(await complete(template("tmux://sessions/{name}{?socket}"), "name", "b"), ["beta"]);
  const windows = "tmux://sessions/{name}/windows/{index}{?socket}";
  assertEquals((await complete(template(windows), "index", "", { name: "beta" })).sort(), ["0", "7"]);
  assertEquals(await complete(template(windows), "index", "7"), ["7"]);
  assertEquals(await complete(template("tmux://window/{windowId}/info"), "windowId", "@"), [
    "@0",
    "@1",
    "@2",
    "@3",
  ]);
  assertEquals(await complete(template("tmux://session/{sessionId}/tree"), "sessionId", "$1"), ["$1"]);
  assertEquals(await complete(template("tmux://command/{commandId}/result"), "commandId", ""), []);
  assertEquals(await complete(template("skill://{skill}/SKILL.md"), "skill", "l"), ["large-buffers"]);
  assertEquals(await complete(prompt("run-and-wait"), "command", "ls"), []);
  const error = await assertRejects(() => complete(prompt("run-and-wait"), "none", ""), McpError) as McpError;
  assertEquals(error.code, -32602);
  assertMatch(error.message, /none/);

  await Deno.writeTextFile(`${world.folder}/c.toml`, "[security]\nallow_list = false\n");
  const closed = await world.serve({ args: ["--config", `${world.folder}/c.toml`] });
  const { completion } = await closed.client.complete({
    ref: { type: "ref/prompt", name: "run-and-wait" },
    argument: { name: "paneId", value: "" },
  });
  assertEquals(completion.values, []);
  assertEquals((await closed.client.listResources()).resources, []);
});

test("arguments of a resource are completed from the server that its socket names", async ({ world, client }) => {
  await using other = await World.create();
  await world.tmux("new-session", "-d", "-s", "here", "exec sleep 1000");
  await other.tmux("new-session", "-d", "-s", "there", "exec sleep 1000");
  await other.tmux("split-window", "-d", "-t", "=there:", "exec sleep 1000");
  const complete = completionOf(client);
  const pane = template("tmux://pane/{paneId}{?socket}");
  const { socket } = other;
  assertEquals(await complete(pane, "paneId", ""), ["%0"]);
  assertEquals(await complete(pane, "paneId", "", { socket }), ["%0", "%1"]);
  assertEquals(await complete(template("tmux://sessions/{name}"), "name", "", { socket }), ["there"]);
  const { sessionId } = await client.ok("create-session", { name: "named", socket: "named" });
  const { servers: [named] } = await client.ok("list-servers");
  assertEquals(await complete(template("tmux://clients{?socket}"), "socket", "/"), [named.socket]);
  assertEquals(await complete(pane, "socket", "/no"), []);
  const own = template("skill://{skill}/SKILL.md");
  const refusals = [
    () => complete(pane, "host", ""),
    () => complete(own, "socket", ""),
    () => complete(pane, "paneId", "", { host: "far" }),
  ];
  for (const refused of refusals) {
    const error = await assertRejects(refused, McpError) as McpError;
    assertEquals(error.code, -32602);
  }

  const limited = completionOf(await world.serve({ args: ["--allowed-sockets", world.socket] }));
  assertEquals(await limited(pane, "paneId", ""), ["%0"]);
  assertEquals(await limited(pane, "paneId", "", { socket }), []);
  assertEquals(await limited(pane, "socket", ""), []);
  await client.ok("kill-session", { sessionId, socket: "named" });
});
