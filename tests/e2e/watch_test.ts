import { assert, assertEquals, assertMatch } from "@std/assert";
import { World } from "../support/world.ts";

Deno.test("a pattern fires on a finished line, with what was printed", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", {
    command: "sh -c 'read x; echo one; echo ready on 80; exec cat'",
  });
  const watching = client.ok("watch-pane", { paneId, triggers: "pattern:ready on \\d+,exit", timeout: 10 });
  await client.untilWatching();
  await world.tmux("send-keys", "-t", paneId, "go", "Enter");
  const result = await watching;
  assertEquals(result.event, "pattern:ready on \\d+");
  assertEquals(result.detail, "Matched: ready on 80");
  assertMatch(result.output, /one\nready on 80/);
  assertEquals(result.paneState.isAlive, true);
});

Deno.test("exit tells the code of a pane's own program", async () => {
  await using world = await World.create();
  const client = await world.serve();
  await client.ok("create-session", { name: "keep" });
  const { paneId } = await client.ok("create-session", { command: "sh -c 'read x; echo bye; exit 7'" });
  const watching = client.ok("watch-pane", { paneId, triggers: "exit", timeout: 10 });
  await client.untilWatching();
  await world.tmux("send-keys", "-t", paneId, "go", "Enter");
  const result = await watching;
  assertEquals([result.event, result.exitCode], ["exit", 7]);
});

Deno.test("a password prompt is user_input, from the kernel", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", {
    command: "bash -c 'read -s -p Password: x; exec cat'",
  });
  const result = await client.ok("watch-pane", { paneId, timeout: 10 });
  assertEquals(result.event, "user_input");
  assertEquals(result.paneState.inputKind, "password");
  assert(result.detail.includes("a password"));
});
