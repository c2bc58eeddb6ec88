// Clients whose name has a profile: sizes, waits, and names of tools.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { CLIENT_PROFILES } from "../../src/client_profiles.ts";
import { launch } from "../support/launched.ts";
import { envelope, RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

const CLIENT = "io.modelcontextprotocol/clientInfo";
/** A name of a tool with a hyphen, where it is not an argument's value. */
const HYPHENATED = /\b(?:execute-command|watch-pane|start-and-watch|list-panes|capture-pane)\b/;

/** Prints 55 KB of lines that are unlike each other. */
const LONG = "base64 -w 60 /dev/urandom | head -n 900; echo end";

/** Fills four rows of 60 columns with what a picture of them can't make small: 25 KB. */
const VARIED = "head -c 135 /dev/urandom | base64 -w 60; echo the end";

async function initialize(client: RawClient, name: string): Promise<string> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } };
  await client.send({ id: "hello", method: "initialize", params });
  const { result } = await client.answer("hello");
  await client.send({ method: "notifications/initialized" });
  return result.instructions;
}

// deno-lint-ignore no-explicit-any -- entries of a list
async function listTools(client: RawClient): Promise<any[]> {
  await client.send({ id: "list", method: "tools/list" });
  return (await client.answer("list")).result.tools;
}

function descriptions(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === "description" && typeof each === "string" ? [each] : descriptions(each)
  );
}

Deno.test("Codex reads names with underscores, may call by them, and gets answers that it does not cut", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const instructions = await initialize(client, "codex-mcp-client");
  assertStringIncludes(instructions, "execute_command");
  assert(!HYPHENATED.test(instructions), instructions);
  const tools = await listTools(client);
  assert(tools.some(({ name }) => name === "execute-command"), "the client translates names itself");
  assert(!HYPHENATED.test(descriptions(tools).join("\n")));
  const { maxBytes } = tools.find(({ name }) => name === "execute-command").inputSchema.properties;
  assertEquals(maxBytes.default, 12_288);
  const wrong = await client.call(2, "capture_pane", { paneId: "%77" });
  assert(wrong.result.isError);
  assert(!HYPHENATED.test(JSON.stringify(wrong.result)), JSON.stringify(wrong.result));
  assertMatch(JSON.stringify(wrong.result), /create_session/);
  const made = await client.call(3, "create_session", { command: "bash --norc" });
  const { paneId } = made.result.structuredContent;
  const long = await client.call(4, "execute_command", { paneId, command: LONG });
  const bytes = new TextEncoder().encode(JSON.stringify(long)).length;
  assert(bytes <= 12_288, `an answer of ${bytes} bytes`);
  assertEquals([long.result.structuredContent.exitCode, long.result.content], [0, []]);
  const { output } = long.result.structuredContent;
  assert(output.length > 6000, "most of the budget is the answer's");
  assertMatch(output, /\nend$/);
  const asks = await client.call(5, "execute_command", { paneId, command: "read -s x" });
  assertMatch(asks.result.structuredContent.hint, /get_command_result/);
  const short = await client.call(5, "list_panes");
  assertEquals(JSON.parse(short.result.content[0].text), short.result.structuredContent);
  const size = { width: 130, height: 100 };
  const large = await client.call(6, "create_session", { command: "bash --norc", ...size });
  const full = { paneId: large.result.structuredContent.paneId };
  await client.call(7, "execute_command", { ...full, command: "head -c 12700 /dev/zero | tr '\\0' x" });
  // A picture is no text, which the client would cut.
  const varied = { command: `${VARIED}; exec cat`, width: 60, height: 5 };
  const drawn = { paneId: (await client.call(8, "create_session", varied)).result.structuredContent.paneId };
  await client.call(9, "wait_for_text", { ...drawn, pattern: "the end" });
  const { content: [picture] } = (await client.call(10, "screenshot_pane", drawn)).result;
  assertEquals([picture.type, picture.data.length > 12_288], ["image", true], `${picture.data.length}`);
  for (const output of ["svg", "html"]) {
    const { result } = await client.call(output, "screenshot_pane", { ...full, output });
    assertMatch(result.content[0].text, /more than 12288 bytes\. Call capture_pane.*output file/);
  }
});

Deno.test("other clients get the names, sizes and waits as they are declared", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  assertStringIncludes(await initialize(client, "some-client"), "execute-command");
  const watch = (await listTools(client)).find(({ name }) => name === "watch-pane");
  assertEquals(watch.inputSchema.properties.timeout.default, 50);
  const underscores = [{ tool: "list_panes" }, { tool: "list-panes" }];
  const { results } = (await client.call(90, "call_tools", { calls: underscores })).result.structuredContent;
  assertEquals(results.map(({ ok }: { ok: boolean }) => ok), [true, true]);
  const made = await client.call(2, "create-session", { command: "bash --norc" });
  const { paneId } = made.result.structuredContent;
  const { result } = await client.call(3, "execute-command", { paneId, command: LONG });
  assertEquals(result.structuredContent.output.split("\n").length, 901);
  assertEquals(JSON.parse(result.content[0].text), result.structuredContent);
});

Deno.test("configuration overrules the client's name, and what is known of it", async () => {
  await using world = await World.create();
  const named = ["--client", "codex", "--client-call-seconds", "300", "--client-tool-names", "hyphens"];
  const configured = [...named, "--client-reads", "text"];
  await using fixed = new RawClient(world, configured);
  assertStringIncludes(await initialize(fixed, "claude-code"), "execute-command");
  const watch = (await listTools(fixed)).find(({ name }) => name === "watch-pane");
  assertEquals(watch.inputSchema.properties.timeout.default, 290);
  const { result } = await fixed.call(7, "list-sessions", {});
  assertEquals(JSON.parse(result.content[0].text), result.structuredContent);
});

Deno.test("the client of each request counts where requests carry it, and those of both eras keep their profiles", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  const as = (name: string) => ({ ...envelope(), [CLIENT]: { name, version: "1" } });
  const modern = as("claude-code");
  // deno-lint-ignore no-explicit-any -- entries of a list
  const timeoutOf = (tools: any[]): number =>
    tools.find(({ name }) => name === "watch-pane").inputSchema.properties.timeout.default;
  const timeouts = async (id: number): Promise<number[]> => [
    timeoutOf((await client.modern(id, "tools/list", {}, modern)).result.tools),
    timeoutOf(await listTools(client)),
  ];
  const ofOther = (await client.modern(0, "tools/list", {}, as("other"))).result.tools;
  assertEquals(timeoutOf((await client.modern(1, "tools/list", {}, modern)).result.tools), 110);
  assertEquals(timeoutOf(ofOther), 50);
  await initialize(client, "codex");
  assertEquals([await timeouts(2), await timeouts(3)], [[110, 50], [110, 50]]);
  await client.call(4, "create-session", { command: "cat" });
  const { paneId } = (await client.call(5, "create-session", { command: "cat" })).result.structuredContent;
  const args = { paneId, pattern: "never", timeout: 60 };
  const wait = { name: "wait-for-text", arguments: args, _meta: { progressToken: "waits" } };
  await client.send({ id: 6, method: "tools/call", params: wait });
  while ((await client.next()).method !== "notifications/progress");
  await client.modern(7, "tools/call", { name: "kill-pane", arguments: { paneId } }, modern);
  const { result } = await client.answer(6);
  assertMatch(result.content[0].text, /Call capture_pane/);
});

Deno.test("doctor prints the row of a client, and refuses a name that has none", async () => {
  await using world = await World.create();
  const args = ["doctor", "--socket", world.socket, "--client"];
  const { stdout } = await launch([...args, "codex", "--client-call-seconds", "300"], world);
  assertMatch(
    stdout,
    /works +client +codex; sessions; a call may take 300 s; an answer 12288 bytes; .*structuredContent; .*underscores/,
  );
  // A client that init knows, and for which nothing else is known.
  const zed = await launch([...args, "zed"], world);
  assertMatch(zed.stdout, /works +client +zed, as any other; .*a call may take 60 s/);
  const { code, stderr } = await launch([...args, "codecks"], world);
  assertEquals(code, 2);
  assertMatch(stderr, /"codecks".*one of claude-code/);
});

Deno.test("Codex reads names with underscores in prompts and their hints, and its arguments as they are", async () => {
  await using world = await World.create();
  await using client = new RawClient(world, ["--prompts-as-tools"]);
  await initialize(client, "codex-mcp-client");
  const command = 'echo "a"; tmux list-panes -a';
  const asked = { name: "run-and-wait", arguments: { paneId: "%3", command } };
  await client.send({ id: 1, method: "prompts/get", params: asked });
  const { result } = await client.answer(1);
  const { text } = result.messages[0].content;
  const [, json] = /Call execute_command (\{.*\})\./.exec(text)!;
  assertEquals(JSON.parse(json!), { paneId: "%3", command });
  assertStringIncludes(text, "call get_command_result");
  const tool = await client.call(2, "get_prompt", asked);
  assertEquals(tool.result.structuredContent.messages, result.messages);
  const params = { name: "run-and-wait", arguments: { paneId: "3", command } };
  await client.send({ id: 3, method: "prompts/get", params });
  assertStringIncludes((await client.answer(3)).error!.message, "call list_panes for valid ones");
});

Deno.test("the page of clients has every row of the table", async () => {
  const page = await Deno.readTextFile(fromFileUrl(new URL("../../docs/clients.md", import.meta.url)));
  for (const profile of CLIENT_PROFILES) {
    const { name, versions, callSeconds, answerBytes, reads, toolNames, elicitation, evidence } = profile;
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
    const cells = row.split("|").map((cell) => cell.trim().replaceAll("`", "")).filter(Boolean);
    assertEquals(cells, [
      name,
      versions,
      `${callSeconds} s`,
      String(answerBytes),
      reads,
      toolNames,
      elicitation ? "yes" : "no",
      evidence,
    ]);
  }
});
