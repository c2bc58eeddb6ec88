// Standard streams as programs that start servers leave them: stderr that nobody reads, and a first line of odd shape.
import { assert, assertEquals } from "@std/assert";
import { spawnServer } from "../support/launched.ts";
import { RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

/** Runs the words after it with a pipe as stderr whose reader has closed it. */
const CLOSED = ["bash", "-c", 'mkfifo closed; exec 3<>closed 2>closed 3>&-; exec "$@"', "bash"];
/** Runs the words after it with a pipe as stderr that is nearly full and that nobody reads. */
const UNREAD = [
  "bash",
  "-c",
  'mkfifo unread; exec 2<>unread; head -c 65500 /dev/zero >&2; exec "$@"',
  "bash",
];
function start(world: World, through: readonly string[], args: readonly string[] = []): RawClient {
  return new RawClient(world, [], spawnServer(world, args, through));
}

Deno.test("stderr whose reader is gone: calls are answered, and a warning does not end the server", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "here");
  await using raw = start(world, CLOSED, ["--log=debug"]);
  await raw.initialize();
  for (let id = 2; id < 5; id++) {
    const { result, error } = await raw.call(id, "list-sessions");
    assertEquals(error, undefined);
    assertEquals(result.structuredContent.sessions.length, 1);
  }
  const { result } = await raw.call(5, "kill-session", { sessionId: "missing" });
  assert(result.isError);
});

Deno.test("stderr that nobody reads: the server does not stop when the pipe is full", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d");
  await using raw = start(world, UNREAD, ["--log=debug"]);
  await raw.initialize();
  // Each call is a line of 150 bytes. The pipe holds 64 KiB, and the server as much again before it would wait.
  const unknown = "x".repeat(100);
  for (let id = 2; id < 1000; id++) {
    await raw.send({ id, method: "tools/call", params: { name: unknown } });
  }
  await raw.send({ id: 1000, method: "tools/call", params: { name: "list-sessions" } });
  const last = await raw.answer(1000);
  assertEquals(last.error, undefined);
  assertEquals((await raw.hangUp()).code, 0);
});

Deno.test("a first line of 9,000 nested capabilities is answered, and the server ends with its input", async () => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  const capabilities = '{"a":'.repeat(9000) + "{}" + "}".repeat(9000);
  await raw.line(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
      `"clientInfo":{"name":"x","version":"1"},"capabilities":${capabilities}}}`,
  );
  const { result, error } = await raw.answer(1);
  assert(result ?? error);
  await raw.send({ id: 2, method: "ping" });
  assertEquals((await raw.answer(2)).result, {});
  assertEquals((await raw.hangUp()).code, 0);
});
