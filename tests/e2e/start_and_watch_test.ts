import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("commands that are started and watched");

test("a server is ready when it says so, in a session of its own, and its record continues", async ({ world, client }) => {
  const result = await client.ok("start-and-watch", {
    command: "echo starting; echo listening on 8080; read x; exit 5",
    pattern: "listening on \\d+",
  });
  assertEquals(result.event, "pattern:listening on \\d+");
  assertEquals(result.output, "starting\nlistening on 8080");
  assertMatch(result.sessionId, /^\$\d+$/);
  assertEquals(
    (await client.fails("execute-command", { paneId: result.paneId, command: "true" })).code,
    "busy",
  );
  await world.tmux("send-keys", "-t", result.paneId, "go", "Enter");
  const record = await client.ok("get-command-result", { commandId: result.commandId, waitSeconds: 10 });
  assertEquals([record.status, record.exitCode], ["completed", 5]);
});

test("watching: an instant command is not missed, and its echo is not output", async ({ client }) => {
  const { paneId } = await client.ok("create-session");
  const ready = await client.ok("start-and-watch", { paneId, command: "echo ready", pattern: "ready" });
  assertEquals([ready.event, ready.output], ["pattern:ready", "ready"]);
  const quiet = await client.ok("start-and-watch", {
    paneId,
    command: "true # error: failed",
    triggers: "error,exit",
  });
  assertEquals([quiet.event, quiet.exitCode, quiet.output], ["exit", 0, ""]);
});

test("the watch and the record count the same lines and bytes of a command", async ({ client }) => {
  const { paneId } = await client.ok("create-session");
  const sizes = { "printf abc": 3, "printf 'é\\377\\n'": 5, "printf 'a\\n\\n'": 2, "seq 20": 50, "true": 0 };
  for (const [command, bytes] of Object.entries(sizes)) {
    const watched = await client.ok("start-and-watch", { paneId, command, triggers: "exit" });
    const record = await client.commandResult(watched.commandId);
    assertEquals([watched.totalBytes, record.totalBytes], [bytes, bytes], command);
    assertEquals(watched.totalLines, record.totalLines, command);
  }
});

test("the shell's own prompt is no user_input; a program's question is", async ({ client }) => {
  const { paneId } = await client.ok("create-session");
  const ended = await client.ok("start-and-watch", {
    paneId,
    command: "sleep 0.3",
    triggers: "user_input,exit",
  });
  assertEquals([ended.event, ended.exitCode], ["exit", 0]);
  const asked = await client.ok("start-and-watch", {
    paneId,
    command: "read -s -p 'Password: ' secret",
    triggers: "user_input,exit",
  });
  assertEquals([asked.event, asked.paneState.inputKind], ["user_input", "password"]);
});

test("without triggers a question ends the watch, and the shell's own prompt does not", async ({ world, client }) => {
  const { paneId } = await ShellPane.add(world, client, "bash --norc");
  const asked = await client.ok("start-and-watch", {
    paneId,
    command: "python3 -c 'input(\"Name? \")'",
    timeout: 40,
  });
  assertEquals([asked.event, asked.paneState.inputKind], ["user_input", "line"]);
  await client.ok("send-keys", { paneId, keys: "me", literal: true, enter: true });
  await client.ok("get-command-result", { commandId: asked.commandId, waitSeconds: 20 });
  assertEquals((await client.ok("start-and-watch", { paneId, command: "sleep 0.3" })).event, "exit");
});

test("a shell that reads for its command is not back", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session");
  const watched = client.ok("start-and-watch", {
    paneId,
    command: "echo asks; read x; echo got $x",
    triggers: "pattern:^got,shell",
  });
  await client.ok("wait-for-text", { paneId, pattern: "asks" });
  await client.ok("watch-pane", { paneId, triggers: "idle:0.5" });
  await world.tmux("send-keys", "-t", paneId, "it", "Enter");
  assertEquals((await watched).event, "pattern:^got");
  const back = await client.ok("start-and-watch", { paneId, command: "true", triggers: "shell" });
  assertEquals(back.event, "shell");
});

test("a command that its shell throws away or is replaced with is over for its watch too", async (served) => {
  await ShellPane.forEachOf(served, ["dash -i", "busybox ash", "mksh"], async (pane, shell) => {
    const { client, paneId, world } = pane;
    const command = "/bin/sleep 60; echo never";
    const watch = client.ok("start-and-watch", { paneId, command, triggers: "exit" });
    await pane.untilRunning("sleep");
    await world.tmux("send-keys", "-t", paneId, "C-c");
    const { event, exitCode, commandId } = await watch;
    assertEquals([shell, event, exitCode], [shell, "exit", 130]);
    const record = await client.ok("get-command-result", { commandId, waitSeconds: 10 });
    assertEquals([shell, record.status, record.exitCode], [shell, "completed", 130]);
    assertMatch(record.output, /^\^C$/, shell);
  });
  const { paneId, client } = await ShellPane.add(served.world, served.client, "bash --norc");
  const { event } = await client.ok("start-and-watch", {
    paneId,
    command: "exec zsh -f",
    triggers: "exit",
  });
  assertEquals(event, "exit");
});

test("several watches in the background are read by cursor while the agent works elsewhere", async ({ client }) => {
  const started = [];
  for (const code of [3, 4]) {
    started.push(
      await client.ok("start-and-watch", {
        command: `exit_with() { return ${code}; }; exit_with`,
        background: true,
      }),
    );
  }
  const first = await client.ok("watch-events", { waitSeconds: 10, limit: 1 });
  const second = await client.ok("watch-events", { waitSeconds: 10, cursor: first.cursor });
  const events = [...first.events, ...second.events];
  assertEquals(events.map((event) => event.exitCode).toSorted(), [3, 4]);
  assertEquals(
    events.map((event) => event.watchId).toSorted(),
    started.map((each) => each.watchId).toSorted(),
  );
});

test("a command that cannot start leaves no session behind", async ({ client }) => {
  const { code } = await client.fails("start-and-watch", { command: "echo 'open", timeout: 5 });
  assertEquals(code, "incomplete-command");
  assertEquals(await client.ok("list-sessions"), { sessions: [] });
});

test("a call that is cancelled while its shell starts leaves no session behind", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "mine", "cat");
  await world.tmux("set-option", "-g", "default-command", "sleep 30");
  const stop = new AbortController();
  const call = client.call("start-and-watch", { command: "echo late" }, { signal: stop.signal });
  await until(async () => (await client.ok("list-sessions")).sessions.length === 2);
  stop.abort();
  await call.catch(() => {});
  await until(async () => (await client.ok("list-sessions")).sessions.length === 1);
});

Deno.test("a command that cannot start leaves no watch behind", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--max-watches=1"] });
  const paneId = await new Watching(world, client).shellPane();
  const args = { paneId, triggers: "exit", timeout: 20 };
  const refused = await client.fails("start-and-watch", { ...args, command: "echo 'open" });
  assertEquals(refused.code, "incomplete-command");
  assertEquals((await client.ok("start-and-watch", { ...args, command: "true" })).event, "exit");
});

test("a start that is ready answers in 400 bytes, and in full when it is verbose", async ({ client }) => {
  const command = "exec sh -c 'echo Listening on http://localhost:3000; exec sleep 1000'";
  const ready = await client.ok("start-and-watch", { command, pattern: "Listening" });
  assertEquals(Object.keys(ready.paneState).sort(), [
    "foregroundCmd",
    "isAlive",
    "waitingForInput",
  ]);
  assert(JSON.stringify(ready).length <= 400, JSON.stringify(ready));
  const verbose = await client.ok("watch-pane", {
    paneId: ready.paneId,
    triggers: "exit",
    timeout: 0.2,
    verbose: true,
  });
  assertEquals([typeof verbose.paneState.panePid, typeof verbose.paneState.evidence], ["number", "string"]);
});
