// Hooks of the user's that print or fail: what they print is in no answer.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { WAYS } from "../support/watching.ts";
import type { TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("hooks that print");

type Place = { sessionId: string; windowId: string; paneId: string };

test("what hooks print gets into no answer", async ({ world, client }) => {
  const place = await client.ok("create-session", { name: "before" });
  for (const hook of await afterHooks(world)) {
    await world.tmux("set-hook", "-g", `${hook}[7]`, "display-message -p PRINTED");
  }
  await assertNotPrinted(client, callsOn(place));
});

test("what a session's own hooks print gets into no answer", async ({ world, client }) => {
  const place = await client.ok("create-session", { name: "before" });
  const hooks = ["capture-pane", "display-message", "show-environment", "show-options"];
  for (const name of hooks) {
    await world.tmux("set-hook", "-t", place.sessionId, `after-${name}`, "display-message -p PRINTED");
  }
  await assertNotPrinted(client, readsOf(place));
});

test("a hook that fails fails no read", async ({ world, client }) => {
  const place = await client.ok("create-session", { name: "before" });
  for (const hook of ["after-capture-pane", "after-display-message", "after-show-options"]) {
    await world.tmux("set-hook", "-g", hook, "select-window -t :99");
  }
  await assertNotPrinted(client, readsOf(place));
});

test("a hook that fails fails no call", async ({ world, client }) => {
  const place = await client.ok("create-session", { name: "before" });
  // That one would fail this test's own commands.
  const hooks = (await afterHooks(world)).filter((hook) => hook !== "after-set-hook");
  for (const hook of hooks) await world.tmux("set-hook", "-g", hook, "select-window -t :99");
  await assertNotPrinted(client, callsOn(place));
});

test("hooks that print while clients of ours come and go leave tmux running", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const pid = await world.tmux("list-sessions", "-F", "#{pid}");
  for (const hook of ["after-refresh-client", "after-display-message", "after-select-pane"]) {
    await world.tmux("set-hook", "-g", hook, "run-shell 'sleep 0.05; echo PRINTED'");
  }
  const { panes: [{ id: paneId }] } = await client.ok("list-panes");
  for (let times = 0; times < 5; times++) {
    const { event } = await client.ok("watch-pane", { paneId, triggers: "idle:0.01", timeout: 20 });
    assertEquals(event, "idle:0.01");
    await world.tmux("send-keys", "-t", paneId, "x", "Enter");
    // The hook of this one ends later than those of the client that has left.
    await client.ok("select-pane", { paneId });
  }
  assertEquals(await world.tmux("list-sessions", "-F", "#{pid}"), pid);
});

test("a view of what hooks print is left for typing, unless a person sees it", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "one", command: "exec bash --norc" });
  const mode = async () => (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_mode}")).trim();
  // tmux 3.3 and 3.4 show what a hook prints in the pane used last, others only with -t.
  const print = async () => {
    await world.tmux("run-shell", "-t", paneId, "echo PRINTED");
    assertEquals(await mode(), "view-mode");
  };
  await print();
  assertEquals((await client.ok("execute-command", { paneId, command: "echo typed" })).output, "typed");
  await print();
  await client.ok("send-keys", { paneId, keys: "true", enter: true });
  assertEquals(await mode(), "");
  await using _person = await PersonAtTerminal.attach(world, { session: "one" });
  await print();
  for (
    const [tool, args] of [["execute-command", { command: "true" }], ["send-keys", { keys: "x" }]] as const
  ) {
    assertEquals((await client.fails(tool, { paneId, ...args })).code, "busy", tool);
  }
  assertEquals(await mode(), "view-mode");
});

const unattached = inTurnOnOneServer(
  "hooks that print, without attaching",
  (world) => world.serve({ args: WAYS["without attaching"]! }),
);
for (const declare of [test, unattached]) {
  declare("what hooks print is not drawn at a prompt that is typed at", async ({ world, client }) => {
    const { paneId } = await client.ok("create-session", { command: "exec env PS1='$ ' bash --norc" });
    for (const hook of ["after-capture-pane", "after-display-message", "after-list-panes"]) {
      await world.tmux("set-hook", "-g", hook, "display-message -p PRINTED");
    }
    for (const command of ["echo one", "echo two"]) await client.ok("execute-command", { paneId, command });
    const screen = await world.tmux("capture-pane", "-p", "-t", paneId);
    assertEquals(screen.trimEnd().split(/\n+/), ["$ echo one", "one", "$ echo two", "two", "$", "PRINTED"]);
  });
}

async function afterHooks(world: World): Promise<string[]> {
  const listed = (await world.tmux("show-hooks", "-g")).split("\n").map((line) => line.split(/[ [*]/)[0]!);
  return listed.filter((name) => name.startsWith("after-"));
}

async function assertNotPrinted(
  client: TestClient,
  calls: readonly [string, Record<string, unknown>][],
): Promise<void> {
  for (const [tool, args] of calls) {
    const answer = await client.call(tool, args);
    const said = JSON.stringify(answer);
    assertEquals([tool, answer.isError ?? false, said.includes("PRINTED")], [tool, false, false], said);
  }
}

/** Reads whose text tmux prints with no row around it. */
function readsOf({ sessionId, paneId }: Place): [string, Record<string, unknown>][] {
  return [
    ["capture-pane", { paneId }],
    ["capture-since", { paneId }],
    ["snapshot-pane", { paneId }],
    ["search-panes", { pattern: "root" }],
    ["pane-state", { paneId }],
    ["expand-format", { paneId, format: "#{pane_id}" }],
    ["show-environment", { sessionId }],
    ["show-option", { option: "history-limit", scope: "session", target: sessionId }],
  ];
}

function callsOn(place: Place): [string, Record<string, unknown>][] {
  const { sessionId, windowId, paneId } = place;
  return [
    ["create-session", { name: "new" }],
    ["create-session", { command: "cat" }],
    ["create-window", { sessionId, name: "new" }],
    ["split-pane", { paneId }],
    ["list-sessions", {}],
    ["list-windows", {}],
    ["list-panes", {}],
    ["list-clients", {}],
    ["get-session-info", { sessionId }],
    ["get-window-info", { windowId }],
    ["get-pane-info", { paneId }],
    ["rename-session", { sessionId, newName: "after" }],
    ["rename-window", { windowId, newName: "after" }],
    ["rename-pane", { paneId, title: "after" }],
    ["select-layout", { windowId, layout: "tiled" }],
    ["select-window", { windowId }],
    ["select-pane", { paneId }],
    ["resize-window", { windowId, width: 90, height: 30 }],
    ["resize-pane", { paneId, height: 10 }],
    ["zoom-pane", { paneId }],
    ["set-buffer", { name: "b", content: "text" }],
    ["append-buffer", { name: "b", content: "more" }],
    ["list-buffers", {}],
    ["show-buffer", { name: "b" }],
    ["save-buffer", { name: "b", path: "saved" }],
    ["load-buffer", { name: "b", path: "saved" }],
    ["search-buffer", { buffer: "b", query: "text" }],
    ["rename-buffer", { from: "b", to: "c" }],
    ["paste-buffer", { paneId, name: "c" }],
    ["delete-buffer", { name: "c" }],
    ["send-keys", { paneId, keys: "C-u", literal: false }],
    ["enter-copy-mode", { paneId }],
    ["exit-copy-mode", { paneId }],
    ["set-option", { option: "@mine", value: "x", global: true }],
    ["show-option", { option: "@mine", global: true }],
    ...readsOf(place),
    ["execute-command", { paneId, command: "echo done" }],
    ["start-and-watch", { command: "echo ready" }],
    ["break-pane", { paneId }],
    ["get-server-info", {}],
  ];
}
