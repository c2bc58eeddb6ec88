// The official client of MCP 2026-07-28, which asks for the newest version it knows and falls back to sessions.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { officialTransport, testOfficial } from "../support/official_client.ts";
import { World } from "../support/world.ts";

const SKILL = z.object({
  uri: z.string(),
  frontmatter: z.object({ name: z.string(), description: z.string() }),
  resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
});
const LISTED = z.object({ skills: z.array(SKILL) });
const GOT = z.object({ skill: SKILL });

async function connect(world: World, args: readonly string[] = []): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "modern", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(officialTransport(world, ["--scope", "all", ...args]));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

type Run = (client: Client) => Promise<void>;
const declared: { name: string; run: Run }[] = [];
const test = (name: string, run: Run) => void declared.push({ name, run });

testOfficial("the official client", async (t) => {
  await using world = await World.create();
  await using client = await connect(world);
  for (const { name, run } of declared) await t.step(name, () => run(client));
});

test(
  "gets everything from one server: tools, pictures, progress, resources, prompts",
  async (client) => {
    assertEquals(client.getNegotiatedProtocolVersion(), "2026-07-28");
    const { tools } = await client.listTools();
    assert(tools.length > 50);
    const made = await client.callTool({ name: "create-session", arguments: { name: "m", command: "cat" } });
    const { paneId } = made.structuredContent as { paneId: string };
    const picture = await client.callTool({ name: "screenshot-pane", arguments: { paneId } });
    assertEquals(picture.content[0]?.type, "image");
    const messages: (string | undefined)[] = [];
    const waited = await client.callTool(
      { name: "watch-pane", arguments: { paneId, triggers: "pattern:never", timeout: 4, mode: "quick" } },
      { onprogress: ({ message }) => messages.push(message) },
    );
    assertEquals((waited.structuredContent as { event: string }).event, "timeout");
    assertMatch(messages[0] ?? "", new RegExp(paneId));
    const { contents } = await client.readResource({ uri: `tmux://panes/${paneId}` });
    assertEquals(contents.length, 1);
    const prompt = await client.getPrompt({ name: "diagnose-failing-pane", arguments: { paneId } });
    assertEquals(prompt.messages.length, 1);
    const ref = { type: "ref/prompt" as const, name: "diagnose-failing-pane" };
    const { completion } = await client.complete({ ref, argument: { name: "paneId", value: "%" } });
    assertEquals(completion.values, [paneId]);
  },
);

testOfficial("the official client falls back to a session with --channel", async () => {
  await using world = await World.create();
  await using client = await connect(world, ["--channel"]);
  assertEquals(client.getNegotiatedProtocolVersion(), "2025-11-25");
  assertEquals((await client.callTool({ name: "list-sessions", arguments: {} })).structuredContent, {
    sessions: [],
  });
});

test("a client that loads skills from servers gets each with the digest of its text", async (client) => {
  const { extensions } = client.getServerCapabilities() as { extensions?: Record<string, unknown> };
  assertEquals(extensions?.["io.modelcontextprotocol/skills"], {});
  const { skills } = await client.request({ method: "skills/list" }, LISTED);
  assertEquals(skills.map(({ frontmatter }) => frontmatter.name), ["driving-terminals", "large-buffers"]);
  for (const { uri, resources } of skills) {
    const { contents: [content] } = await client.readResource({ uri });
    assertEquals(content?.mimeType, "text/markdown");
    const bytes = new TextEncoder().encode((content as { text: string }).text);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    assertEquals(resources, [{ uri, digest: `sha256:${digest}`, size: bytes.length }]);
    const { skill } = await client.request({ method: "skills/get", params: { uri } }, GOT);
    assertEquals(skill.uri, uri);
  }
});

test("a skill that does not exist is named in the error", async (client) => {
  const params = { uri: "skill://no-such/SKILL.md" };
  await assertRejects(
    () => client.request({ method: "skills/get", params }, GOT),
    Error,
    'Unknown skill "skill://no-such/SKILL.md": expected one of skill://driving-terminals/SKILL.md',
  );
  await assertRejects(() => client.readResource(params), Error, 'Cannot find skill "no-such"');
});
