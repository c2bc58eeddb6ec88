// Objects of others stay theirs: whatever is put into them, wherever they are moved, and whatever comes after them.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("ownership");
const scoped = inTurnOnOneServer(
  "ownership, where one session is in scope",
  (world) => world.serve({ args: ["--allowed-sessions", "in"] }),
);
const withoutKill = inTurnOnOneServer(
  "ownership, with allow_kill = false",
  (world) => world.serve({ args: ["--no-allow-kill", "--safety", "destructive"] }),
);

async function personsPane(
  world: World,
  session: string,
  command = "cat",
): Promise<{ paneId: string; windowId: string }> {
  const format = "#{pane_id} #{window_id}";
  const made = await world.tmux("new-session", "-d", "-P", "-F", format, "-s", session, command);
  const [paneId = "", windowId = ""] = made.trim().split(" ");
  return { paneId, windowId };
}

const destructives = new WeakMap<World, Promise<TestClient>>();

/** A second server that may end what others made, one for all tests. */
async function destructiveOn(world: World): Promise<TestClient> {
  const client = destructives.get(world) ?? world.serve({ args: ["--safety", "destructive"] });
  destructives.set(world, client);
  return await client;
}

async function denied(client: TestClient, tool: string, args: Record<string, unknown>): Promise<void> {
  const { code, text } = await client.fails(tool, args);
  assertEquals([tool, code], [tool, "denied"], text);
}

const MOVES: Readonly<
  Record<string, (client: TestClient, person: { paneId: string; windowId: string }) => Promise<string>>
> = {
  async "join-pane"(client, { paneId }) {
    const ours = await client.ok("create-session", { name: "ours", command: "cat" });
    await client.ok("join-pane", { sourcePaneId: paneId, targetPaneId: ours.paneId });
    return ours.windowId;
  },
  async "swap-pane"(client, { paneId }) {
    const ours = await client.ok("create-session", { name: "ours", command: "cat" });
    await client.ok("swap-pane", { sourcePaneId: ours.paneId, targetPaneId: paneId });
    return ours.windowId;
  },
  async "swap-pane the other way"(client, { paneId }) {
    const ours = await client.ok("create-session", { name: "ours", command: "cat" });
    await client.ok("swap-pane", { sourcePaneId: paneId, targetPaneId: ours.paneId });
    return ours.windowId;
  },
  async "break-pane, from a window that is moved there and back"(client, { paneId, windowId }) {
    await client.ok("create-session", { name: "ours", command: "cat" });
    await client.ok("move-window", { windowId, targetSessionId: "ours" });
    const broken = await client.ok("break-pane", { paneId });
    await client.ok("move-window", { windowId, targetSessionId: "person" });
    return broken.id;
  },
  async "move-window"(client, { windowId }) {
    await client.ok("create-session", { name: "ours", command: "cat" });
    await client.ok("move-window", { windowId, targetSessionId: "ours" });
    return windowId;
  },
  async "move-window, with a pane of ours in it"(client, { windowId, paneId }) {
    await client.ok("create-session", { name: "ours", command: "cat" });
    const { paneId: split } = await client.ok("split-pane", { paneId, command: "cat" });
    await client.ok("select-pane", { paneId: split });
    await client.ok("move-window", { windowId, targetSessionId: "ours" });
    return windowId;
  },
};

for (const [name, move] of Object.entries(MOVES)) {
  test(`a person's pane that came into a session of ours by ${name} is not ended with it`, async ({ world, client }) => {
    const person = await personsPane(world, "person");
    await world.tmux("split-window", "-d", "-t", person.paneId, "cat");
    await world.tmux("new-window", "-d", "-t", "person:", "cat");
    const windowId = await move(client, person);
    await denied(client, "kill-session", { sessionId: "ours" });
    await denied(client, "kill-window", { windowId });
    await denied(client, "kill-pane", { paneId: person.paneId });
    assert((await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).includes(person.paneId));
    await (await destructiveOn(world)).ok("kill-session", { sessionId: "ours" });
  });
}

test("a session ends with its last window only where it is ours, wherever the window goes", async ({ world, client }) => {
  const { windowId, paneId } = await personsPane(world, "person");
  const ours = await client.ok("create-session", { name: "ours", command: "cat" });
  const other = await client.ok("create-session", { name: "other", command: "cat" });
  await denied(client, "move-window", { windowId, targetSessionId: "ours" });
  await denied(client, "join-pane", { sourcePaneId: paneId, targetPaneId: ours.paneId });
  assertMatch(await world.tmux("list-sessions", "-F", "#{session_name}"), /person/);
  await client.ok("move-window", { windowId, targetIndex: 7 });
  await client.ok("move-window", { windowId: other.windowId, targetSessionId: "person" });
  await client.ok("move-window", { windowId, targetSessionId: "ours" });
  await client.ok("join-pane", { sourcePaneId: ours.paneId, targetPaneId: other.paneId });
  await (await destructiveOn(world)).ok("move-window", { windowId: other.windowId, targetSessionId: "ours" });
  assertEquals(await world.tmux("list-sessions", "-F", "#{session_name}"), "ours\n");
});

test("a person's session does not end with the last pane of ours in it", async ({ world, client }) => {
  const ours = await client.ok("create-session", { name: "beside", command: "cat" });
  const byPane = await personsPane(world, "by-pane");
  const split = await client.ok("split-pane", { paneId: byPane.paneId, command: "cat" });
  await client.ok("join-pane", { sourcePaneId: byPane.paneId, targetPaneId: ours.paneId });
  await denied(client, "kill-pane", { paneId: split.paneId });
  const byWindow = await personsPane(world, "by-window");
  const window = await client.ok("create-window", { sessionId: "by-window", command: "cat" });
  await client.ok("move-window", { windowId: byWindow.windowId, targetSessionId: "beside" });
  await denied(client, "kill-window", { windowId: window.windowId });
  await personsPane(world, "by-service");
  const { paneId } = await client.ok("ensure-service", { name: "moved", command: "sleep 600", timeout: 0 });
  await world.tmux("move-window", "-k", "-s", paneId, "-t", "=by-service:0");
  await denied(client, "stop-service", { name: "moved" });
  const names = (await world.tmux("list-sessions", "-F", "#{session_name}")).split("\n");
  for (const name of ["by-pane", "by-window", "by-service"]) assert(names.includes(name), name);
  // These calls end no session.
  await client.ok("clear-pane", { paneId: split.paneId });
  await client.ok("respawn-pane", { paneId: split.paneId, command: "cat" });
});

Deno.test("each of two instances stops its own services, whichever began their session", async () => {
  await using world = await World.create();
  await personsPane(world, "person");
  const [a, b] = [
    await world.serve({ args: ["--instance", "a"] }),
    await world.serve({ args: ["--instance", "b"] }),
  ];
  const service = { command: "echo up; sleep 600", pattern: "^up" };
  await a.ok("ensure-service", { ...service, name: "x" });
  const { sessionId } = await b.ok("ensure-service", { ...service, name: "y" });
  await denied(a, "stop-service", { name: "y" });
  await denied(b, "kill-session", { sessionId });
  await a.ok("stop-service", { name: "x" });
  await denied(a, "stop-service", { name: "y" });
  assertEquals((await b.ok("stop-service", { name: "y" })).stopped, true);
});

test("a session whose name looks like the id of a window or pane is owned for itself", async ({ world, client }) => {
  const ours = await client.ok("create-session", { name: "ours", command: "cat" });
  const gone = await client.ok("create-session", { name: "gone", command: "cat" });
  for (const name of [ours.windowId, ours.paneId]) {
    await personsPane(world, name);
    await denied(client, "kill-session", { sessionId: name });
  }
  await client.ok("kill-session", { sessionId: "gone" });
  for (const name of [gone.windowId, gone.paneId, "@99"]) {
    await client.ok("create-session", { name, command: "cat" });
    await client.ok("kill-session", { sessionId: name });
  }
});

test("panes of ours that are moved about stay ours, and their session is ended with all that was made in it", async ({ world, client }) => {
  await personsPane(world, "person");
  const ours = await client.ok("create-session", { name: "ours", command: "cat" });
  const { paneId } = await client.ok("split-pane", { paneId: ours.paneId, command: "cat" });
  const { id: windowId } = await client.ok("break-pane", { paneId });
  await client.ok("create-session", { name: "second", command: "cat" });
  await client.ok("move-window", { windowId, targetSessionId: "second" });
  await client.ok("join-pane", { sourcePaneId: paneId, targetPaneId: ours.paneId });
  await world.tmux("split-window", "-d", "-t", ours.paneId, "cat");
  await client.ok("kill-session", { sessionId: "second" });
  await client.ok("kill-session", { sessionId: "ours" });
});

test("a window that a pane of ours is moved to is ours, unless it was there before", async ({ world, client }) => {
  const { paneId, windowId } = await personsPane(world, "person");
  const ours = await client.ok("split-pane", { paneId, command: "cat" });
  const second = await client.ok("split-pane", { paneId, command: "cat" });
  const made = await client.ok("break-pane", { paneId: ours.paneId });
  await client.ok("kill-window", { windowId: made.id });
  const theirs = await client.ok("break-pane", { paneId });
  await denied(client, "kill-window", { windowId: theirs.id });
  // Now the person's first window has only a pane of ours.
  for (const name of ["current", "another"]) {
    assertEquals((await client.ok("break-pane", { paneId: second.paneId, name })).id, windowId);
    await denied(client, "kill-window", { windowId });
    await world.tmux("new-window", "-t", "=person:", "cat");
  }
});

test("a buffer is ours for as long as it is the one that was set", async ({ world, client }) => {
  await personsPane(world, "in");
  await client.ok("set-buffer", { name: "mine", content: "one" });
  await world.tmux("delete-buffer", "-b", "mine");
  await world.tmux("set-buffer", "-b", "mine", "a person's own");
  await denied(client, "delete-buffer", { name: "mine" });
  for (
    const [tool, args] of [
      ["set-buffer", { content: "over it" }],
      ["append-buffer", { content: "more" }],
      ["append-buffer", { content: "x".repeat(20_000) }],
    ] as const
  ) {
    await client.ok(tool, { name: "mine", ...args });
    await denied(client, "delete-buffer", { name: "mine" });
  }
  await client.ok("set-buffer", { name: "new", content: "one" });
  await client.ok("append-buffer", { name: "new", content: " two" });
  await client.ok("rename-buffer", { from: "new", to: "renamed" });
  await client.ok("delete-buffer", { name: "renamed" });
});

test("a pane that becomes a service after the decision to stop it is decided on too", async ({ world, client }) => {
  const person = (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "cat")).trim();
  await client.ok("list-services");
  // The decision is made on a list of panes.
  const claim = `set-hook -gu after-list-panes ; set-option -p -t '${person}' @tmux_mcp_service web`;
  await world.tmux("set-hook", "-g", "after-list-panes", claim);
  const { code, text } = await client.fails("stop-service", { name: "web" });
  assertEquals([code, text.includes(person)], ["denied", true], text);
  assertEquals(
    await world.tmux("list-panes", "-a", "-F", "#{pane_id} #{@tmux_mcp_service}"),
    `${person} web\n`,
  );
});

scoped(
  "with allowed_sessions a person's buffer is not read for the name of one that was ours",
  async ({ world, client }) => {
    await personsPane(world, "in");
    await client.ok("set-buffer", { name: "buffer0", content: "ours" });
    assertEquals(await client.ok("show-buffer", { name: "buffer0" }), "ours");
    await client.ok("delete-buffer", { name: "buffer0" });
    await world.tmux("set-buffer", "-b", "buffer0", "SECRET of a person");
    await denied(client, "show-buffer", { name: "buffer0" });
    assertEquals((await client.ok("list-buffers")).buffers, []);
  },
);

scoped("break-pane moves the link of the session in scope, and no other's", async ({ world, client }) => {
  const { paneId, windowId } = await personsPane(world, "in");
  await world.tmux("new-window", "-d", "-t", "=in:", "cat");
  await world.tmux("new-session", "-d", "-s", "out", "cat");
  await world.tmux("link-window", "-d", "-s", windowId, "-t", "=out:7");
  await world.tmux("select-window", "-t", "=out:7");
  await client.ok("break-pane", { paneId });
  assertMatch(
    await world.tmux("list-windows", "-t", "=out:", "-F", "#{window_index} #{window_id}"),
    /^7 @0$/m,
  );
});

scoped("no pane leaves a window that a session out of scope shares", async ({ world, client }) => {
  const { paneId } = await personsPane(world, "in");
  const shared = await personsPane(world, "out");
  await world.tmux("link-window", "-d", "-s", shared.windowId, "-t", "=in:7");
  const moves: [string, string, string][] = [
    ["join-pane", shared.paneId, paneId],
    ["swap-pane", shared.paneId, paneId],
    ["swap-pane", paneId, shared.paneId],
  ];
  for (const [tool, sourcePaneId, targetPaneId] of moves) {
    assertEquals((await client.fails(tool, { sourcePaneId, targetPaneId })).code, "denied");
  }
  await world.tmux("split-window", "-d", "-t", shared.paneId, "cat");
  assertEquals((await client.fails("break-pane", { paneId: shared.paneId })).code, "denied");
  assertMatch(
    await world.tmux("list-panes", "-t", "=out:", "-F", "#{pane_id}"),
    new RegExp(`^${shared.paneId}$`, "m"),
  );
  // A pane may join what is shared: nobody loses one.
  const { paneId: mine } = await client.ok("split-pane", { paneId });
  await client.ok("join-pane", { sourcePaneId: mine, targetPaneId: shared.paneId });
});

test("an option that ends sessions is set on those of ours only", async ({ world, client }) => {
  await personsPane(world, "person");
  const { sessionId, sessionName } = await client.ok("create-session", { name: "ours", command: "cat" });
  for (const target of [sessionId, sessionName]) {
    await client.ok("set-option", { option: "destroy-unattached", value: "off", target });
  }
  const { code } = await client.fails("set-option", {
    ...{ option: "destroy-unattached", value: "on", target: "person" },
  });
  assertEquals(code, "denied");
});

test("no option deletes what a person keeps: buffers, prompts, or the server", async ({ world, client }) => {
  await personsPane(world, "person");
  await world.tmux("set-option", "-g", "buffer-limit", "100");
  for (let n = 0; n < 60; n++) await world.tmux("set-buffer", `clip ${n}`);
  const destroying: [option: string, value: string | null][] = [["buffer-limit", "59"], [
    "buffer-limit",
    null,
  ]];
  for (const [option, value] of destroying) {
    const { code, text } = await client.fails("set-option", { option, value, global: true });
    assertEquals(code, "denied", option);
    assertMatch(text, new RegExp(`destructively set ${option} on the tmux server.*--safety mutating`));
  }
  const workspace = "session_name: w\nglobal_options: {buffer-limit: 1}\nwindows: [{panes: ['']}]";
  assertEquals((await client.fails("apply-workspace", { workspace })).code, "denied");
  await client.ok("set-option", { option: "buffer-limit", value: "60", global: true });
  if (await world.isTmux(3, 3)) {
    await client.ok("set-option", { option: "prompt-history-limit", value: "5", global: true });
  }
  const ends = { option: "exit-unattached", value: "on" };
  assertEquals((await client.fails("set-option", ends)).code, "denied");
  await client.ok("set-option", { ...ends, value: "off" });
  const unset = { option: "destroy-unattached", value: null, target: "person" };
  assertEquals((await client.fails("set-option", unset)).code, "denied");
  assertEquals((await client.ok("list-buffers")).buffers.length, 60);
  await client.ok("set-option", { option: "exit-empty", value: "off" });
  await client.ok("set-option", { option: "exit-empty", value: "on" });
  await client.ok("set-option", { option: "exit-empty", value: "off" });
  await world.tmux("kill-session", "-t", "person");
  assertEquals((await client.fails("set-option", { option: "exit-empty", value: "on" })).code, "denied");
  await world.tmux("kill-server");
});

/** Has a person in the session "person" type two commands at tmux's prompt. */
async function typeAtPrompt(world: World, client: TestClient): Promise<void> {
  await using person = await PersonAtTerminal.attach(world, { session: "person" });
  for (const name of ["b0", "b1"]) {
    await person.press("C-b", ":");
    await person.untilScreen(/^:\s*$/m);
    await person.type(`set-buffer -b ${name} x`);
    // The next look must not find this prompt, still empty on a slow screen.
    await until(async () => !(await client.call("show-buffer", { name })).isError);
  }
}

test("no option deletes what a person typed at tmux's prompt", async ({ world, client }) => {
  if (!await world.isTmux(3, 3)) return;
  await personsPane(world, "person");
  const smaller = { option: "prompt-history-limit", value: "1", global: true };
  await client.ok("set-option", { ...smaller, value: "99" });
  await typeAtPrompt(world, client);
  assertEquals((await client.fails("set-option", smaller)).code, "denied");
  assertMatch(await world.tmux("show-prompt-history"), /1: set-buffer -b b0 x\n2: set-buffer -b b1 x/);
});

test("a smaller history-limit deletes from panes that exist where tmux does so, and then only ours", async ({ world, client }) => {
  const deletes = await world.isTmux(3, 7);
  const { paneId: person } = await personsPane(world, "person", "seq 200; exec cat");
  const { sessionId } = await client.ok("create-session", { name: "ours" });
  await client.ok("wait-for-text", { paneId: person, pattern: "200" });
  const { historySize } = await client.ok("get-pane-info", { paneId: person });
  const smaller = { option: "history-limit", value: "10" };
  await client.ok("set-option", { ...smaller, target: sessionId });
  for (const place of [{ target: "person" }, { global: true }]) {
    const { isError } = await client.call("set-option", { ...smaller, ...place });
    assertEquals(isError ?? false, deletes);
  }
  assertEquals((await client.ok("get-pane-info", { paneId: person })).historySize, historySize);
  await client.ok("set-option", { option: "history-limit", value: "50000", global: true });
});

withoutKill("no option ends sessions either", async ({ world, client }) => {
  await personsPane(world, "person");
  const { code, text } = await client.fails("set-option", {
    ...{ option: "destroy-unattached", value: "on", target: "person" },
  });
  assertEquals(code, "denied");
  assertMatch(text, /security\.allow_kill = false/);
});

withoutKill("no option deletes or ends anything", async ({ world, client }) => {
  await using empty = await World.create();
  const { paneId } = await personsPane(world, "person", "seq 200; exec cat");
  await empty.tmux("new-session", "-d", ";", "set-option", "-s", "exit-empty", "off", ";", "kill-session");
  const fill = Array.from({ length: 3 }, (_, i) => ["set-buffer", `${i}`, ";"]).flat();
  await world.tmux(...fill.slice(0, -1));
  const settings = [
    { option: "buffer-limit", value: "1", global: true },
    { option: "exit-empty", value: "on", global: true, socket: empty.socket },
    ...await world.isTmux(3, 3) ? [{ option: "prompt-history-limit", value: "1", global: true }] : [],
    ...await world.isTmux(3, 7) ? [{ option: "history-limit", value: "10", global: true }] : [],
  ];
  await client.ok("wait-for-text", { paneId, pattern: "200" });
  if (await world.isTmux(3, 3)) await typeAtPrompt(world, client);
  for (const setting of settings) {
    const { code, text } = await client.fails("set-option", setting);
    assertEquals(code, "denied");
    assertMatch(text, /security\.allow_kill = false/);
  }
  const buffers = await world.tmux("list-buffers", "-F", "#{buffer_name}");
  assertEquals(buffers.match(/^buffer\d$/gm)?.length, 3);
  assertEquals(await empty.tmux("display-message", "-p", "#{exit-empty}"), "0\n");
  await client.ok("set-option", { option: "buffer-limit", value: "3", global: true });
});
