import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { layoutChecksum } from "../../src/tmux/layout.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { OtherClient } from "../support/other_client.ts";
import { until } from "../support/until.ts";
import type { TestClient } from "../support/world.ts";

const test = inTurnOnOneServer("windows, layouts and names");

test("selectors that contradict each other are refused, and name the two", async ({ client }) => {
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "w" });
  const cases: [tool: string, args: Record<string, unknown>, one: string, other: string][] = [
    ["get-window-info", { windowId, sessionId, windowIndex: 0 }, "windowId", "windowIndex"],
    ["select-window", { windowId, sessionId, windowIndex: 0 }, "windowId", "windowIndex"],
    ["select-window", { windowId, direction: "next" }, "windowId", "direction"],
    ["select-window", { sessionId, windowIndex: 0, direction: "next" }, "windowIndex", "direction"],
    ["select-pane", { paneId, windowId }, "paneId", "windowId"],
    ["select-pane", { paneId, direction: "up" }, "paneId", "direction"],
    ["watch-pane", { paneId, paneIds: [paneId] }, "paneId", "paneIds"],
    ["search-buffer", { query: "x", buffer: "b", buffers: ["b"] }, "buffer", "buffers"],
    ["subsearch-buffer", { query: "x", matchId: "b:0+1", buffer: "b" }, "buffer", "matchId"],
    ["capture-pane", { paneId, lines: 1, start: 0 }, "lines", "start"],
  ];
  for (const [tool, args, one, other] of cases) {
    if (tool.includes("buffer")) await client.ok("set-buffer", { name: "b", content: "x" });
    const { code, text } = await client.fails(tool, args);
    assertEquals([tool, code], [tool, "invalid-argument"]);
    assertStringIncludes(text, `Cannot use ${one} together with ${other}`);
  }
  assertEquals((await client.ok("get-window-info", { windowId, sessionId })).sessionId, sessionId);
  const { sessionId: elsewhere } = await client.ok("create-session", { name: "other" });
  assertEquals((await client.fails("get-window-info", { windowId, sessionId: elsewhere })).code, "not-found");
});

test("windows: made, described, renamed, selected, moved, resized, ended", async ({ client }) => {
  const { sessionId, windowId: first } = await client.ok("create-session", { name: "w" });

  const made = await client.ok("create-window", { sessionId: "w", name: "logs" });
  assertEquals([made.sessionId, made.windowName], [sessionId, "logs"]);
  const { windows } = await client.ok("list-windows", { sessionId });
  assertEquals(
    windows.map((window: { id: string; active: boolean }) => [window.id, window.active]),
    [[first, true], [made.windowId, false]],
    "a new window does not take the focus",
  );
  assertEquals(await client.ok("list-windows", { sessionId: "w" }), { windows });
  assertEquals(await client.ok("list-windows"), { windows });
  assertEquals(windows[1], {
    ...{ id: made.windowId, name: "logs", index: 1, active: false, panes: 1, sessionId, sessionName: "w" },
    ...{ layout: windows[1].layout, width: 200, height: 50, zoomed: false, activePaneId: made.paneId },
  });
  assertEquals(await client.ok("get-window-info", { windowId: made.windowId }), windows[1]);
  assertEquals(await client.ok("get-window-info", { sessionId: "w", windowIndex: 1 }), windows[1]);

  const { windowId } = made;
  assertEquals((await client.ok("rename-window", { windowId, newName: "-x" })).name, "-x");
  assertEquals((await client.ok("select-window", { windowId })).active, true);
  assertEquals((await client.ok("select-window", { sessionId, direction: "last" })).id, first);
  assertEquals((await client.ok("select-window", { sessionId: "w", windowIndex: 1 })).id, windowId);
  const movedAway = await client.ok("move-window", { windowId, targetIndex: 7 });
  assertEquals([movedAway.index, movedAway.active], [7, true], "the current window stays current");
  const behind = await client.ok("move-window", { windowId: first, targetIndex: 5 });
  assertEquals([behind.index, behind.active], [5, false]);
  assertEquals((await client.ok("move-window", { windowId: first, targetIndex: 0 })).index, 0);
  assertEquals((await client.fails("move-window", { windowId, targetIndex: 0 })).code, "invalid-argument");
  assertEquals((await client.fails("move-window", { windowId })).code, "invalid-argument");
  const other = await client.ok("create-session", { name: "other" });
  const moved = await client.ok("move-window", { windowId, targetSessionId: "other" });
  assertEquals([moved.sessionId, moved.sessionName, moved.active], [other.sessionId, "other", false]);
  const resized = await client.ok("resize-window", { windowId, width: 90, height: "30" });
  assertEquals([resized.width, resized.height], [90, 30]);

  assertEquals(await client.ok("kill-window", { windowId }), { killed: windowId });
  assertEquals((await client.fails("get-window-info", { windowId })).code, "not-found");
  const attached = await client.ok("create-window", { sessionId, attach: true, direction: "before" });
  assertEquals((await client.ok("get-window-info", { windowId: attached.windowId })).active, true);
  assertEquals((await client.ok("get-window-info", { windowId: attached.windowId })).index, 0);
});

test("a window's index does not hit a window of that name", async ({ client }) => {
  const { sessionId, windowId } = await client.ok("create-session", { name: "w" });
  await client.ok("rename-window", { windowId, newName: "5" });
  for (const tool of ["select-window", "get-window-info"]) {
    assertEquals((await client.fails(tool, { sessionId, windowIndex: 5 })).code, "not-found");
  }
});

test("a window after the highest index is refused, and ends no server", async ({ client }) => {
  const { sessionId, windowId } = await client.ok("create-session", { command: "exec cat" });
  await client.ok("move-window", { windowId, targetIndex: 2_147_483_647 });
  const beside = { sessionId, command: "exec cat", name: "beside" };
  const refused = await client.fails("create-window", { ...beside, direction: "after" });
  assertEquals(refused.code, "invalid-argument", refused.text);
  await client.ok("create-window", { ...beside, direction: "before" }).catch(() => {});
  const { windows } = await client.ok("list-windows", { sessionId });
  assert(windows.some(({ id }: { id: string }) => id === windowId), JSON.stringify(windows));
});

test("linked and grouped windows: an id stays one window", async ({ world, client }) => {
  const { windowId, paneId, sessionId } = await client.ok("create-session", { name: "a" });
  await world.tmux("new-session", "-d", "-s", "b", "-t", "=a");
  const rows = (await client.ok("list-windows")).windows;
  assertEquals(rows.map((row: { id: string; sessionName: string }) => [row.id, row.sessionName]), [
    [windowId, "a"],
    [windowId, "b"],
  ]);
  assertEquals((await client.ok("list-panes")).panes.length, 1);
  assertEquals((await client.ok("get-window-info", { windowId })).id, windowId);
  assertEquals((await client.ok("rename-window", { windowId, newName: "n" })).name, "n");
  assertEquals((await client.ok("get-pane-info", { paneId })).id, paneId);
  const { paneId: split } = await client.ok("split-pane", { paneId });
  assertEquals((await client.ok("break-pane", { paneId: split })).paneId, split);
  const selected = await client.ok("select-window", { windowId, sessionId: "b" });
  assertEquals([selected.id, selected.sessionName, selected.active], [windowId, "b", true]);
  assertEquals(
    (await client.ok("move-window", { windowId, targetSessionId: sessionId, targetIndex: 9 })).index,
    9,
  );
  assertEquals(await client.ok("kill-window", { windowId }), { killed: windowId });
});

test("grouped sessions make ids ambiguous", async ({ world, client }) => {
  const { windowId, paneId, sessionId } = await client.ok("create-session", {
    name: "a",
    command: "echo found; cat",
  });
  await world.tmux("new-session", "-d", "-s", "b", "-t", "=a");
  const other = (await client.ok("get-session-info", { sessionId: "b" })).id;
  await client.ok("wait-for-text", { paneId, pattern: "found" });

  /** Which session each tool says the pane is in. */
  const told = async (asked: TestClient): Promise<string[]> => {
    const [listed] = (await asked.ok("list-panes")).panes;
    const [ofWindow] = (await asked.ok("list-panes", { windowId })).panes;
    const [match] = (await asked.ok("search-panes", { pattern: "found" })).matches;
    const one = [
      await asked.ok("get-pane-info", { paneId }),
      await asked.ok("snapshot-pane", { paneId }),
      await asked.ok("rename-pane", { paneId, title: "t" }),
      await asked.ok("resize-pane", { paneId, zoom: true }),
      await asked.ok("find-pane-by-position", { windowId, corner: "top-left" }),
      await asked.ok("get-window-info", { windowId }),
      await asked.ok("rename-window", { windowId, newName: "w" }),
    ];
    return [listed, ofWindow, match, ...one].map((each) => each.sessionId);
  };
  assertEquals(new Set(await told(client)), new Set([sessionId]));
  for (const [name, id] of [["a", sessionId], ["b", other]]) {
    const { panes } = await client.ok("list-panes", { windowId, sessionId: name });
    assertEquals(panes.map((pane: { sessionId: string }) => pane.sessionId), [id]);
    const scoped = await world.serve({ args: ["--allowed-sessions", name] });
    assertEquals(new Set(await told(scoped)), new Set([id]));
    assertEquals((await scoped.ok("select-window", { windowId })).sessionId, id);
  }
});

test("a layout is validated before tmux sees it", async ({ client }) => {
  const { windowId, paneId } = await client.ok("create-session", { name: "l", width: 80, height: 24 });
  await client.ok("split-pane", { paneId });
  const { layout } = await client.ok("get-window-info", { windowId });
  for (const name of ["tiled", "even-horizontal", "main-vertical"]) {
    assertNotEquals((await client.ok("select-layout", { windowId, layout: name })).layout, layout);
  }
  assertEquals((await client.ok("select-layout", { windowId, layout })).layout, layout);

  const sealed = (text: string): string => `${layoutChecksum(text)},${text}`;
  const body = "80x24,0,0[80x12,0,0,0,80x11,0,13,1]";
  await client.ok("select-layout", { windowId, layout: sealed(body) });
  const bad = [
    ...["even", "tile", "-o", "", "a,", "0000,", `0000,${body}`, `${layout}x`, layout.slice(0, -1)],
    ...["", "80x24", "80x24,0,0{", "80x24,0,0[80x12,0,0,0]", "80x24,0,0[80x12,0,0,0,80x99,0,13,1]"].map(
      sealed,
    ),
    sealed("[".repeat(10_000)),
    ...["{", "{}", '{"V":2,"L":{}}', '{"V":2,"L":[]}'],
  ];
  for (const layout of bad) {
    assertEquals((await client.fails("select-layout", { windowId, layout })).code, "invalid-argument");
  }
  const few = await client.fails("select-layout", { windowId, layout: sealed("80x24,0,0,0") });
  assertEquals(few.code, "invalid-argument");
  assertMatch(few.text, /: it has (1 of the 2|fewer) panes (of|than) the window\. Valid: /);
  assert((await client.ok("list-sessions")).sessions.length === 1, "the server lives");
});

test("text given as a name, title, path or command is never expanded", async ({ world, client }, t) => {
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "n" });
  const hit = `${world.folder}/HIT`;
  const texts = [
    `a#(touch ${hit})b`,
    "#{pid}",
    "%H%M",
    "#[fg=red]x",
    "##[x] ###x #",
    "#,#}#",
    "ends;",
    "-t",
    "--",
    "'\"`",
    "x$(id)",
    "grüße 日本語",
    "a}b,c",
    " a  b ",
  ];
  for (const text of texts) {
    await t.step(JSON.stringify(text), async () => {
      assertEquals((await client.ok("rename-window", { windowId, newName: text })).name, text);
      assertEquals((await client.ok("rename-pane", { paneId, title: text })).title, text);
      assertEquals(await client.ok("rename-session", { sessionId, newName: text }), {
        sessionId,
        name: text,
      });
      assertEquals((await client.ok("get-session-info", { sessionId: text })).id, sessionId);
      const window = await client.ok("create-window", { sessionId: text, name: text });
      assertEquals(window.windowName, text);
      const split = await client.ok("split-pane", { paneId: window.paneId });
      assertEquals((await client.ok("break-pane", { paneId: split.paneId, name: text })).name, text);
      const session = await client.ok("create-session", { name: `${text}2` });
      assertEquals(session.sessionName, `${text}2`);
      assertEquals((await client.ok("create-session", { name: `${text}2` })).created, false);
      assertEquals(await client.ok("kill-session", { sessionId: `${text}2` }), { killed: `${text}2` });

      const folder = `${world.folder}/${text.replaceAll("/", "_")}`;
      await Deno.mkdir(folder, { recursive: true });
      const real = await Deno.realPath(folder);
      const where = { startDirectory: folder, command: "exec sleep 1000" };
      const placed = [
        (await client.ok("create-window", { sessionId, ...where })).paneId,
        (await client.ok("split-pane", { paneId: window.paneId, ...where })).paneId,
        (await client.ok("respawn-pane", { paneId: window.paneId, ...where })).id,
        (await client.ok("create-session", { ...where })).paneId,
      ];
      for (const pane of placed) assertEquals(await settledPath(pane, real), real);
      await client.ok("kill-window", { windowId: window.windowId });
    });
  }
  await client.ok("rename-session", { sessionId, newName: "n" });
  assertEquals(
    await Array.fromAsync(Deno.readDir(world.folder), (entry) => entry.name === "HIT").then((hits) =>
      hits.includes(true)
    ),
    false,
  );

  /** tmux looks at the folder of the process, which its child changes into a moment after it exists. */
  async function settledPath(paneId: string, path: string): Promise<string> {
    let currentPath = "";
    await until(async () => {
      ({ currentPath } = await client.ok("get-pane-info", { paneId }));
      return currentPath === path;
    }).catch(() => {});
    return currentPath;
  }
});

test("names that tmux would change are refused", async ({ client }) => {
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "n" });
  for (const name of ["a.b", "a:b", "", "$x", "$1", "a$HOME", "a\\b", "a\tb", "a\nb", "\x1b[1m"]) {
    assertEquals((await client.fails("create-session", { name })).code, "invalid-argument");
    assertEquals(
      (await client.fails("rename-session", { sessionId, newName: name })).code,
      "invalid-argument",
    );
  }
  for (const name of ["a$HOME", "a\\b", "a\tb", "a\nb"]) {
    assertEquals((await client.fails("rename-window", { windowId, newName: name })).code, "invalid-argument");
    assertEquals((await client.fails("create-window", { sessionId, name })).code, "invalid-argument");
    assertEquals((await client.fails("break-pane", { paneId, name })).code, "invalid-argument");
  }
  for (const title of ["a\tb", "a\nb", "\x1b[1m"]) {
    assertEquals((await client.fails("rename-pane", { paneId, title })).code, "invalid-argument");
  }
  assertEquals((await client.ok("rename-pane", { paneId, title: "a/b $HOME" })).title, "a/b $HOME");
  await client.ok("create-session", { name: "taken" });
  assertEquals(
    (await client.fails("rename-session", { sessionId, newName: "taken" })).code,
    "invalid-argument",
  );
});

test("an empty or missing target never means the current object", async ({ world, client }) => {
  await client.ok("create-session", { name: "develop" });
  const calls: [string, Record<string, unknown>][] = [
    ["kill-session", { sessionId: "" }],
    ["kill-session", {}],
    ["kill-pane", { paneId: "" }],
    ["kill-pane", { paneId: "0" }],
    ["capture-pane", { paneId: "%00" }],
    ["get-window-info", { windowId: "@00" }],
    ["kill-window", { windowId: "" }],
    ["kill-window", { windowId: "0" }],
    ["get-window-info", {}],
    ["select-pane", {}],
    ["select-window", { sessionId: "develop" }],
    ["rename-session", { sessionId: "", newName: "x" }],
    ["capture-pane", { paneId: "=develop:" }],
  ];
  for (const [tool, args] of calls) {
    assertEquals([tool, (await client.fails(tool, args)).code], [tool, "invalid-argument"]);
  }
  for (const name of ["dev", "devel*", "=develop", "develop:", "develop:0", "develop.0", "!", "{start}"]) {
    for (const tool of ["kill-session", "get-session-info", "list-windows", "list-panes", "create-window"]) {
      const { code, text } = await client.fails(tool, { sessionId: name });
      assertEquals([tool, name, code], [tool, name, "not-found"]);
      assertMatch(text, /list-sessions/);
    }
  }
  await using _person = await OtherClient.attach(world, "develop");
  const name = (await world.tmux("list-clients", "-F", "#{client_name}")).trim();
  assertEquals((await client.fails("kill-session", { sessionId: name })).code, "not-found");
});
