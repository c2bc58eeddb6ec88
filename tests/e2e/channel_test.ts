import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Notification } from "../support/sdk.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer(
  "events on the channel",
  (world) => world.serve({ args: ["--channel"] }),
);

/** Clients receive other notifications too. */
function onChannel(
  { client }: Pick<TestClient, "client">,
  take: (notification: Notification) => unknown,
): void {
  client.fallbackNotificationHandler = (notification) => {
    if (notification.method === "notifications/claude/channel") take(notification);
    return Promise.resolve();
  };
}

test("with --channel a background watch is pushed, numbered as in the inbox", async ({ world, client }) => {
  assert(client.client.getServerCapabilities()?.experimental?.["claude/channel"]);
  const pushed = Promise.withResolvers<Notification>();
  onChannel(client, pushed.resolve);
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

Deno.test("a secret is masked on the channel, which shows its quotes and brackets as other characters", async () => {
  await using world = await World.create();
  const masks = ['--mask=literal:pa"ss<word>', '--mask=regex:key="[^"]+"'];
  const client = await world.serve({ args: ["--channel", ...masks] });
  const pushed = Promise.withResolvers<Notification>();
  onChannel(client, pushed.resolve);
  const printed = `${world.folder}/printed`;
  await Deno.writeTextFile(printed, 'error: pa"ss<word> key="abcdef"\n');
  const { paneId } = await client.ok("create-session", { command: `read x; cat ${printed}; exec cat` });
  await client.ok("watch-pane", { paneId, triggers: "error", background: true });
  await world.tmux("send-keys", "-t", paneId, "Enter");
  const { content, meta } = (await pushed.promise).params as { content: string; meta: { detail: string } };
  assertEquals(meta.detail, "Error line: error: [masked] [masked]");
  assert(content.endsWith(`\`${meta.detail}\``), content);
});

Deno.test("without --channel there is neither capability nor push", async () => {
  await using world = await World.create();
  const client = await world.serve();
  assertEquals(client.client.getServerCapabilities()?.experimental, undefined);
  const seen: string[] = [];
  onChannel(client, ({ method }) => seen.push(method));
  const { paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("watch-pane", { paneId, triggers: "idle:0.1", background: true });
  const { events } = await client.ok("watch-events", { waitSeconds: 10 });
  assertEquals(events.length, 1);
  assertEquals(seen, []);
});

test("a watch that the client stops itself is not pushed, and is an event in the inbox", async ({ client }) => {
  const pushed: (string | undefined)[] = [];
  onChannel(client, ({ params }) => pushed.push((params?.["meta"] as Record<string, string>)["event"]));
  const { paneId } = await client.ok("create-session", { command: "cat" });
  const { watchId, cursor } = await client.ok("watch-pane", { paneId, triggers: "bell", background: true });
  await client.ok("stop-watch", { watchId });
  const { events } = await client.ok("watch-events", { cursor, waitSeconds: 20 });
  assertEquals(events.map(({ event }: { event: string }) => event), ["cancelled"]);
  await client.ok("watch-pane", { paneId, triggers: "idle:0.1", background: true });
  await client.ok("watch-events", { waitSeconds: 20 });
  await client.ok("list-sessions");
  assertEquals(pushed, ["idle:0.1"]);
});

Deno.test("an event is pushed again by a later server only if the client may not have read the first push", async () => {
  await using world = await World.create();
  const idOf = ({ params }: Notification) => (params?.["meta"] as Record<string, string>)["watchId"]!;
  const first = await world.serve({ args: ["--channel"] });
  const pushed: string[] = [];
  onChannel(first, (notification) => pushed.push(idOf(notification)));
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const ids: string[] = [];
  for (const count of [1, 2, 3]) {
    ids.push((await first.ok("watch-pane", { paneId, triggers: "idle:0.2", background: true })).watchId);
    // The client needs no event for a watch that it stopped itself.
    if (count === 2) await first.ok("stop-watch", { watchId: ids[1] });
    else await until(() => pushed.length === (count + 1) / 2);
  }
  assertEquals(pushed, [ids[0], ids[2]]);
  await first.kill();
  const again: string[] = [];
  const prepare = (client: TestClient["client"]) =>
    onChannel({ client }, (notification) => again.push(idOf(notification)));
  const second = await world.serve({ args: ["--channel"] }, { prepare });
  const events: { watchId: string }[] = [];
  await until(async () => {
    events.push(...(await second.ok("watch-events", { waitSeconds: 1 })).events);
    return events.length >= ids.length;
  });
  assertEquals([events.map(({ watchId }) => watchId), again], [ids, [ids[2]]]);
});
