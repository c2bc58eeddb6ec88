// Every tool of the groups that create, split, rename and move, under the switch that disables them.
import { assertEquals } from "@std/assert";
import { tools } from "../../src/tools/all.ts";
import type { Group } from "../../src/tool.ts";
import type { Attempt, Call, Stage, Table } from "./stage.ts";

type Calls = Readonly<Record<string, readonly Call[]>>;

function attempts(calls: Calls): Attempt[] {
  return Object.entries(calls).map(([name, each]) => ({ name, calls: () => each }));
}

/** The tools of a group are all attempted, or named as what the switch does not stop. */
function checkWhole(group: Group, { attempts }: Table, stage: Stage): void {
  const called = new Set(attempts.flatMap(({ calls }) => calls(stage).map(([tool]) => tool)));
  const missing = tools.filter(({ name, groups }) => groups.includes(group) && !called.has(name));
  assertEquals(missing.map(({ name }) => name), []);
}

const WORKSPACE = { "session_name": "w", windows: [{ panes: ["true"] }] };
const NAMES = "#{session_name} #{window_name} #{pane_title}";
const PLACES = "#{session_name} #{window_id} #{pane_id} #{pane_in_mode} #{window_active} #{pane_width}";

export const creating: Table = {
  policy: "allow_create",
  settings: `[security]\nallow_create = false\n[server]\nsafety = "destructive"`,
  denied: /security\.allow_create = false/,
  attempts: attempts({
    "a session": [["create-session", { name: "n" }]],
    "the session that is there": [["create-session", { name: "in" }]],
    "a window": [["create-window", { sessionId: "in" }]],
    "a session for a command": [["start-and-watch", { command: "true" }]],
    "a session for services": [["ensure-service", { name: "s", command: "true", timeout: 0 }]],
    "a workspace": [["apply-workspace", { workspace: WORKSPACE }]],
    "a workspace in a session that is there": [
      ["apply-workspace", { workspace: { ...WORKSPACE, "session_name": "in" } }],
    ],
    "a call among others": [
      ["call-tools", { calls: [{ tool: "create-session", arguments: { name: "n" } }] }],
      [
        "create-session",
        {},
      ],
    ],
  }),
  async proof(stage) {
    checkWhole("create", creating, stage);
    const { client, world, inside } = stage;
    assertEquals(await world.tmux("list-windows", "-a", "-F", "#{session_name}"), "in\nout\n");
    const { paneId } = await client.ok("split-pane", { paneId: inside, command: "cat" });
    await client.ok("break-pane", { paneId });
  },
};

export const splitting: Table = {
  policy: "allow_split",
  settings: `[security]\nallow_split = false`,
  denied: /security\.allow_split = false/,
  attempts: attempts({
    "a pane": [["split-pane", { paneId: "%0" }]],
    "a workspace": [["apply-workspace", { workspace: WORKSPACE }]],
  }),
  async proof(stage) {
    checkWhole("split", splitting, stage);
    assertEquals((await stage.world.tmux("list-panes", "-a")).trim().split("\n").length, 2);
    await stage.client.ok("create-window", { sessionId: "in", command: "cat" });
  },
};

export const renaming: Table = {
  policy: "allow_rename",
  settings: `[security]\nallow_rename = false`,
  denied: /security\.allow_rename = false/,
  attempts: attempts({
    "a session": [["rename-session", { sessionId: "in", newName: "n" }]],
    "a window": [["rename-window", { windowId: "@0", newName: "n" }]],
    "a pane": [["rename-pane", { paneId: "%0", title: "n" }]],
  }),
  async proof(stage) {
    checkWhole("rename", renaming, stage);
    const names = (await stage.world.tmux("list-panes", "-a", "-F", NAMES)).split("\n");
    assertEquals(names.filter((name) => name.split(" ").includes("n")), []);
  },
};

/** Windows of a workspace for the session "in", with the key that a denial says to leave out. */
const ARRANGING = Object.entries({
  focus: { "window_name": "f", focus: true, panes: [""] },
  layout: { "window_name": "shell", layout: "tiled", panes: ["", "", ""] },
}).map(([key, window]): Attempt => ({
  name: `a workspace's ${key}`,
  calls: () => [["apply-workspace", { workspace: { "session_name": "in", windows: [window] } }]],
  denied: new RegExp(`Cannot take ${key}: security\\.allow_move = false\\. Leave ${key} out, or ask`),
}));

export const moving: Table = {
  policy: "allow_move",
  settings: `[security]\nallow_move = false`,
  denied: /security\.allow_move = false/,
  async furnish({ world }) {
    await world.tmux("rename-window", "-t", "@0", "shell");
    await world.tmux("split-window", "-d", "-t", "%0", "cat");
    await world.tmux("new-window", "-d", "-t", "in:", "cat");
    // tmux 3.2 makes the first window of a session 80 columns wide, whatever -x says.
    for (const window of ["@0", "@1"]) await world.tmux("resize-window", "-t", window, "-x", "100");
  },
  attempts: attempts({
    "another window": [["select-window", { windowId: "@2" }]],
    "another pane": [["select-pane", { paneId: "%2" }]],
    "a window elsewhere": [["move-window", { windowId: "@2", targetSessionId: "out" }]],
    "a pane elsewhere": [["join-pane", { sourcePaneId: "%2", targetPaneId: "%1" }]],
    "a pane of its own": [["break-pane", { paneId: "%2" }]],
    "two panes": [["swap-pane", { sourcePaneId: "%0", targetPaneId: "%2" }]],
    "a pane's size": [["resize-pane", { paneId: "%0", height: 5 }]],
    "a window's size": [["resize-window", { windowId: "@0", width: 90 }]],
    "a zoom": [["zoom-pane", { paneId: "%0" }]],
    "a layout": [["select-layout", { windowId: "@0", layout: "tiled" }]],
    "panes together": [["set-synchronize-panes", { windowId: "@0", enabled: true }]],
    "copy mode": [["enter-copy-mode", { paneId: "%0" }]],
    "the end of copy mode": [["exit-copy-mode", { paneId: "%0" }]],
    "the windows after a new one": [["create-window", {
      sessionId: "in",
      command: "cat",
      direction: "before",
    }]],
    "a new window, as the current one": [["create-window", {
      sessionId: "in",
      command: "cat",
      attach: true,
    }]],
  }).concat(ARRANGING),
  async proof(stage) {
    checkWhole("move", moving, stage);
    assertEquals((await stage.world.tmux("list-panes", "-a", "-F", PLACES)).split("\n"), [
      "in @0 %0 0 1 100",
      "in @0 %2 0 1 100",
      "in @2 %3 0 0 100",
      "out @1 %1 0 1 100",
      "",
    ]);
    await stage.client.ok("set-option", { option: "synchronize-panes", value: "on", target: "@2" });
  },
};

export const raw: Table = {
  policy: "allow_raw_mode",
  settings: `[security]\nallow_raw_mode = false`,
  denied: /security\.allow_raw_mode = false/,
  attempts: ["rawMode", "noEnter"].map((parameter) => ({
    name: parameter,
    calls: ({ inside, canary }) => [
      ["execute-command", { paneId: inside, command: `touch ${canary}\r`, [parameter]: true }],
    ],
  })),
  async proof({ client, inside }) {
    await client.ok("send-keys", { paneId: inside, keys: "true", enter: true });
  },
};
