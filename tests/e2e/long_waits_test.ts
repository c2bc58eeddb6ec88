// Waits of more than the 24 days a timer can hold are no waits of nothing.
import { assertEquals } from "@std/assert";
import { World } from "../support/world.ts";

const YEARS = 1e9;

Deno.test("a wait of many years is not over at once", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", { command: "bash --norc -i" });
  const done = await client.ok("execute-command", { paneId, command: "sleep 0.3; echo x", timeout: YEARS });
  assertEquals([done.status, done.output], ["completed", "x"]);

  const { cursor } = await client.ok("watch-events");
  const { watchId } = await client.ok("watch-pane", {
    paneId,
    triggers: "pattern:^told$",
    timeout: YEARS,
    background: true,
  });
  const waiting = client.ok("watch-events", { cursor, waitSeconds: YEARS });
  await client.ok("execute-command", { paneId, command: "sleep 0.3; echo told" });
  const { events } = await waiting;
  assertEquals(events.map((event: Record<string, unknown>) => [event.watchId, event.event]), [
    [watchId, "pattern:^told$"],
  ]);

  const signalled = client.ok("wait-for-channel", { channel: "later", timeout: YEARS });
  await client.ok("execute-command", { paneId, command: "sleep 0.3; tmux wait-for -S later" });
  assertEquals((await signalled).signalled, true);
});
