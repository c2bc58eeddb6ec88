// Watches while tmux's own objects come, move and go; and what tmux can see of the watches.
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { readResult, Watching, WAYS } from "../support/watching.ts";

/** A session that keeps tmux there, and the server's watches. */
async function begin({ world, client }: Served): Promise<Watching> {
  const watching = new Watching(world, client);
  await watching.pane("cat", "keep");
  return watching;
}

const ENDS: [name: string, command: string[]][] = [
  ["its pane is killed", ["kill-pane", "-t"]],
  ["its window is killed", ["kill-window", "-t"]],
  ["its session is killed", ["kill-session", "-t"]],
  ["its pane is respawned", ["respawn-pane", "-k", "-t"]],
];

const [testAttached, testPiped] = Object.entries(WAYS).map(([way, args]) =>
  inTurnOnOneServer(`watches and what comes and goes, ${way}`, (world) => world.serve({ args }))
);

testAttached!("a watch ends with what it watches", ending);
testPiped!("a watch ends with what it watches", ending);

async function ending(served: Served, t: Deno.TestContext): Promise<void> {
  const watching = await begin(served);
  const { world } = watching;
  for (const [name, command] of ENDS) {
    await t.step(`exit, with what was printed, when ${name}; gone where exit was not asked for`, async () => {
      for (const [triggers, event] of [["exit", "exit"], ["bell", "gone"]] as const) {
        const paneId = await watching.waitingPane("echo last words; exec cat");
        const { result } = await watching.watch({ paneId, triggers });
        await watching.go(paneId);
        await watching.until(async () => (await watching.screen(paneId)).includes("last words"));
        await world.tmux(...command, paneId, ...(command[0] === "respawn-pane" ? ["cat"] : []));
        const answer = readResult(await result);
        assertEquals([answer.event, answer.paneId], [event, paneId], JSON.stringify(answer));
        assert(answer.output.includes("last words"), answer.output);
      }
    });
  }

  await t.step("a killed program's signal is reported when its pane is killed", async () => {
    const paneId = await watching.waitingPane("exec cat");
    const { result } = await watching.watch({ paneId, triggers: "exit" });
    await world.tmux("kill-pane", "-t", paneId);
    assertEquals(readResult(await result).exitSignal, "SIGHUP");
  });

  await t.step("detach-on-destroy off moves no client of ours to the user's session for long", async () => {
    await world.tmux("set-option", "-g", "detach-on-destroy", "off");
    const paneId = await watching.pane("cat", "doomed");
    const { result } = await watching.watch({ paneId, triggers: "bell" });
    await world.tmux("kill-session", "-t", "=doomed");
    assertEquals(readResult(await result).event, "gone");
    await watching.noClients();
    await world.tmux("set-option", "-g", "detach-on-destroy", "on");
  });

  await t.step("the server killed is gone, and the next server's panes are others", async () => {
    const paneId = await watching.pane("cat");
    const { result } = await watching.watch({ paneId, triggers: "bell" });
    await world.tmux("kill-server");
    const { event, totalLines } = readResult(await result);
    assertEquals([event, totalLines], ["gone", 0]);
    assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
  });
}

testAttached!("a watch continues while its pane does", async (served, t) => {
  const watching = await begin(served);
  const { world } = watching;
  const attaches = await world.attaches();

  /** `NAME SESSION` of the clients that read panes. */
  async function readers(): Promise<string[]> {
    const listed = await world.tmux("list-clients", "-F", "#{client_name} #{session_name} #{client_flags}");
    return listed.split("\n").filter((row) => row !== "" && !row.includes("no-output"))
      .map((row) => row.split(" ").slice(0, 2).join(" "));
  }

  /** Watches a pane of the session `name` while `change` makes another client read it, in the session `home`: all comes. */
  async function survive(
    name: string,
    home: string,
    change: (paneId: string) => Promise<unknown>,
  ): Promise<void> {
    const paneId = await watching.waitingPane("echo still here; exec cat", name);
    const { result } = await watching.watch({ paneId, triggers: "pattern:still here,exit" });
    const before = await readers();
    await change(paneId);
    if (attaches) {
      await watching.until(async () =>
        (await readers()).some((reader) => reader.endsWith(` ${home}`) && !before.includes(reader))
      );
    }
    await watching.go(paneId);
    const { event, outputTruncated } = readResult(await result);
    assertEquals([event, outputTruncated], ["pattern:still here", undefined]);
    await watching.noClients();
  }

  await t.step(
    "when somebody detaches every client (attach -d)",
    () =>
      survive("detached", "detached", async () => {
        if (attaches) await world.tmux("detach-client", "-s", "=detached");
      }),
  );

  await t.step(
    "when its session ends and its window is linked elsewhere",
    () =>
      survive("linked", "keep", async (paneId) => {
        await world.tmux("link-window", "-s", paneId, "-t", "keep:7");
        await world.tmux("kill-session", "-t", "=linked");
      }),
  );

  await t.step(
    "when its session ends, its window is linked elsewhere, and tmux moves the session's clients there",
    () =>
      survive("moved", "keep", async (paneId) => {
        await world.tmux("set-option", "-g", "detach-on-destroy", "off");
        await world.tmux("new-window", "-d", "-t", "=moved:", "cat");
        await world.tmux("link-window", "-d", "-s", paneId, "-t", "keep:8");
        await world.tmux("kill-session", "-t", "=moved");
      }).finally(() => world.tmux("set-option", "-g", "detach-on-destroy", "on")),
  );

  await t.step("in a grouped session, when the other one ends", () =>
    survive("group", "twin", async () => {
      await world.tmux("new-session", "-d", "-t", "=group", "-s", "twin");
      await world.tmux("kill-session", "-t", "=group");
    }));

  await t.step("when its pane moves to another session", () =>
    survive("origin", "keep", async (paneId) => {
      await world.tmux("new-window", "-d", "-t", "=origin:", "cat");
      await world.tmux("join-pane", "-d", "-s", paneId, "-t", "=keep:");
    }));

  await t.step(
    "when its window is swapped with one of another session, about which tmux sends nothing",
    () =>
      survive("swapped", "keep", async (paneId) => {
        await world.tmux("swap-window", "-s", paneId, "-t", "=keep:0");
      }),
  );

  await t.step("when its window is resized, which says where a rewrite begins", async () => {
    // Through a pipe, a new size is seen up to a quarter of a second later.
    if (!attaches) return;
    const wide = "x".repeat(100);
    const paneId = await watching.waitingPane(`printf '${wide}\\rdone\\n'; exec cat`);
    const { result } = await watching.watch({ paneId, triggers: "pattern:done" });
    await world.tmux("resize-window", "-t", paneId, "-x", "160", "-y", "24");
    await watching.go(paneId);
    assertEquals(readResult(await result).detail, `Matched: done${wide.slice(4)}`);
  });

  await t.step("when another client of the same worker's session goes", async () => {
    const panes = [
      await watching.waitingPane("echo one; exec cat"),
      await watching.waitingPane("echo two; exec cat"),
    ];
    const { result: first } = await watching.watch({ paneIds: panes, triggers: "pattern:^two$" });
    const { result: second } = await watching.watch({ paneId: panes[0], triggers: "pattern:^one$" });
    await watching.go(panes[1]!);
    const { paneId, event } = readResult(await first);
    assertEquals([paneId, event], [panes[1], "pattern:^two$"]);
    await watching.go(panes[0]!);
    assertEquals(readResult(await second).event, "pattern:^one$");
  });

  await t.step("watch after watch of one pane misses none of what comes between", async () => {
    const paneId = await watching.pane("exec cat");
    for (let i = 0; i < 10; i++) {
      const { result } = await watching.watch({ paneId, triggers: `pattern:^line ${i}$,exit` });
      await watching.type(paneId, `line ${i}`);
      assertEquals(readResult(await result).event, `pattern:^line ${i}$`);
    }
  });
});

testAttached!("what a user can see of a watch", async (served, t) => {
  const watching = await begin(served);
  const { world } = watching;
  const LOOK =
    "#{session_name} #{window_width}x#{window_height} #{window_active} #{pane_active} #{window_zoomed_flag}";

  await t.step(
    "own control clients are not counted as attached; sizes and focus stay; nothing is left",
    async () => {
      const paneId = await watching.waitingPane("echo here; exec cat", "seen");
      await world.tmux("split-window", "-t", paneId, "cat");
      await world.tmux("new-window", "-t", "=seen:", "cat");
      const before = await world.tmux("list-panes", "-a", "-F", LOOK);
      const { result } = await watching.watch({ paneId, triggers: "pattern:here" });
      assert((await world.readers()).length > 0);
      const { sessions } = await watching.client.ok("list-sessions");
      assertEquals(sessions.filter(({ attached }: { attached: boolean }) => attached), []);
      assertEquals(await world.tmux("list-panes", "-a", "-F", LOOK), before);
      await watching.go(paneId);
      await result;
      assertEquals(await world.tmux("list-panes", "-a", "-F", LOOK), before);
      await watching.noClients();
    },
  );

  await t.step("the session's environment stays as it is", async () => {
    const shown = await world.tmux("show-environment", "-t", "=keep");
    const paneId = (await world.tmux("display-message", "-p", "-t", "=keep:", "#{pane_id}")).trim();
    await watching.client.ok("watch-pane", { paneId, triggers: "bell", timeout: 0 });
    assertEquals(await world.tmux("show-environment", "-t", "=keep"), shown);
  });
});
