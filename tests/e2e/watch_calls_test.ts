// The watch tools as calls: progress, cancelling, several panes, the background, limits and refusals.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

interface Update {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

Deno.test("the watch tools", async (t) => {
  await using world = await World.create();
  const watching = new Watching(world, await world.serve({ args: ["--max-watches", "4"] }));
  const { client } = watching;
  await watching.pane("cat", "keep");

  await t.step(
    "progress is new, strictly increasing, in seconds of the timeout, and for a person",
    async () => {
      const paneId = await watching.waitingPane(
        "for i in 1 2 3 4 5 6; do echo step $i; sleep 0.3; done; exec cat",
      );
      const updates: Update[] = [];
      const { result } = await watching.watch(
        { paneId, triggers: "pattern:step 6", mode: "line", timeout: 30 },
        { onprogress: (update: Update) => updates.push(update) },
      );
      await watching.go(paneId);
      readResult(await result);
      assert(updates.length >= 2, JSON.stringify(updates));
      updates.forEach((update, i) => {
        assertEquals(update.total, 30);
        assertMatch(update.message ?? "", /^\[%\d+ \+\d+\.\ds\] \d new lines?: step \d$/);
        assert(i === 0 || update.progress > updates[i - 1]!.progress, JSON.stringify(updates));
      });
      const said = updates.map(({ message }) => message?.split(": ")[1]);
      assertEquals(new Set(said).size, said.length, `old progress repeats: ${said}`);
    },
  );

  await t.step("progress shows a line that is rewritten, and no line twice", async () => {
    const bar = "echo got; for i in 1 2 3 4 5; do printf '\\r%s0%%' $i; sleep 0.3; done; sleep 1.8; exec cat";
    const paneId = await watching.waitingPane(bar);
    const updates: Update[] = [];
    const { result } = await watching.watch(
      { paneId, triggers: "pattern:^never", mode: "quick", timeout: 3.5 },
      { onprogress: (update: Update) => updates.push(update) },
    );
    await watching.go(paneId);
    readResult(await result);
    const said = updates.map(({ message = "" }) => message.replace(/^\[.*?\] /, ""));
    const shown = said.filter((text) => text !== "nothing new");
    assertEquals(shown.map((text) => /\d0%$/.test(text)), shown.map(() => true), said.join());
    assertEquals([shown.length > 1, new Set(shown).size], [true, shown.length], said.join());
  });

  await t.step("a finished call reports no more progress, and one without a token none", async () => {
    const paneId = await watching.pane("while echo tick; do sleep 0.05; done");
    const updates: Update[] = [];
    await client.ok("watch-pane", { paneId, triggers: "pattern:tick", mode: "line" }, {
      onprogress: (update) => updates.push(update),
    });
    const count = updates.length;
    await client.ok("watch-pane", { paneId, triggers: "bell", mode: "line", timeout: 0.6 });
    assertEquals(updates.length, count);
    await world.tmux("kill-pane", "-t", paneId);
  });

  await t.step(
    "a cancelled call frees its worker and its clients, files its end, and the program continues",
    async () => {
      const paneId = await watching.waitingPane("echo alive; exec cat");
      const controller = new AbortController();
      const { result } = await watching.watch({ paneId, triggers: "exit" }, { signal: controller.signal });
      controller.abort();
      await result.then(() => assert(false), () => {});
      await watching.until(async () => (await watching.active()).length === 0);
      await watching.noClients();
      await watching.go(paneId);
      await watching.until(async () => (await watching.screen(paneId)).includes("alive"));
      const { events } = await client.ok("watch-events");
      assertEquals([events.at(-1).event, events.at(-1).paneId], ["cancelled", paneId]);
    },
  );

  await t.step("of several panes the first to fire wins, in different sessions too", async () => {
    const panes = [await watching.waitingPane("exec cat"), await watching.waitingPane("echo mine; exec cat")];
    const { result } = await watching.watch({ paneIds: panes, triggers: "pattern:mine,exit" });
    await watching.go(panes[1]!);
    const answer = readResult(await result);
    assertEquals([answer.paneId, answer.event], [panes[1], "pattern:mine"]);
    assertMatch(answer.output, /mine/);
  });

  await t.step("timeout 0 looks once, and a fraction of a second is a time", async () => {
    const paneId = await watching.pane("exec sleep 100");
    const once = await client.ok("watch-pane", { paneId, triggers: "exit,user_input", timeout: 0 });
    assertEquals([once.event, once.output], ["timeout", ""]);
    const fraction = await client.ok("watch-pane", { paneId, triggers: "exit", timeout: 0.4 });
    assertEquals([fraction.event, fraction.detail], ["timeout", "No trigger fired in 0.4 s"]);
    const waiting = await watching.pane("exec cat");
    await watching.until(async () => (await client.ok("pane-state", { paneId: waiting })).waitingForInput);
    const question = await client.ok("watch-pane", { paneId: waiting, triggers: "user_input", timeout: 0 });
    assertEquals(question.event, "user_input");
  });

  await t.step(
    "a background watch answers at once and its result is an event, read once by cursor",
    async () => {
      const paneId = await watching.waitingPane("echo built; exec cat");
      const { cursor } = await client.ok("watch-events");
      const { watchId, ...rest } = await client.ok("watch-pane", {
        paneId,
        triggers: "pattern:built",
        background: true,
      });
      assertEquals(rest, { paneId, cursor });
      const { active } = await client.ok("watch-events", { cursor });
      assertEquals([active[0].watchId, active[0].paneIds, active[0].triggers], [watchId, [paneId], [
        "pattern:built",
      ]]);
      const waiting = client.ok("watch-events", { cursor, waitSeconds: 20 });
      await watching.go(paneId);
      const { events, cursor: after } = await waiting;
      assertEquals(events.map(({ watchId, event }: Record<string, string>) => [watchId, event]), [[
        watchId,
        "pattern:built",
      ]]);
      assertMatch(events[0].output, /built/);
      assertEquals((await client.ok("watch-events", { cursor: after })).events, []);
      assertEquals(await client.ok("stop-watch", { watchId }), { watchId, stopped: false });
    },
  );

  await t.step("stop-watch ends a watch, whose event is cancelled", async () => {
    const paneIds = [await watching.pane("exec cat"), await watching.pane("exec cat")];
    const { cursor } = await client.ok("watch-events");
    const started = await client.ok("watch-pane", { paneIds, triggers: "bell", background: true });
    assertEquals(started.paneIds, paneIds);
    const { watchId } = started;
    assertEquals(await client.ok("stop-watch", { watchId }), { watchId, stopped: true });
    const { events, active } = await client.ok("watch-events", { cursor, waitSeconds: 20 });
    assertEquals([events[0].watchId, events[0].event, active], [watchId, "cancelled", []]);
    await watching.noClients();
    assertEquals((await client.fails("stop-watch", { watchId: "w9999" })).code, "not-found");
    assertEquals((await client.fails("stop-watch", { watchId: "w1-1-1795300000" })).code, "gone");
  });

  await t.step("limits and cursors of watch-events", async () => {
    const { cursor } = await client.ok("watch-events");
    const paneId = await watching.pane("exec sleep 100");
    for (let round = 0; round < 2; round++) {
      await client.ok("watch-pane", { paneId, triggers: "exit", timeout: 0 });
    }
    assertEquals((await client.ok("watch-events", { cursor, limit: 1 })).events.length, 1);
    assertEquals((await client.ok("watch-events", { waitSeconds: 0.1 })).events, [], "both were answered");
    assertEquals((await client.fails("watch-events", { cursor: "0badcafe-1" })).code, "gone");
    const ahead = cursor.replace(/\d+$/, "100000");
    for (const cursor of ["junk", "", ahead]) {
      assertEquals((await client.fails("watch-events", { cursor })).code, "invalid-argument", cursor);
    }
    assertEquals((await client.fails("watch-events", { limit: -1 })).code, "invalid-argument");
  });

  await t.step("of two calls that wait without a cursor, each returns an event", async () => {
    const paneId = await watching.pane("exec cat");
    for (const word of ["first", "second"]) {
      await client.ok("watch-pane", { paneId, triggers: `pattern:^${word}`, background: true });
    }
    assertEquals((await client.ok("watch-events")).events, []);
    const waiting = [0, 1].map(() => client.ok("watch-events", { waitSeconds: 20 }));
    await watching.type(paneId, "first");
    await Promise.race(waiting);
    await watching.type(paneId, "second");
    const pages = await Promise.all(waiting);
    assertEquals(pages.map(({ events }) => events.length), [1, 1]);
  });

  await t.step("one watch more than the limit is busy, in front and in the background", async () => {
    const paneId = await watching.pane("exec cat");
    const args = { paneId, triggers: "bell", background: true };
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await client.ok("watch-pane", args)).watchId);
    for (const background of [true, false]) {
      const error = await client.fails("watch-pane", { ...args, background });
      assertEquals(error.code, "busy");
      assertMatch(error.hint ?? "", /stop-watch/);
    }
    for (const watchId of ids) await client.ok("stop-watch", { watchId });
    await client.ok("watch-pane", { paneId, triggers: "bell", timeout: 0 });
  });

  const REFUSED: [name: string, args: Record<string, unknown>, code: string, text: RegExp][] = [
    ["an unknown trigger", { triggers: "exit,sometimes" }, "invalid-argument", /sometimes/],
    ["an empty list", { triggers: "" }, "invalid-argument", /empty/],
    ["idle:0", { triggers: "idle:0" }, "invalid-argument", /idle:0/],
    ["a pattern RE2 can't take", { triggers: "pattern:(?=x)y" }, "invalid-argument", /\(\?=x\)y/],
    ["an unknown mode", { mode: "fast" }, "invalid-argument", /mode/],
    ["a negative timeout", { timeout: -1 }, "invalid-argument", /timeout/],
    ["an unknown argument", { pattern: "x" }, "invalid-argument", /pattern/],
    ["a pane that is not there", { paneId: "%9999" }, "not-found", /%9999/],
    [
      "one pane of two that is not there",
      { paneId: undefined, paneIds: ["%0", "%9999"] },
      "not-found",
      /%9999/,
    ],
    ["paneId together with paneIds", { paneIds: ["%0"] }, "invalid-argument", /paneId together with paneIds/],
    ["no pane at all", { paneId: undefined }, "invalid-argument", /paneId/],
    ["an empty pane id", { paneId: "" }, "invalid-argument", /paneId/],
  ];
  for (const [name, args, code, text] of REFUSED) {
    await t.step(`${name} is refused`, async () => {
      const error = await client.fails("watch-pane", { paneId: "%0", ...args });
      assertEquals(error.code, code);
      assertMatch(error.text, text);
    });
  }

  await t.step("numbers, booleans and lists that a client made text of are taken", async () => {
    const { event } = await client.ok("watch-pane", {
      paneIds: '["%0"]',
      triggers: '["idle:0.1","exit"]',
      timeout: "5",
      background: "false",
    });
    assertEquals(event, "idle:0.1");
    const blank = await client.ok("watch-pane", {
      paneIds: "%0",
      triggers: " exit , idle: 0.1 ",
      timeout: 5,
    });
    assertEquals(blank.event, "idle:0.1");
  });
});
