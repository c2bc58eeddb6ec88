// Workspaces: a session written in tmuxp's format, from which its windows and panes can be made again.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("workspaces");

test("freeze-workspace writes a session in the format of tmuxp", async ({ world, client }, t) => {
  const [one, two] = [`${world.folder}/one`, `${world.folder}/two: $x`];
  for (const folder of [one, two]) await Deno.mkdir(folder);
  const made = await client.ok("create-session", { name: "shop", startDirectory: one });
  const { sessionId } = made;
  await client.ok("rename-window", { windowId: made.windowId, newName: "yes" });
  const below = await client.ok("split-pane", { paneId: made.paneId, startDirectory: two });
  await client.ok("split-pane", {
    paneId: below.paneId,
    direction: "horizontal",
    startDirectory: one,
    command: "exec sleep 600",
  });
  await client.ok("create-window", { sessionId, name: "1", startDirectory: two });
  // Until its program begins, a new pane is a second tmux, or in no folder.
  const programs = [
    "list-panes",
    "-s",
    "-t",
    sessionId,
    "-F",
    "#{pane_current_path} #{pane_current_command}",
  ];
  await until(async () => !/^ | tmux$/m.test(await world.tmux(...programs)));
  const before = await client.ok("list-panes", { sessionId });
  const text = await client.ok("freeze-workspace", { sessionId: "shop" });
  const workspace = parse(text, { version: "1.1" });

  await t.step("with names, folders, programs and what has the focus", async () => {
    const { windows } = await client.ok("list-windows", { sessionId });
    assertEquals(workspace, {
      session_name: "shop",
      windows: [
        {
          window_name: "yes",
          window_index: windows[0].index,
          layout: windows[0].layout,
          focus: true,
          panes: workspace.windows[0].panes,
        },
        {
          window_name: "1",
          window_index: windows[1].index,
          layout: windows[1].layout,
          start_directory: two,
          panes: [null],
        },
      ],
    });
    const active = before.panes.findIndex((pane: { active: boolean }) => pane.active);
    const panes = [{ start_directory: one }, { start_directory: two }, {
      start_directory: one,
      shell_command: ["sleep"],
    }];
    assertEquals(
      workspace.windows[0].panes,
      panes.map((pane, index) => index === active ? { ...pane, focus: true } : pane),
    );
  });

  await t.step("so that another session gets the same layout", async () => {
    const copy = await client.ok("create-session", { name: "copy" });
    for (const _ of [1, 2]) await client.ok("split-pane", { paneId: copy.paneId });
    const { layout } = workspace.windows[0];
    await client.ok("select-layout", { windowId: copy.windowId, layout });
    const shape = async (windowId: string) => {
      const { panes } = await client.ok("list-panes", { windowId });
      return panes.map(({ width, height }: { width: number; height: number }) => [width, height]);
    };
    assertEquals(await shape(copy.windowId), await shape(made.windowId));
  });

  await t.step("from which apply-workspace makes it again", async () => {
    const again = { ...workspace, session_name: "again" };
    const { sessionId } = await client.ok("apply-workspace", { workspace: again });
    const shapeOf = async (id: string) => {
      const { panes } = await client.ok("list-panes", { sessionId: id });
      return panes.map(({ width, height, currentPath, active }: Record<string, unknown>) => [
        ...[width, height, currentPath, active],
      ]);
    };
    const shape = JSON.stringify(await shapeOf(made.sessionId));
    // tmux reports no folder for a process that has just ended (a shell's own, as it begins).
    await until(async () => JSON.stringify(await shapeOf(sessionId)) === shape);
    const copy = parse(await client.ok("freeze-workspace", { sessionId }), { version: "1.1" });
    const named = ({ windows }: typeof workspace) =>
      windows.map(({ window_name, window_index, start_directory, focus }: Record<string, unknown>) => [
        ...[window_name, window_index, start_directory, focus],
      ]);
    assertEquals(named(copy), named(workspace));
    await client.ok("kill-session", { sessionId });
  });

  await t.step("as JSON too, and changes nothing", async () => {
    assertEquals(JSON.parse(await client.ok("freeze-workspace", { sessionId, format: "json" })), workspace);
    const after = await client.ok("list-panes", { sessionId });
    assertEquals(after, before);
  });

  await t.step("and names a session that is not there", async () => {
    const { code, text } = await client.fails("freeze-workspace", { sessionId: "none" });
    assertEquals(code, "not-found");
    assertMatch(text, /none/);
  });
});

test("names and folders that PyYAML reads only in quotes have them", async ({ world, client }) => {
  const startDirectory = `${world.folder}/a\tb\u0085`;
  await Deno.mkdir(startDirectory);
  const made = await client.ok("create-session", { name: "s", startDirectory, command: "exec cat" });
  await client.ok("rename-window", { windowId: made.windowId, newName: "=" });
  await client.ok("create-window", { sessionId: "s", name: "<<", startDirectory, command: "exec cat" });
  const shown = ["list-panes", "-s", "-t", "=s:", "-F", "#{pane_current_path}"];
  await until(async () => await world.tmux(...shown) === `${startDirectory}\n`.repeat(2));
  const text: string = await client.ok("freeze-workspace", { sessionId: "s" });
  assertEquals(text.match(/(?<=window_name: ).*/g), ['"="', '"<<"']);
  assertEquals(new Set(text.match(/(?<=start_directory: ).*/g)), new Set([`"${world.folder}/a\\tb\\u0085"`]));
  assertEquals(parse(text, { version: "1.1" }).windows[0].start_directory, startDirectory);
});

test("a session with names that tmux escapes is written so that it can be made again", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "C\\x $HOME", "-n", "plain", "cat");
  await world.tmux("new-window", "-n", "w", "cat");
  await world.tmux("rename-window", "C\\x");
  const [session] = (await client.ok("list-sessions")).sessions;
  const workspace = parse(await client.ok("freeze-workspace", { sessionId: session.id }), { version: "1.1" });
  assertMatch(workspace.session_name, /^C_+x _+HOME$/);
  const names = workspace.windows.map(({ window_name }: { window_name?: string }) => window_name);
  assertEquals(names, ["plain", undefined]);
  const { created } = await client.ok("apply-workspace", { workspace });
  assertEquals(created, true);
});

test("a window with a floating pane is written so that it can be made again", async ({ world, client }) => {
  if (!await world.isTmux(3, 7)) return;
  const { sessionId, paneId } = await client.ok("create-session", { name: "floating" });
  await client.ok("split-pane", { paneId });
  await world.tmux("new-pane", "-t", paneId, "cat");
  const text = await client.ok("freeze-workspace", { sessionId, format: "json" });
  const { created } = await client.ok("apply-workspace", {
    workspace: { ...JSON.parse(text), session_name: "again" },
  });
  assertEquals([created, (await client.ok("list-panes", { sessionId: "again" })).panes.length], [true, 3]);
});
