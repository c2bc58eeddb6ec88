// Errors of calls under a policy, and where tmux itself says little.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("answers under a policy");
const SESSIONS = ["--allowed-sessions", "in,in2,tmux-mcp-services"];
const scoped = inTurnOnOneServer("under a scope of sessions", (world) => world.serve({ args: SESSIONS }));
/** Each step's first pane has this id: its tmux is new. */
const FIRST_PANE = "%0";
const inPane = inTurnOnOneServer(
  "under a scope of one pane",
  (world) => world.serve({ env: { TMUX_MCP_ALLOWED_PANES: FIRST_PANE } }),
);

async function session(world: World, name: string, command = "cat"): Promise<string> {
  return (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, command)).trim();
}

scoped(
  "the end of a pane in it is reported, although the pane is in no scope any more",
  async ({ world, client }) => {
    const paneId = await session(world, "in", "read x");
    await session(world, "out");
    const { watchId } = await client.ok("watch-pane", { paneId, triggers: "exit", background: true });
    await world.tmux("send-keys", "-t", paneId, "Enter");
    const { events } = await client.ok("watch-events", { waitSeconds: 60 });
    assertEquals(events.map((event: { watchId: string; paneId: string }) => [event.watchId, event.paneId]), [[
      watchId,
      paneId,
    ]]);
  },
);

scoped(
  "the result of what has begun is shown, although its session has another name then",
  async ({ world, client }) => {
    const paneId = await session(world, "in", "bash --norc");
    const watchedId = await session(world, "in2");
    const triggers = "pattern:^over";
    await client.ok("watch-pane", { paneId, triggers, background: true });
    const watched = client.ok("watch-pane", { paneId: watchedId, triggers });
    await until(async () => (await client.ok("watch-events", { limit: 0 })).active.length === 2);
    const command = `tmux rename-session -t in out; tmux rename-session -t in2 out2; echo over`;
    assertEquals((await client.ok("execute-command", { paneId, command })).output, "over");
    await world.tmux("send-keys", "-t", watchedId, "over", "Enter");
    assertEquals((await watched).event, triggers);
    const { events } = await client.ok("watch-events", { waitSeconds: 60 });
    assertEquals(events.map((event: { paneId: string }) => event.paneId), [paneId]);
    assertEquals((await client.fails("capture-pane", { paneId })).code, "denied");
  },
);

scoped(
  "events and results are shown to a call for another tmux server with the same ids",
  async ({ world, client }) => {
    await using other = await World.create();
    await session(world, "out", "cat");
    await session(world, "in");
    const there = { paneId: await session(other, "in", "bash --norc"), socket: other.socket };
    await client.ok("watch-pane", { ...there, triggers: "pattern:^over", background: true });
    const { commandId, paneId } = await client.ok("execute-command", { ...there, command: "echo over" });
    assertEquals((await client.ok("get-command-result", { commandId })).output, "over");
    const calls = [{ tool: "watch-events", arguments: { waitSeconds: 60 } }];
    const { results: [{ result }] } = await client.ok("call-tools", { calls });
    assertEquals(result.events.map((event: { paneId: string }) => event.paneId), [paneId]);
  },
);

scoped("a call returns what it did to a pane that is gone or elsewhere then", async ({ world, client }) => {
  const paneId = await session(world, "in");
  await client.ok("ensure-service", { name: "web", command: "echo up; sleep 600", pattern: "^up" });
  assertEquals((await client.ok("stop-service", { name: "web" })).stopped, true);

  // As if a program ended at once, and a person renamed the session as a key was pressed.
  const then = {
    "new-window": "kill-window",
    "split-window": "kill-pane",
    "send-keys": "rename-session out",
  };
  for (const [after, does] of Object.entries(then)) {
    await world.tmux("set-hook", "-g", `after-${after}`, does);
  }
  assertMatch((await client.ok("create-window", { sessionId: "in", command: "cat" })).paneId, /^%/);
  assertMatch((await client.ok("split-pane", { paneId, command: "cat" })).paneId, /^%/);
  assertEquals((await client.ok("send-enter", { paneId })).paneId, paneId);
  assertEquals(await world.tmux("list-sessions", "-F", "#{session_name}"), "out\n");
});

Deno.test("under a scope the panes that a call makes are in scope, and those that it found stay out", async () => {
  await using world = await World.create();
  const paneId = await session(world, "in");
  await world.tmux("split-window", "-t", "in", "cat");
  const config = `${world.folder}/config.toml`;
  const lists = `allowed_sessions = ["in", "made", "new"]\nallowed_panes = ["${paneId}"]`;
  await Deno.writeTextFile(config, `[security]\n${lists}\n`);
  const client = await world.serve({ args: ["--config", config] });
  assertEquals((await client.fails("create-session", { name: "in" })).code, "denied");
  assertEquals((await client.fails("send-keys", { paneId: "%1", keys: "x" })).code, "denied");

  const workspace = { ["session_name"]: "made", windows: [{ panes: ["cat", "cat"] }, { panes: ["cat"] }] };
  const { windows } = await client.ok("apply-workspace", { workspace });
  const made: string[] = windows.flatMap((each: { panes: { paneId: string }[] }) =>
    each.panes.map((pane) => pane.paneId)
  );
  assertEquals(made.length, 3);
  made.push((await client.ok("create-session", { name: "new", command: "cat" })).paneId);
  for (const each of made) await client.ok("send-keys", { paneId: each, keys: "x" });
});

for (const [declare, windows] of [[scoped, 3], [inPane, 2]] as const) {
  declare(
    "a session's windows are counted as they are listed: once for each link",
    async ({ world, client }) => {
      await session(world, "in");
      await world.tmux("new-window", "-d", "-t", "in:", "cat");
      await world.tmux("link-window", "-d", "-s", "in:0", "-t", "in:5");
      const { sessions } = await client.ok("list-sessions");
      const listed = (await client.ok("list-windows", { sessionId: "in" })).windows;
      assertEquals([sessions[0].windows, listed.length], [windows, windows]);
    },
  );
}

Deno.test("the tools for prompts can be named in settings", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--prompts-as-tools"], env: { TMUX_MCP_TOOLS: "get-prompt" } });
  assertMatch(
    (await client.fails("get-prompt", { name: "run-and-wait" })).text,
    /security\.tools denies get-prompt/,
  );
  assert((await client.ok("list-prompts")).prompts.length > 0);
});

test("a window moved to where it is stays there", async ({ world, client }) => {
  await session(world, "a");
  const { index } = await client.ok("get-window-info", { windowId: "@0" });
  assertEquals((await client.ok("move-window", { windowId: "@0", targetIndex: index })).index, index);
});

test("a value that an option does not take is an error with a hint", async ({ world, client }) => {
  await session(world, "a");
  for (
    const [option, value] of [["status", "maybe"], ["history-limit", "x"], ["prefix", "foo"], [
      "status-bg",
      "nope",
    ]]
  ) {
    const { code, text, hint } = await client.fails("set-option", { option, value, global: true });
    assertEquals(code, "invalid-argument");
    assert(text.includes(value!) && hint !== undefined, `${text} ${hint}`);
  }
});

test("a server without a scope and one under it", async ({ world, client }, t) => {
  await session(world, "in");
  await session(world, "out");
  const under = await world.serve({ args: ["--allowed-sessions", "in"] });

  await t.step("policy and tmux report missing objects in the same words", async () => {
    for (
      const [tool, args] of [["get-pane-info", { paneId: "%99" }], ["get-session-info", {
        sessionId: "none",
      }]] as const
    ) {
      assertEquals(await client.fails(tool, args), await under.fails(tool, args));
    }
  });

  await t.step("under a scope a server has the sessions in it, and no others are counted", async () => {
    assertEquals((await under.ok("get-server-info")).sessions, 1);
    assertEquals((await under.ok("get-current-session")).name, "in");
    assertEquals((await client.ok("get-server-info")).sessions, 2);
  });
});

scoped("no session is the current one where none is in it", async ({ world, client }) => {
  await session(world, "out");
  assertEquals((await client.fails("get-current-session")).code, "not-found");
});

inPane(
  "which other pane is active is hidden, and sessions without a pane in it",
  async ({ world, client }) => {
    const paneId = await session(world, "in");
    await world.tmux("split-window", "-t", "in", "cat");
    await session(world, "out");
    const shown = async () =>
      [
        ...(await client.ok("list-windows")).windows,
        ...(await client.ok("list-sessions")).sessions,
        await client.ok("get-window-info", { windowId: "@0" }),
        await client.ok("get-session-info", { sessionId: "in" }),
        await client.ok("get-current-session"),
      ].map(({ id, activePaneId }) => [id, activePaneId]);
    const ids = ["@0", "$0", "@0", "$0", "$0"];
    assertEquals(await shown(), ids.map((id) => [id, undefined]));
    await world.tmux("select-pane", "-t", paneId);
    assertEquals(await shown(), ids.map((id) => [id, paneId]));
    const layoutOf = async () => (await client.ok("get-window-info", { windowId: "@0" })).layout;
    assertEquals(await layoutOf(), undefined);
    assertEquals((await client.ok("get-server-info")).sessions, 1);
    const { servers } = await client.ok("list-servers", { extraSocketPaths: [world.socket] });
    assertEquals(servers.map(({ sessions }: { sessions: number }) => sessions), [1]);
  },
);
