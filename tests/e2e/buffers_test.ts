import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { startReader } from "../support/reader.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("buffers");

test("buffers: set, appended to, listed, read in parts, renamed, deleted", async ({ client }) => {
  assertEquals(await client.ok("list-buffers"), { buffers: [] });
  await client.ok("create-session", { name: "b" });
  assertEquals(await client.ok("list-buffers"), { buffers: [] });

  assertEquals(await client.ok("set-buffer", { name: "one", content: "é;\n#(x)%H\0" }), {
    name: "one",
    size: 11,
  });
  assertEquals(await client.ok("append-buffer", { name: "one", content: "-x;" }), { name: "one", size: 14 });
  assertEquals(await client.ok("append-buffer", { name: "one", content: "\0" }), { name: "one", size: 15 });
  assertEquals(await client.ok("show-buffer", { name: "one" }), "é;\n#(x)%H\0-x;\0");
  assertEquals(await client.ok("show-buffer", { name: "one", offsetBytes: 2, maxBytes: "2" }), ";\n");
  assertEquals(await client.ok("show-buffer", { name: "one", maxBytes: 0 }), "");

  const long = "0123456789".repeat(10_000);
  assertEquals((await client.ok("append-buffer", { name: "-n;", content: "a" })).size, 1);
  assertEquals((await client.ok("append-buffer", { name: "-n;", content: long })).size, 100_001);
  const { buffers } = await client.ok("list-buffers");
  assertEquals(
    buffers.map(({ name, size, orderIndex }: Record<string, unknown>) => [name, size, orderIndex]),
    [["-n;", 100_001, 0], ["one", 15, 1]],
  );

  assertEquals(await client.ok("rename-buffer", { from: "one", to: "two" }), { name: "two" });
  assertEquals((await client.fails("rename-buffer", { from: "two", to: "-n;" })).code, "invalid-argument");
  assertEquals((await client.fails("rename-buffer", { from: "one", to: "x" })).code, "not-found");
  assertEquals(await client.ok("delete-buffer", { name: "-n;" }), { deleted: "-n;" });
  const missing = await client.fails("delete-buffer", { name: "-n;" });
  assertEquals(missing.code, "not-found");
  assertMatch(missing.text, /list-buffers/);
  for (const name of ["gone", " ", "\n"]) {
    assertEquals((await client.fails("show-buffer", { name })).code, "not-found");
  }
  assertEquals((await client.fails("set-buffer", { name: "e", content: "" })).code, "invalid-argument");
  assertEquals((await client.fails("set-buffer", { name: "", content: "x" })).code, "invalid-argument");
});

Deno.test("a buffer that is gone is not found, and no other deleted: tmux 3.2 means the newest", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--safety", "destructive"] });
  await client.ok("create-session", {});
  await client.ok("set-buffer", { name: "kept", content: "x" });
  assertEquals((await client.fails("delete-buffer", { name: "nowhere" })).code, "not-found");
  assertEquals(await client.ok("show-buffer", { name: "kept" }), "x");
});

test("without a name the newest buffer is shown, named or not: tmux from 3.4 on means the unnamed ones", async ({ world, client }) => {
  await client.ok("create-session", { name: "b" });
  assertMatch((await client.fails("show-buffer")).text, /no buffers/);
  await client.ok("set-buffer", { name: "named", content: "given a name" });
  assertEquals(await client.ok("show-buffer"), "given a name");
  await world.tmux("set-buffer", "copied");
  assertEquals(await client.ok("show-buffer"), "copied");
});

test("an empty file makes no buffer, and leaves the one of that name as it was", async ({ world, client }) => {
  await client.ok("create-session", { name: "b" });
  const path = `${world.folder}/empty`;
  await Deno.writeTextFile(path, "");
  await client.ok("set-buffer", { name: "n", content: "old" });
  await world.tmux("set-buffer", "a person's newest");
  for (const name of ["n", "new"]) {
    const { code, text } = await client.fails("load-buffer", { name, path });
    assertEquals(code, "invalid-argument");
    assertMatch(text, new RegExp(`buffer "${name}" empty`));
  }
  assertEquals(await client.ok("show-buffer", { name: "n" }), "old");
  assertEquals((await client.ok("list-buffers")).buffers.length, 2);
});

test("a name with a backslash is the buffer's name, or refused: tmux from 3.7 on doubles it", async ({ client }) => {
  const name = "a\\b";
  await client.ok("create-session", {});
  await client.ok("set-buffer", { name: "plain", content: "x" });
  const calls: [string, Record<string, unknown>][] = [
    ["set-buffer", { name, content: "x" }],
    ["append-buffer", { name, content: "y" }],
    ["rename-buffer", { from: "plain", to: `${name}2` }],
  ];
  for (const [tool, args] of calls) {
    const { isError, structuredContent: made } = await client.call(tool, args);
    if (!isError) await client.ok("show-buffer", { name: made.name });
  }
  const { buffers } = await client.ok("list-buffers");
  const names = buffers.map((each: { name: string }) => each.name);
  assert(names.every((each: string) => ["plain", name, `${name}2`].includes(each)), `${names}`);
});

test("renaming a buffer onto itself keeps it", async ({ client }) => {
  await client.ok("create-session", { name: "b" });
  await client.ok("set-buffer", { name: "n", content: "kept" });
  assertEquals(await client.ok("rename-buffer", { from: "n", to: "n" }), { name: "n" });
  assertEquals(await client.ok("show-buffer", { name: "n" }), "kept");
});

test("buffers are loaded from files and saved to them, any bytes, private, with awkward paths", async ({ world, client }) => {
  await client.ok("create-session", { name: "b" });
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  for (const name of ["plain", `a#(touch HIT) #{pid} %H;`, "-x", "it's é", "-"]) {
    const path = name.startsWith("-") ? name : `${world.folder}/${name}`;
    const [from, to] = [`${world.folder}/in-${name}`, path === "-" ? "-" : `${path}-out`];
    const saved = to.startsWith("-") ? `${world.folder}/${to}` : to;
    await Deno.writeFile(from, bytes);
    assertEquals(await client.ok("load-buffer", { name: "file", path: from }), {
      name: "file",
      path: from,
      size: bytes.length,
    });
    assertEquals(await client.ok("save-buffer", { name: "file", path: to }), {
      name: "file",
      path: saved,
      size: bytes.length,
    });
    assertEquals((await client.ok("load-buffer", { name: "file", path: to })).path, saved);
    assertEquals(await Deno.readFile(saved), bytes);
    assertEquals((await Deno.stat(saved)).mode! & 0o777, 0o600);
  }
  assertEquals(
    (await client.fails("load-buffer", { name: "x", path: `${world.folder}/none` })).code,
    "not-found",
  );
  assertEquals(
    (await client.fails("save-buffer", { name: "file", path: `${world.folder}/no/x` })).code,
    "not-found",
  );
  assertEquals(
    (await client.fails("save-buffer", { name: "gone", path: `${world.folder}/g` })).code,
    "not-found",
  );
  assertEquals(await client.ok("list-buffers").then(({ buffers }) => buffers.length), 1);
});

test("paste-buffer pastes a buffer and keeps it", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "t", "sleep 1000");
  const { paneId, bytes } = await startReader(world, 4);
  await client.ok("set-buffer", { name: "-b", content: "é\nx" });
  assertEquals(await client.ok("paste-buffer", { paneId, name: "-b" }), { paneId, bytes: 4 });
  assertEquals(new TextDecoder().decode(await bytes()), "é\rx");
  assertEquals((await client.ok("list-buffers")).buffers.length, 1);
  assertEquals((await client.fails("paste-buffer", { paneId, name: "gone" })).code, "not-found");
  await world.tmux("copy-mode", "-t", paneId);
  assertEquals((await client.fails("paste-buffer", { paneId, name: "-b" })).code, "busy");
});
