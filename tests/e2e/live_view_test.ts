// open-live-view as a plain client gets it; tests/browser shows what a person sees.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { McpError } from "../support/sdk.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("the live view");

const URI = "ui://tmux-mcp/pane";

async function shellPane(client: TestClient, size = { width: 60, height: 10 }): Promise<string> {
  const { paneId } = await client.ok("create-session", { ...size, command: "PS1='$ ' exec sh" });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  return paneId;
}

test("open-live-view returns what a pane shows, and names its page as new and old hosts look for it", async ({ client }) => {
  const paneId = await shellPane(client);
  assertEquals(await client.ok("open-live-view", { paneId }), {
    ...{ paneId, width: 60, height: 10, currentCommand: "sh", content: "$" },
  });
  const { tools } = await client.client.listTools();
  const meta = tools.find(({ name }) => name === "open-live-view")?._meta;
  assertEquals([meta?.ui, meta?.["ui/resourceUri"]], [{ resourceUri: URI }, URI]);
});

test("the page is one HTML text that loads nothing, and no listing of tmux objects", async ({ client }) => {
  const { contents: [page] } = await client.client.readResource({ uri: URI });
  assertEquals([page!.mimeType, page!._meta], ["text/html;profile=mcp-app", { ui: { prefersBorder: true } }]);
  const html = (page as { text: string }).text;
  assert(html.startsWith("<!DOCTYPE html>") || html.startsWith("<!doctype html>"));
  assertEquals(html.match(/\{\{[\w.]+\}\}|^import |<(script|link|img)[^>]* (src|href)=/gm), null);
  assertEquals(html.match(/<script/g)?.length, 4);
  const listed = await client.client.listResources();
  const { resourceTemplates } = await client.client.listResourceTemplates();
  assert(!JSON.stringify([listed, resourceTemplates]).includes("ui://"));
});

Deno.test("policy keeps the view as it keeps the pane", async () => {
  await using world = await World.create();
  const maker = await world.serve();
  const [mine, other] = [await shellPane(maker), await shellPane(maker)];
  const config = `${world.folder}/config.toml`;
  await Deno.writeTextFile(config, `[security]\nallowed_panes = ["${mine}"]\n`);
  const scoped = await world.serve({ args: ["--config", config] });
  assertEquals((await scoped.ok("open-live-view", { paneId: mine })).paneId, mine);
  assertEquals((await scoped.fails("open-live-view", { paneId: other })).code, "denied");
  assertEquals((await scoped.fails("snapshot-pane", { paneId: other, waitSeconds: 1 })).code, "denied");

  await Deno.writeTextFile(config, "[security]\nallow_capture = false\n");
  const blind = await world.serve({ args: ["--config", config] });
  assertEquals((await blind.fails("open-live-view", { paneId: mine })).code, "denied");
  const refused = await assertRejects(() => blind.client.readResource({ uri: URI }), McpError);
  assertEquals(refused.code, -32003);
});

test("snapshot-pane with seen answers at the next change, at a new size, and at the pane's end", async ({ world, client }) => {
  const paneId = await shellPane(client);
  const next = (version: string) => client.call("snapshot-pane", { paneId, seen: version, waitSeconds: 600 });
  const first = await client.ok("snapshot-pane", { paneId });
  assertEquals((await client.ok("snapshot-pane", { paneId, seen: first.version })).version, first.version);

  const printed = next(first.version);
  await client.ok("send-keys", { paneId, keys: "x" });
  const { structuredContent: second } = await printed;
  assertEquals([second.content, second.cursorX], ["$ x", 3]);
  assertEquals(
    (await next(first.version)).structuredContent.version,
    second.version,
    "It is another already",
  );

  const resized = next(second.version);
  // By then it waits, most likely; if not, less is shown here, and nothing wrong.
  for (let i = 0; i < 20; i++) await client.ok("snapshot-pane", { paneId });
  await world.tmux("resize-window", "-t", paneId, "-x", "40", "-y", "8");
  const { structuredContent: third } = await resized;
  assertEquals([third.width, third.height], [40, 8]);

  const ended = next(third.version);
  await world.tmux("kill-pane", "-t", paneId);
  assertEquals((await ended).isError, true);
});

test("snapshot-pane with colors keeps what draws the screen again, and says that a cursor is hidden", async ({ client }) => {
  const { paneId } = await client.ok("create-session", {
    ...{ width: 20, height: 3, command: "printf '\\033[7m bar \\033[m\\n\\033[?25l'; exec cat" },
  });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  const shown = await client.ok("snapshot-pane", { paneId, colors: true });
  assertEquals([shown.content.split("\n").length, shown.cursorHidden], [3, true]);
  assertStringIncludes(shown.content, "\x1b[7m bar ");
  assertEquals((await client.ok("snapshot-pane", { paneId })).content, " bar");
});

test("the last lines in color keep the style that begins above them", async ({ client }) => {
  const { paneId } = await client.ok("create-session", {
    ...{ width: 20, height: 3, command: "printf '\\033[31mone\\ntwo\\nthree\\033[m'; exec cat" },
  });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  const captured: string = await client.ok("capture-pane", { paneId, lines: 2, colors: true });
  // tmux 3.2a writes the style of each line, later ones only its changes.
  assertEquals(captured.replace("\x1b[39m\n\x1b[31m", "\n").startsWith("\x1b[31mtwo\nthree"), true, captured);
  const { content } = await client.ok("snapshot-pane", { paneId, maxLines: 1, colors: true });
  assert(content.startsWith("\x1b[31mthree"), content);
  const { contents } = await client.client.readResource({
    uri: `tmux://pane/${paneId.replace("%", "%25")}/tail/2/ansi`,
  });
  assertStringIncludes(JSON.stringify(contents), JSON.stringify(captured).slice(1, -1));
});
