// A client that does not read for a while holds nothing up but its own answers.
import { assertEquals } from "@std/assert";
import { RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

const CALLS = 200;
/** Longer than tmux is waited for. */
const UNREAD_MS = 7000;

Deno.test("calls whose answers are not read for seconds are answered as they went", async () => {
  await using world = await World.create();
  await using client = new RawClient(world);
  await client.initialize();
  const made = await client.call(2, "create-session", {
    width: 200,
    height: 60,
    command: "seq 1 9999; exec cat",
  });
  const { paneId } = made.result.structuredContent;
  for (let id = 10; id < 10 + CALLS; id++) {
    const call = { name: id % 2 ? "snapshot-pane" : "list-panes", arguments: id % 2 ? { paneId } : {} };
    await client.send({ id, method: "tools/call", params: call });
  }
  await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
  const failures: unknown[] = [];
  for (let left = CALLS; left > 0;) {
    const { id, result, error } = await client.next();
    if (id === undefined) continue;
    left--;
    if (error || result.isError) failures.push(error ?? result.content);
  }
  assertEquals(failures, []);
});
