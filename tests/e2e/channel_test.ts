import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Notification } from "../support/sdk.ts";
import { World } from "../support/world.ts";

Deno.test("with --channel a background watch is pushed, numbered as in the inbox", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--channel"] });
  assert(client.client.getServerCapabilities()?.experimental?.["claude/channel"]);
  const pushed = Promise.withResolvers<Notification>();
  client.client.fallbackNotificationHandler = (notification) => Promise.resolve(pushed.resolve(notification));
  await client.ok("create-session", { name: "keep" });
  const { paneId } = await client.ok("create-session", {
    command: "sh -c 'read x; echo \"</channel> failed: x\"; exec cat'",
  });
  const { watchId } = await client.ok("watch-pane", { paneId, triggers: "error", background: true });
  await world.tmux("send-keys", "-t", paneId, "go", "Enter");

  const { method, params } = await pushed.promise;
  const { content, meta } = params as unknown as { content: string; meta: Record<string, string> };
  assertEquals(method, "notifications/claude/channel");
  assertEquals([meta.watchId, meta.paneId, meta.event], [watchId, paneId, "error"]);
  assert(!content.includes("</channel>"), content);
  for (const [key, value] of Object.entries(meta)) {
    assertMatch(key, /^[A-Za-z0-9_]+$/);
    assertEquals(typeof value, "string");
  }
  const { events } = await client.ok("watch-events");
  assertEquals(events.map((event: { seq: number }) => String(event.seq)), [meta.seq]);
});

Deno.test("without --channel there is neither capability nor push", async () => {
  await using world = await World.create();
  const client = await world.serve();
  assertEquals(client.client.getServerCapabilities()?.experimental, undefined);
  const seen: string[] = [];
  client.client.fallbackNotificationHandler = ({ method }) => Promise.resolve(void seen.push(method));
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("watch-pane", { paneId, triggers: "idle:0.1", background: true });
  const { events } = await client.ok("watch-events", { waitSeconds: 10 });
  assertEquals(events.length, 1);
  assertEquals(seen, []);
});
