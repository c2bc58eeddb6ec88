import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer(
  "pictures of panes",
  (world) => world.serve({ env: { TMPDIR: world.folder } }),
);

/** A pane of 40x5 that shows coloured text and a hidden cursor's rest. */
async function paintedPane(client: TestClient): Promise<string> {
  const { paneId } = await client.ok("create-session", {
    width: 40,
    height: 5,
    command: "printf '\\033[31mred\\033[m plain 日本 ┌─┐\\n'; exec cat",
  });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
  return paneId;
}

const isPng = (bytes: Uint8Array): boolean => String.fromCharCode(...bytes.subarray(0, 4)) === "\x89PNG";

test("screenshot-pane returns an image and its size", async ({ client }) => {
  const paneId = await paintedPane(client);
  const { content } = await client.call("screenshot-pane", { paneId });
  assertEquals(content.map(({ type }) => type), ["image", "text"]);
  assertEquals(content[0]!.mimeType, "image/png");
  assert(isPng(Uint8Array.fromBase64(content[0]!.data!)));
  assertEquals(content[1]!.text, `Pane ${paneId}: 40x5 cells, 420x120 pixels`);
});

test("screenshot-pane answers SVG and HTML as text, in both themes", async ({ client }) => {
  const paneId = await paintedPane(client);
  const svg = await client.ok("screenshot-pane", { paneId, output: "svg" });
  assertMatch(svg, /^<svg .*fill="#16181d".*fill="#d9545f"[^>]*>red</);
  const html = await client.ok("screenshot-pane", { paneId, output: "html", theme: "light" });
  assertMatch(html, /<span style="color:#c42b30">red<\/span> plain/);
});

test("screenshot-pane writes a private file, in a folder of its own unless told where", async ({ world, client }) => {
  const paneId = await paintedPane(client);
  const chosen = await client.ok("screenshot-pane", { paneId, output: "file" });
  assert(chosen.startsWith(`${world.folder}/tmux-mcp/pane-`));
  assertEquals((await Deno.stat(join(world.folder, "tmux-mcp"))).mode! & 0o777, 0o700);
  const told = join(world.folder, "told.svg");
  assertEquals(await client.ok("screenshot-pane", { paneId, output: "file", path: told }), told);
  assertEquals((await Deno.stat(told)).mode! & 0o777, 0o600);
  assertMatch(await Deno.readTextFile(told), /^<svg /);
  assert(isPng(await Deno.readFile(chosen)));
  const relative = await client.ok("screenshot-pane", { paneId, output: "file", path: "here.png" });
  assertEquals(relative, join(world.folder, "here.png"));
});

test("screenshot-pane replaces a picture, and no other file", async ({ world, client }) => {
  const paneId = await paintedPane(client);
  const path = join(world.folder, "a.png");
  await client.ok("screenshot-pane", { paneId, output: "file", path });
  await client.ok("screenshot-pane", { paneId, output: "file", path });
  await Deno.writeTextFile(path, "notes");
  const refused = await client.fails("screenshot-pane", { paneId, output: "file", path });
  assertEquals(refused.code, "invalid-argument");
  assertEquals(await Deno.readTextFile(path), "notes");
  const missing = { paneId, output: "file", path: join(world.folder, "no/such/a.png") };
  assertEquals((await client.fails("screenshot-pane", missing)).code, "not-found");
  const image = await client.fails("screenshot-pane", { paneId, path });
  assertEquals(image.code, "invalid-argument");
});

test("screenshot-pane opens a browser where there is one, and else says where the page is", async ({ world, client: bare }) => {
  const paneId = await paintedPane(bare);
  const refused = await bare.fails("screenshot-pane", { paneId, output: "browser" });
  assertEquals(refused.code, "unsupported");
  const page = /page is in (\S+);/.exec(refused.hint!)![1]!;
  assertMatch(await Deno.readTextFile(page), /^<!DOCTYPE html>/);
  await Deno.remove(page);

  const opened = join(world.folder, "opened");
  await Deno.writeTextFile(join(world.folder, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`);
  await Deno.chmod(join(world.folder, "xdg-open"), 0o755);
  const env = { DISPLAY: ":9", PATH: `${world.folder}:${world.env["PATH"]}` };
  const desktop = await world.serve({ env });
  const path = join(world.folder, "page.html");
  assertEquals(await desktop.ok("screenshot-pane", { paneId, output: "browser", path }), path);
  assertEquals(await Deno.readTextFile(opened), path);
  await Deno.remove(opened);
  for (const name of ["page", "page.command", "page.html.sh"]) {
    const asked = { paneId, output: "browser", path: join(world.folder, name) };
    assertEquals((await desktop.fails("screenshot-pane", asked)).code, "invalid-argument", name);
  }
  const names = await Array.fromAsync(Deno.readDir(world.folder), ({ name }) => name);
  assertEquals(names.filter((name) => /^opened|^page(?!\.html$)/.test(name)), []);
});

Deno.test("screenshot-pane has no file and no browser where only reading is allowed", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--safety", "readonly"] });
  await world.tmux("new-session", "-d", "-x", "20", "-y", "3", "exec cat");
  const { tools } = await client.client.listTools();
  const properties = tools.find(({ name }) => name === "screenshot-pane")!.inputSchema.properties!;
  assertEquals((properties["output"] as { enum: string[] }).enum, ["image", "svg", "html"]);
  assertEquals("path" in properties, false);
  assertMatch(await client.ok("screenshot-pane", { paneId: "%0", output: "svg" }), /^<svg /);
  const refused = await client.fails("screenshot-pane", { paneId: "%0", output: "file" });
  assertEquals(refused.code, "invalid-argument");
});

test("screenshot-pane names the size of a pane too large for an image, and cuts no picture in two", async ({ world, client }) => {
  const command = "yes 'ab 漢' | tr -d '\\n' | head -c 300000; tmux wait-for -S drawn; exec cat";
  const { paneId } = await client.ok("create-session", { command, width: 500, height: 450 });
  await world.tmux("wait-for", "drawn");
  const large = await client.fails("screenshot-pane", { paneId, output: "image" });
  assertEquals(large.code, "unsupported");
  assertMatch(large.text, /^Cannot draw a pane of 500x450 cells as an image/);
  assertEquals((await client.fails("screenshot-pane", { paneId, output: "svg" })).code, "unsupported");
});

test("screenshot-pane reads no screen that is too large for any picture", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "exec cat", width: 10_000, height: 101 });
  for (const output of ["image", "svg", "html"]) {
    const { code, text } = await client.fails("screenshot-pane", { paneId, output });
    assertEquals([output, code], [output, "unsupported"]);
    assertMatch(text, /^Cannot draw a pane of 10000x101 cells as an image.*Make the pane smaller/s);
  }
});
