// tmux or the server stopped by a signal: calls that had already begun are answered too, each within its own time, and
// with what happened meanwhile.
import { assertEquals } from "@std/assert";
import { delay } from "../../src/timer.ts";
import { inTurnOnServers } from "../support/one_server.ts";
import { Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnServers(3, "tmux or the server stopped");

/** Longest wait for an answer: each call may ask a stopped tmux a few times, and waits 5 s for it. */
const LIMIT = { timeout: 25_000 };

async function serverPid(world: World): Promise<number> {
  return Number(await world.tmux("display-message", "-p", "#{pid}"));
}

/** Stops the tmux of a world until the scope ends. */
async function stopTmux(world: World): Promise<Disposable> {
  const pid = await serverPid(world);
  Deno.kill(pid, "SIGSTOP");
  return { [Symbol.dispose]: () => Deno.kill(pid, "SIGCONT") };
}

/** Stops a server until `until`, on the clock of `performance.now()`. */
async function stopServer({ transport: { pid } }: TestClient, until: number): Promise<void> {
  Deno.kill(pid!, "SIGSTOP");
  try {
    await delay(until - performance.now());
  } finally {
    Deno.kill(pid!, "SIGCONT");
  }
}

async function eventsOf(client: TestClient, count: number): Promise<string[]> {
  const events: { paneId: string; event: string }[] = [];
  for (const late = performance.now() + 30_000; events.length < count && performance.now() < late;) {
    events.push(...(await client.ok("watch-events", { waitSeconds: 5 })).events);
  }
  return events.map(({ event }) => event).toSorted();
}

test("a server that was stopped at the deadline of its watches reports what happened before", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const gate = `${world.folder}/gate`;
  const scripts = { "exit": "exit 3", "pattern:^x$": "echo x; sleep 60", "user_input": "read word" };
  // Nothing that may take long lies between the first watch and the stop.
  const panes = await Promise.all(
    Object.values(scripts).map((script) =>
      watching.pane(`while [ ! -e ${gate} ]; do sleep 0.05; done; ${script}`)
    ),
  );
  await Promise.all(
    Object.keys(scripts).map((triggers, at) =>
      client.ok("watch-pane", { paneId: panes[at], triggers, timeout: 5, background: true })
    ),
  );
  const stopped = stopServer(client, performance.now() + 5500);
  await Deno.writeTextFile(gate, "");
  await stopped;
  assertEquals(await eventsOf(client, 3), Object.keys(scripts));
});

test("a pane that prints while the server is stopped is not idle", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.pane("while :; do echo tick; sleep 0.2; done");
  const watch = { paneId, triggers: "idle:3,pattern:^end$", background: true };
  await client.ok("watch-pane", watch);
  await stopServer(client, performance.now() + 4000);
  await client.ok("send-keys", { paneId, keys: "end", enter: true });
  assertEquals(await eventsOf(client, 1), ["pattern:^end$"]);
});

test("a watch in which nothing fired is over in time beside a stopped tmux", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.pane("cat");
  const { result } = await watching.watch({ paneId, triggers: "pattern:x", timeout: 3 }, LIMIT);
  using _stopped = await stopTmux(world);
  assertEquals((await result).structuredContent.event, "timeout");
});

test("a stopped tmux at another socket holds up no call about watches for as long as its own", async ({ client }) => {
  await using other = await World.create();
  const socket = { socket: other.socket };
  const { paneId } = await client.ok("create-session", { command: "cat", ...socket });
  await client.ok("watch-pane", { paneId, triggers: "pattern:x", background: true, ...socket });
  await client.ok("watch-events", {});
  using _stopped = await stopTmux(other);
  const answered: string[] = [];
  const silent = client.fails("list-panes", socket).then(() => answered.push("list-panes"));
  await client.ok("watch-events", {}, LIMIT);
  answered.push("watch-events");
  await silent;
  assertEquals(answered, ["watch-events", "list-panes"]);
});

test("calls about a command and a recording end in time beside a stopped tmux", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const [shell, quiet] = [await watching.shellPane(), await watching.pane("cat")];
  const command = "python3 -c 'input()'";
  const { commandId } = await client.ok("execute-command", { paneId: shell, command, background: true });
  assertEquals((await client.ok("get-command-result", { commandId, waitSeconds: 20 })).status, "waiting");
  await client.ok("record-pane", { paneId: quiet, action: "start", outputPath: `${world.folder}/a.cast` });
  using _stopped = await stopTmux(world);
  const result = client.ok("get-command-result", { commandId }, LIMIT);
  const recorded = client.ok("record-pane", { paneId: quiet, action: "stop" }, LIMIT);
  assertEquals((await result).status, "running");
  assertEquals((await recorded).recording, false);
});

test("a REPL that stops tmux ends its call in time", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.pane("python3 -q");
  await watching.until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  const pid = await serverPid(world);
  const input = `import os, time; print("before"); time.sleep(1); os.kill(${pid}, 19)`;
  try {
    const { output } = await client.ok("run-in-repl", { paneId, input, timeout: 5 }, LIMIT);
    assertEquals(output, "before");
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
});

test("a command that tmux stops to type is not run, and its shell takes the next", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  const pid = await serverPid(world);
  const once = "set-hook -gu after-send-keys ; run-shell 'kill -STOP #{pid}'";
  await world.tmux("set-hook", "-g", "after-send-keys", once);
  try {
    const { code } = await client.fails("execute-command", { paneId, command: "echo never" });
    assertEquals(code, "timeout");
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  const next = () => client.call("execute-command", { paneId, command: "echo next" });
  await watching.until(async () => (await next()).structuredContent?.output === "next");
  assertEquals((await watching.screen(paneId)).includes("never"), false);
});
