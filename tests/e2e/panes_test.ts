import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { RawClient } from "../support/raw_client.ts";
import { readResult, Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("panes");
const respawning = inTurnOnOneServer(
  "panes that are respawned while they run",
  (world) => world.serve({ args: ["--safety", "destructive"] }),
);

interface Rig {
  paneId: string;
  windowId: string;
  sessionId: string;
}

async function rig(client: TestClient, command = "exec sleep 1000"): Promise<Rig> {
  return await client.ok("create-session", { name: "p", width: 80, height: 24, command });
}

test("panes: listed with exactly the fields of a Pane, described with those of a PaneInfo", async ({ client }) => {
  const { paneId, windowId, sessionId } = await rig(client);
  const { panes } = await client.ok("list-panes", { windowId });
  const [pane] = panes;
  assertEquals(Object.keys(pane).sort(), [
    ...["active", "currentCommand", "currentPath", "height", "id", "index", "pid", "sessionId", "title"],
    ...["width", "windowId"],
  ]);
  assertEquals([pane.id, pane.windowId, pane.sessionId, pane.width, pane.height, pane.active], [
    ...[paneId, windowId, sessionId, 80, 24, true],
  ]);
  assertEquals(await client.ok("list-panes", { sessionId: "p" }), { panes });
  assertEquals((await client.fails("list-panes", { windowId: "@99" })).code, "not-found");
  assertEquals((await client.fails("list-panes", { sessionId: "$99" })).code, "not-found");

  const info = await client.ok("get-pane-info", { paneId });
  assertEquals([info.sessionName, info.dead, info.inMode, info.left, info.atLeft, info.atBottom], [
    ...["p", false, false, 0, true, true],
  ]);
  assertMatch(info.tty, /^\/dev\//);
  assertMatch(info.startCommand, /sleep 1000/);
  assert(!("deadStatus" in info) && !("mode" in info) && !("isCaller" in info));
  const gone = await client.fails("get-pane-info", { paneId: "%99" });
  assertEquals(gone.code, "not-found", "a pane id that is gone does not answer blanks");
  assertMatch(gone.text, /list-panes/);
});

test("a split takes its share on the side asked for, and the focus stays", async ({ client }) => {
  const { paneId } = await rig(client);
  const split = async (args: Record<string, unknown>): Promise<Record<string, number>> => {
    const made = await client.ok("split-pane", { paneId, command: "exec sleep 1000", ...args });
    const info = await client.ok("get-pane-info", { paneId: made.paneId });
    assertEquals(info.active, false, "the focus stays");
    await client.ok("kill-pane", { paneId: made.paneId });
    return { left: info.left, top: info.top, width: info.width, height: info.height };
  };
  assertEquals(await split({}), { left: 0, top: 13, width: 80, height: 11 });
  assertEquals(await split({ direction: "below", size: 25 }), { left: 0, top: 18, width: 80, height: 6 });
  assertEquals(await split({ direction: "above", size: "25" }), { left: 0, top: 0, width: 80, height: 6 });
  assertEquals(await split({ direction: "horizontal" }), { left: 41, top: 0, width: 39, height: 24 });
  assertEquals(await split({ direction: "right", size: 25 }), { left: 60, top: 0, width: 20, height: 24 });
  assertEquals(await split({ direction: "left", size: 25 }), { left: 0, top: 0, width: 20, height: 24 });
  for (const size of [0, 100, -5, 1.5]) {
    assertEquals((await client.fails("split-pane", { paneId, size })).code, "invalid-argument");
  }
  assertEquals((await client.fails("split-pane", { paneId: "%99" })).code, "not-found");
});

test("a pane too small to split says what to do instead", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { width: 10, height: 3, command: "exec sleep 1000" });
  await client.ok("split-pane", { paneId });
  const { code, hint } = await client.fails("split-pane", { paneId });
  assertEquals(code, "tmux-error");
  assertMatch(hint ?? "", /resize-window.*create-window/);
});

test("a new pane's environment and command reach it as given, and new objects are marked", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const value = "a b;'\"$HOME #(id) #{pid} %H é\n-x;";
  const command = `printf %s "$VALUE" > ${world.folder}/value; tmux wait-for -S written; exec sleep 1000;`;
  for (const [tool, args] of [["split-pane", { paneId }], ["create-window", { sessionId: "p" }]] as const) {
    const made = await client.ok(tool, { ...args, command, environment: { VALUE: value } });
    await world.tmux("wait-for", "written");
    assertEquals(await Deno.readTextFile(`${world.folder}/value`), value);
    assertMatch(
      await world.tmux("show-options", "-pv", "-t", made.paneId, "@tmux_mcp_owner"),
      /^tmux-mcp:default\n$/,
    );
  }
  await client.ok("respawn-pane", { paneId, command, environment: { VALUE: "again" } });
  await world.tmux("wait-for", "written");
  assertEquals(await Deno.readTextFile(`${world.folder}/value`), "again");
  for (const [flag, target] of [["-w", "@0"], ["-p", "%0"], ["-q", "p"]] as const) {
    assertMatch(await world.tmux("show-options", flag, "-v", "-t", target, "@tmux_mcp_owner"), /default/);
  }
  const named = await client.ok("create-session", { name: "shell" });
  for (const [flag, target] of [["-w", named.windowId], ["-p", named.paneId], ["-q", "shell"]] as const) {
    assertMatch(await world.tmux("show-options", flag, "-v", "-t", target, "@tmux_mcp_owner"), /default/);
  }
  assert(
    (await client.ok("split-pane", { paneId, command: "true" })).paneId,
    "one that ends at once is no error",
  );
});

test("panes are found by corner, selected, resized, zoomed", async ({ client }) => {
  const { paneId, windowId } = await rig(client);
  const right = (await client.ok("split-pane", { paneId, direction: "right" })).paneId;
  const below = (await client.ok("split-pane", { paneId: right, direction: "below" })).paneId;
  const corner = async (name: string): Promise<string> =>
    (await client.ok("find-pane-by-position", { windowId, corner: name })).id;
  assertEquals(await Promise.all(["top-left", "top-right", "bottom-left", "bottom-right"].map(corner)), [
    ...[paneId, right, paneId, below],
  ]);
  await client.ok("zoom-pane", { paneId: right, zoomed: true });
  for (const name of ["top-left", "top-right", "bottom-left", "bottom-right"]) {
    assertEquals(await corner(name), right, `${name} of a window that shows one pane`);
  }
  await client.ok("zoom-pane", { paneId: right, zoomed: false });
  assertEquals(
    (await client.fails("find-pane-by-position", { windowId: "@9", corner: "top-left" })).code,
    "not-found",
  );

  const select = async (args: Record<string, unknown>): Promise<string> =>
    (await client.ok("select-pane", args)).id;
  assertEquals(await select({ paneId: right }), right);
  assertEquals(await select({ windowId, direction: "down" }), below);
  assertEquals(await select({ windowId, direction: "left" }), paneId);
  assertEquals(await select({ windowId, direction: "last" }), below);
  assertEquals(await select({ windowId, direction: "next" }), paneId);
  assertEquals(await select({ windowId, direction: "previous" }), below);
  // From the window's own pane, although tmux has another current window.
  await client.ok("create-session", { name: "newer" });
  for (const [direction, expected] of [["next", below], ["previous", paneId]] as const) {
    await select({ paneId: right });
    assertEquals(await select({ windowId, direction }), expected, direction);
  }

  const resize = async (args: Record<string, unknown>): Promise<number[]> => {
    const info = await client.ok("resize-pane", { paneId, ...args });
    return [info.width, info.height];
  };
  assertEquals(await resize({ width: 30 }), [30, 24]);
  assertEquals(await resize({ direction: "R" }), [35, 24]);
  assertEquals(await resize({ direction: "left", amount: 3 }), [32, 24]);
  assertEquals(await resize({ zoom: true }), [80, 24]);
  assertEquals(await resize({ zoom: true }), [80, 24]);
  assertEquals(await resize({ zoom: false }), [32, 24]);
  assertEquals(await resize({ zoom: false }), [32, 24]);
  for (
    const args of [{}, { amount: 3 }, { width: 3, zoom: true }, { direction: "up", width: 3 }, { width: 0 }]
  ) {
    assertEquals((await client.fails("resize-pane", { paneId, ...args })).code, "invalid-argument");
  }

  assertEquals(await client.ok("zoom-pane", { paneId }), { paneId, zoomed: true });
  assertEquals(await client.ok("zoom-pane", { paneId: right, zoomed: true }), {
    paneId: right,
    zoomed: true,
  });
  assertEquals((await client.ok("get-window-info", { windowId })).activePaneId, right);
  assertEquals(await client.ok("zoom-pane", { paneId, zoomed: false }), { paneId, zoomed: false });
  const toggled = await client.ok("zoom-pane", { paneId: right });
  assertEquals(toggled, { paneId: right, zoomed: false }, "It was still zoomed");
  await client.ok("zoom-pane", { paneId: right });
  assertEquals(await client.ok("zoom-pane", { paneId }), { paneId, zoomed: true }, "Another one was");
  assertEquals(await client.ok("zoom-pane", { paneId, zoomed: false }), { paneId, zoomed: false });
});

test("panes are joined, broken out and swapped without taking the focus", async ({ client }) => {
  const { paneId, windowId, sessionId } = await rig(client);
  const other = await client.ok("create-window", { sessionId });
  const joined = await client.ok("join-pane", { sourcePaneId: other.paneId, targetPaneId: paneId, size: 25 });
  assertEquals([joined.id, joined.windowId, joined.height, joined.active], [
    other.paneId,
    windowId,
    6,
    false,
  ]);
  const swapped = await client.ok("swap-pane", { sourcePaneId: other.paneId, targetPaneId: paneId });
  assertEquals([swapped.id, swapped.top], [other.paneId, 0]);
  const broken = await client.ok("break-pane", { paneId: other.paneId, name: "out" });
  assertEquals([broken.paneId, broken.name, broken.active, broken.panes, broken.sessionId], [
    ...[other.paneId, "out", false, 1, sessionId],
  ]);
  for (const tool of ["join-pane", "swap-pane"]) {
    const self = { sourcePaneId: paneId, targetPaneId: paneId };
    assertEquals((await client.fails(tool, self)).code, "invalid-argument");
    assertEquals((await client.fails(tool, { ...self, targetPaneId: "%99" })).code, "not-found");
    assertEquals((await client.fails(tool, { ...self, sourcePaneId: "%99" })).code, "not-found");
  }
});

test("the only pane of a window is broken out without a switch to another window", async ({ world, client }) => {
  const { paneId, windowId, sessionId } = await rig(client);
  const other = await client.ok("create-window", { sessionId, attach: true });
  await client.ok("select-window", { windowId });
  const current = async (): Promise<string> =>
    (await world.tmux("display-message", "-p", "-t", `${sessionId}:`, "#{pane_id}")).trim();
  for (const [id, index] of [[paneId, 2], [other.paneId, 0]] as const) {
    const broken = await client.ok("break-pane", { paneId: id, name: "out" });
    assertEquals([broken.paneId, broken.name, broken.index, broken.active], [
      id,
      "out",
      index,
      id === paneId,
    ]);
    assertEquals(await current(), paneId);
  }
  const split = await client.ok("split-pane", { paneId });
  assertEquals((await client.ok("break-pane", { paneId })).active, false);
  assertEquals(await current(), split.paneId);
});

test("a pane is cleared, respawned, put into copy mode and out, and killed", async ({ world, client }) => {
  const { paneId } = await rig(client, "seq 1 100; tmux wait-for -S printed; exec sleep 1000");
  await world.tmux("wait-for", "printed");
  assertEquals(await client.ok("capture-pane", { paneId, lines: 2 }), "99\n100");
  assertEquals(await client.ok("clear-pane", { paneId }), { paneId });
  assertEquals(await client.ok("capture-pane", { paneId, lines: 50 }), "");
  const editor = "seq 1 100; printf '\\033[?1049hediting'; tmux wait-for -S editing; exec sleep 1000";
  const { paneId: edited } = await client.ok("split-pane", { paneId, command: editor });
  await world.tmux("wait-for", "editing");
  assertEquals(await client.ok("clear-pane", { paneId: edited }), { paneId: edited, alternateScreen: true });
  assertEquals(await client.ok("capture-pane", { paneId: edited, lines: 50 }), "");
  assertMatch(await world.tmux("capture-pane", "-p", "-a", "-t", edited), /^100$/m);
  await client.ok("kill-pane", { paneId: edited });

  assertEquals((await client.fails("respawn-pane", { paneId, kill: false })).code, "busy");
  const before = await client.ok("get-pane-info", { paneId });
  const after = await client.ok("respawn-pane", { paneId });
  assertEquals([after.id, after.pid === before.pid], [paneId, false]);
  await world.tmux("wait-for", "printed");

  const info = await client.ok("enter-copy-mode", { paneId, scrollUp: 10 });
  assertEquals([info.inMode, info.mode], [true, "copy-mode"]);
  assertEquals((await client.ok("exit-copy-mode", { paneId })).inMode, false);
  assertEquals((await client.ok("exit-copy-mode", { paneId })).inMode, false);

  assertEquals(await client.ok("kill-pane", { paneId }), { killed: paneId });
  assertEquals((await client.fails("kill-pane", { paneId })).code, "not-found");
});

test("copy mode scrolls to the top of the history at most, and keeps nobody waiting", async ({ world, client }) => {
  const { paneId } = await rig(client, "seq 100; tmux wait-for -S printed; exec sleep 1000");
  await world.tmux("wait-for", "printed");
  const { historySize } = await client.ok("get-pane-info", { paneId });
  const scrolled = async (scrollUp: number): Promise<number> => {
    await client.ok("enter-copy-mode", { paneId, scrollUp });
    return (await client.ok("snapshot-pane", { paneId })).scrollPosition;
  };
  assertEquals(await scrolled(3), 3);
  assertEquals(await scrolled(4), 7, "further up from where it is");
  assertEquals(await scrolled(1_000_000), historySize);
  for (const numbers of await world.isTmux(3, 7) ? ["default", "absolute", "relative", "hybrid"] : []) {
    await client.ok("exit-copy-mode", { paneId });
    await world.tmux("set-option", "-w", "-t", paneId, "copy-mode-line-numbers", numbers);
    const rows = [await scrolled(3), await scrolled(4), await scrolled(1_000_000)];
    assertEquals(rows, [3, 7, historySize], numbers);
  }
});

test("a pane stays zoomed under a floating one", async ({ world, client }) => {
  // Before 3.8, a new pane ends the zoom.
  if (!await world.isTmux(3, 8)) return;
  const { windowId, paneId } = await client.ok("create-session", { command: "cat" });
  await client.ok("split-pane", { paneId, command: "cat" });
  await client.ok("zoom-pane", { paneId, zoomed: true });
  const float = (await world.tmux("new-pane", "-A", "-P", "-F", "#{pane_id}", "-t", paneId, "cat")).trim();
  assertEquals((await client.ok("zoom-pane", { paneId, zoomed: true })).zoomed, true);
  assertEquals((await client.ok("find-pane-by-position", { windowId, corner: "top-left" })).id, paneId);
  await world.tmux("set-option", "-w", "-t", paneId, "synchronize-panes", "on");
  assertEquals((await client.ok("send-keys", { paneId: float, keys: "x" })).alsoTyped, [paneId]);
  assertEquals((await client.ok("zoom-pane", { paneId })).zoomed, false);
  assertEquals(await world.tmux("display-message", "-p", "-t", paneId, "#{window_zoomed_flag}"), "0\n");
});

test("capture-pane returns the lines asked for, exactly", async ({ world, client }) => {
  const long = "x".repeat(300);
  const { paneId } = await rig(
    client,
    `seq 1 500; printf '%s\\n' ${long} ${long} ${long}; printf '\\033[31mred\\033[m  \\n\\n'; ` +
      "printf 'é\\ttab $ '; tmux wait-for -S printed; exec sleep 1000",
  );
  await world.tmux("wait-for", "printed");
  const capture = async (args: Record<string, unknown>): Promise<string[]> => {
    const text = (await client.ok("capture-pane", { paneId, ...args })) as unknown as string;
    return text === "" ? [] : text.split("\n").map(withSpaces);
  };
  // From 3.6 on, tmux keeps a tab; earlier versions wrote spaces.
  const withSpaces = (line: string): string => line.replace("é\ttab", "é       tab");
  const tail = [long, long, long, "red", "", "é       tab $"];
  assertEquals(await capture({ lines: 6 }), tail);
  assertEquals(await capture({ lines: 8 }), ["499", "500", ...tail]);
  assertEquals((await capture({ lines: 506 }))[0], "1");
  assertEquals((await capture({ lines: 100_000 })).length, 506);
  assertEquals(await capture({ lines: 0 }), []);
  assertEquals((await capture({})).slice(-3), ["red", "", "é       tab $"]);
  assertEquals((await capture({ join: false, lines: 4 }))[0], "x".repeat(60));
  assertEquals((await capture({ lines: 3, colors: true }))[0], "\x1b[31mred\x1b[39m");
  assertEquals((await capture({ start: -2, end: -1 })).length, 2);
  assertEquals((await client.fails("capture-pane", { paneId, lines: 3, start: 1 })).code, "invalid-argument");
  assertEquals((await client.fails("capture-pane", { paneId, lines: -1 })).code, "invalid-argument");
  assertEquals((await client.fails("capture-pane", { paneId: "%99" })).code, "not-found");
});

test("locale: the lists are whole under LC_ALL=C and with an empty environment", async ({ world, client: first }) => {
  const { windowId } = await rig(first);
  await first.ok("rename-window", { windowId, newName: "grüße" });
  const seen = await first.ok("list-windows");
  const bare = { PATH: world.env.PATH!, LC_ALL: "C", LANG: "C" };
  const client = await world.serve({ env: bare });
  assertEquals(await client.ok("list-windows"), seen);
  assertEquals((await client.ok("list-panes")).panes.length, 1);
  assertEquals((await client.ok("list-sessions")).sessions.length, 1);

  const empty = await World.create();
  await using _gone = empty;
  for (const name of ["LANG", "TERM", "SHELL", "HOME"]) delete empty.env[name];
  const alone = await empty.serve({ env: { LC_ALL: "C" } });
  await alone.ok("create-session", { name: "日本語" });
  assertEquals((await alone.ok("list-sessions")).sessions[0].name, "日本語");
});

test("a respawned pane is in its folder from the first answer on", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { startDirectory: world.folder, command: "exec cat" });
  for (let round = 0; round < 10; round++) {
    assertEquals((await client.ok("respawn-pane", { paneId })).currentPath, world.folder);
  }
});

respawning(
  "trap: tmux crashes when a pane is respawned while a control client is behind with what it printed",
  async ({ world, client }) => {
    const watching = new Watching(world, client);
    const paneId = await watching.waitingPane("yes");
    const raw = new RawClient(world);
    await raw.initialize();
    await raw.call(2, "watch-pane", { paneId, triggers: "pattern:^again$", background: true });
    raw.child.kill("SIGSTOP");
    try {
      await watching.go(paneId);
      const size = ["display-message", "-p", "-t", paneId, "#{history_size}"];
      await watching.until(async () => Number(await world.tmux(...size)) > 1000);
      const command = "seq 1 100; exec cat";
      await watching.client.ok("respawn-pane", { paneId, kill: true, command });
      await watching.until(async () => /^100$/m.test(await watching.screen(paneId)));
    } finally {
      raw.child.kill("SIGCONT");
    }
    await raw.hangUp();
  },
);

respawning(
  "a respawned pane is followed by the client that another pane of its session has left",
  async ({ world, client }) => {
    const watching = new Watching(world, client);
    const paneId = await watching.shellPane();
    const other = (await world.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", paneId, "cat"))
      .trim();
    await watching.client.ok("execute-command", { paneId, command: "true" });
    await watching.client.ok("respawn-pane", { paneId: other, kill: true, command: "cat" });
    const { result } = await watching.watch({ paneId: other, triggers: "pattern:^on$" });
    await watching.type(other, "on");
    assertEquals(readResult(await result).event, "pattern:^on$");
  },
);
