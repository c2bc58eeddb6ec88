// Traps of processes and of the protocol: each test is named after what breaks in other servers.
import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("processes");

/** Command lines of the processes that name this folder. */
async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", "args="] }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line.includes(folder));
}

Deno.test("orphaned `tmux wait-for`, `cat`, workers after a client dies", async () => {
  await using world = await World.create();
  // The output of a command that runs on is kept by tmux itself where records are on disk.
  const client = await world.serve({ args: ["--no-durable"] });
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  const ended = (name: string, args: Record<string, unknown>): void => {
    client.call(name, args).catch(() => {});
  };
  ended("wait-for-channel", { channel: "never", timeout: 50 });
  ended("wait-for-text", { paneId, pattern: "unheard of", timeout: 50 });
  ended("watch-pane", { paneId, triggers: "pattern:unheard of" });
  ended("execute-command", { paneId, command: "read answer" });
  await watching.until(async () => (await watching.active()).length > 0);
  await watching.untilRead();
  assertEquals((await processesOf(world.folder)).length > 1, true);
  await client.client.close();
  // Only the tmux server itself is left.
  await watching.until(async () => (await processesOf(world.folder)).length === 1);
  await watching.noClients();
});

Deno.test("temp files with terminal contents left", async () => {
  await using world = await World.create();
  const client = await world.serve({ env: { TMPDIR: world.folder } });
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  await client.ok("execute-command", { paneId, command: "seq 1 100000" });
  await client.ok("screenshot-pane", { paneId });
  await client.ok("capture-since", { paneId });
  await client.client.close();
  const left = await Array.fromAsync(Deno.readDir(world.folder), (entry) => entry.name);
  assertEquals(left.filter((name) => !/^(tmux\.sock|tmux-\d+|\.)/.test(name)), []);
});

test("a startup cleanup that kills a neighbour's server", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  const { result } = await watching.watch({ paneId, triggers: "pattern:still here" });
  const second = await world.serve();
  await second.ok("list-sessions");
  await watching.type(paneId, "echo still here");
  assertEquals((await result).structuredContent.event, "pattern:still here");
});

test("cancelled calls keep running and hold one of five workers", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  for (let i = 0; i < 8; i++) {
    const abort = new AbortController();
    const { result } = await watching.watch({ paneId, triggers: "pattern:never" }, { signal: abort.signal });
    abort.abort();
    await result.catch(() => {});
  }
  await watching.until(async () => (await watching.active()).length === 0);
  await watching.noClients();
});

test("one slow tmux call freezes all", async ({ world, client }) => {
  await using other = await World.create();
  await world.tmux("new-session", "-d", "cat");
  await other.tmux("new-session", "-d", "cat");
  const pid = Number(await other.tmux("display-message", "-p", "#{pid}"));
  Deno.kill(pid, "SIGSTOP");
  try {
    const slow = client.fails("list-sessions", { socket: other.socket });
    let over = false;
    slow.finally(() => over = true);
    for (let i = 0; i < 10; i++) assertEquals((await client.ok("list-sessions")).sessions.length, 1);
    assertEquals(over, false);
    const { code, text } = await slow;
    assertEquals(code, "timeout");
    assertMatch(text, /^No answer from tmux in 5000 ms\. Call again/);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
});
