import { assertEquals, assertMatch } from "@std/assert";
import { World } from "../support/world.ts";

Deno.test("a session is made, listed and killed through a real client", async () => {
  await using world = await World.create();
  const client = await world.serve();
  assertEquals(await client.ok("list-sessions"), { sessions: [] });

  const made = await client.ok("create-session", { name: "work" });
  assertMatch(made.paneId, /^%\d+$/);
  assertEquals(made.created, true);
  assertEquals((await client.ok("create-session", { name: "work" })).created, false);

  const { sessions } = await client.ok("list-sessions");
  assertEquals(
    sessions.map((session: { name: string; attached: boolean }) => [session.name, session.attached]),
    [[
      "work",
      false,
    ]],
  );
  const { panes } = await client.ok("list-panes", { sessionId: "work" });
  assertEquals(panes.map((pane: { id: string }) => pane.id), [made.paneId]);

  assertEquals(await client.ok("kill-session", { sessionId: "work" }), { killed: "work" });
  assertEquals(await client.ok("list-sessions"), { sessions: [] });
});

Deno.test("a prefix of a session's name does not hit it", async () => {
  await using world = await World.create();
  const client = await world.serve();
  await client.ok("create-session", { name: "develop" });
  assertEquals((await client.fails("kill-session", { sessionId: "dev" })).code, "not-found");
});
