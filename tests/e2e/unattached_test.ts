// With --attach=false no client of ours ever attaches; and where none may stay, a pane is followed all the same.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";
import { until } from "../support/until.ts";

const PIPES = ["list-panes", "-a", "-F", "#{pane_pipe}"];

/** A step may end the server it gets; it then returns the watches of the server that came after. */
type Run = (watching: Watching) => Promise<Watching | void>;

/** Declares a test whose steps, in turn, share a tmux, in which only one session is left after each, and a server. */
function inTurn(about: string, args: readonly string[]): (name: string, run: Run) => void {
  const declared: [name: string, run: Run][] = [];
  Deno.test(about, async (t) => {
    await using world = await World.create();
    let watching = new Watching(world, await world.serve({ args }));
    await watching.pane("cat", "keep");
    for (const [name, run] of declared) {
      await t.step(name, async () => {
        watching = await run(watching) ?? watching;
      });
      await world.tmux("kill-session", "-a", "-t", "=keep");
    }
  });
  return (name, run) => void declared.push([name, run]);
}

const PIPED = ["--attach=false"];
const testPiped = inTurn("without attaching", PIPED);
const testDetached = inTurn("where clients of ours may not stay", []);

/** Counts the clients that attach. */
async function countAttached(world: World): Promise<() => Promise<string>> {
  await world.tmux("set-option", "-g", "@attached", "");
  await world.tmux("set-hook", "-g", "client-attached", "set-option -ga @attached x");
  return async () => (await world.tmux("show-options", "-gqv", "@attached")).trim();
}

testPiped("whatever is done, nobody is ever attached and every pipe is given back", async (watching) => {
  const { world, client } = watching;
  const attached = await countAttached(world);
  const activity = () =>
    world.tmux("list-sessions", "-F", "#{session_id} #{session_activity} #{session_attached}");
  const paneId = await watching.shellPane();
  const before = await activity();

  const { result } = await watching.watch({ paneId, triggers: "pattern:^went$" });
  assertEquals(await watching.clients(), []);
  assertStringIncludes(await world.tmux(...PIPES), "1");
  const ran = await client.ok("execute-command", { paneId, command: "echo went; false" });
  assertEquals([ran.output, ran.exitCode], ["went", 1]);
  assertEquals(readResult(await result).event, "pattern:^went$");
  assertEquals(
    (await client.ok("run-in-repl", { paneId, input: "echo twice", allowShell: true })).output,
    "twice",
  );
  const raw = await client.ok("execute-command", { paneId, command: "echo raw", rawMode: true });
  assertStringIncludes(raw.output, "raw");
  await client.ok("wait-for-text", { paneId, pattern: "twice", timeout: 5 });
  const outputPath = `${world.folder}/a.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await client.ok("record-pane", { paneId, action: "stop" });
  await client.client.subscribeResource({ uri: `tmux://pane/${encodeURIComponent(paneId)}` });

  assertEquals([await attached(), await watching.clients()], ["", []]);
  assertEquals(await activity(), before);
  await watching.until(async () => !(await world.tmux(...PIPES)).includes("1"));
});

testPiped("a pipe that is there is left alone, and one that comes ends the watch", async (watching) => {
  const { world, client } = watching;
  const log = `${world.folder}/log`;
  const paneId = await watching.waitingPane("echo into the log; exec cat");
  await world.tmux("pipe-pane", "-t", paneId, `cat >> ${log}`);
  const busy = await client.fails("watch-pane", { paneId, triggers: "bell" });
  assertEquals(busy.code, "busy");
  await watching.go(paneId);
  await watching.until(async () => (await Deno.readTextFile(log)).includes("into the log"));

  const free = await watching.waitingPane("exec cat");
  const { result } = await watching.watch({ paneId: free, triggers: "bell" });
  await world.tmux("pipe-pane", "-t", free, `cat >> ${log}`);
  const answer = await result;
  assertEquals(answer._meta?.["tmux-mcp/error"]?.code, "busy", JSON.stringify(answer));
  assertEquals((await world.tmux("display-message", "-p", "-t", free, "#{pane_pipe}")).trim(), "1");
});

testDetached("a session that detaches every client of ours is followed without one", async (watching) => {
  const { world } = watching;
  const paneId = await watching.waitingPane("echo still seen; exec cat");
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  await world.tmux("set-hook", "-t", session, "client-attached", `detach-client -s ${session}`);
  const { result } = await watching.watch({ paneId, triggers: "pattern:^still seen$,exit" });
  await watching.until(async () => (await world.tmux(...PIPES)).includes("1"));
  await watching.go(paneId);
  const { event, outputTruncated } = readResult(await result);
  assertEquals([event, outputTruncated], ["pattern:^still seen$", undefined]);
  const again = await watching.watch({ paneId, triggers: "bell" });
  await world.tmux("kill-pane", "-t", paneId);
  assertEquals(readResult(await again.result).event, "gone");
});

testDetached("commands run where a hook detaches each client that attaches", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "exec bash --norc" });
  await world.tmux("set-hook", "-g", "client-attached", "detach-client");
  try {
    for (const word of ["once", "again"]) {
      const { exitCode, output } = await client.ok("execute-command", { paneId, command: `echo ${word}` });
      assertEquals([exitCode, output], [0, word]);
    }
  } finally {
    await world.tmux("set-hook", "-gu", "client-attached");
  }
});

testDetached(
  "a command that ends while its client is detached again and again has ended: its prompt asks nothing",
  async ({ world, client }) => {
    // In tmux 3.2 no client of ours attaches at all.
    if (!await world.attaches()) return;
    const { paneId } = await client.ok("create-session", { command: "bash --norc" });
    const sessionId = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
    const gate = join(world.folder, "gate");
    const command = `until [ -e ${gate} ]; do sleep 0.05; done`;
    const triggers = "user_input,exit";
    const watched = client.ok("start-and-watch", { paneId, command, triggers, timeout: 30 });
    await client.untilWatching();
    await world.tmux("set-hook", "-t", sessionId, "client-attached", `detach-client -s ${sessionId}`);
    await world.tmux("detach-client", "-s", sessionId);
    await Deno.writeTextFile(gate, "");
    const { event, exitCode } = await watched;
    assertEquals([event, exitCode], ["exit", 0]);
  },
);

testDetached("a pane that copies an earlier server's command is followed there too", async (watching) => {
  const { world, client } = watching;
  const paneId = await watching.shellPane();
  await client.ok("execute-command", { paneId, command: "cat", timeout: 20 });
  Deno.kill(client.transport.pid!, "SIGKILL");
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  await world.tmux("set-hook", "-t", session, "client-attached", `detach-client -s ${session}`);
  const next = new Watching(world, await world.serve());
  await next.client.ok("list-commands");
  await watching.until(async () => (await world.tmux(...PIPES)).includes("1"));
  const { result } = await next.watch({ paneId, triggers: "pattern:^seen$" });
  let event: unknown;
  result.then((answer) => event = readResult(answer).event).catch((error) => event = error);
  // Nothing shows when the server begins to read the copy instead of a client.
  await watching.until(async () => {
    await watching.type(paneId, "seen");
    return event !== undefined;
  });
  assertEquals(event, "pattern:^seen$");
  return next;
});

async function recordsOn(watching: Watching): Promise<void> {
  const { world, client } = watching;
  const paneId = await watching.waitingPane("echo printed meanwhile; exec cat");
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  const outputPath = `${world.folder}/pane.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("set-hook", "-t", session, "client-attached", `detach-client -s ${session}`);
  if (await world.attaches()) await world.tmux("detach-client", "-s", session);
  await watching.go(paneId);
  const recorded = (text: string) => until(async () => (await Deno.readTextFile(outputPath)).includes(text));
  await recorded("printed meanwhile");
  await until(async () => (await world.tmux(...PIPES)).includes("1"));
  await watching.type(paneId, "sent afterwards");
  await recorded("sent afterwards");
  await client.ok("record-pane", { paneId, action: "stop", outputPath });
  assertEquals((await Deno.readTextFile(outputPath)).includes("output lost"), false);
}

const RECORDS_ON = "a recording whose client may no longer attach goes on from a new screen";
testDetached(RECORDS_ON, recordsOn);
inTurn("where clients of ours may not stay, with masks", ["--mask", "literal:sk-123456"])(
  RECORDS_ON,
  recordsOn,
);

testPiped(
  "a shell that a killed server's command began takes the next server's commands",
  async (watching) => {
    const { world, client } = watching;
    const paneId = await watching.shellPane();
    const { commandId } = await client.ok("execute-command", { paneId, command: "bash --norc", timeout: 40 });
    Deno.kill(client.transport.pid!, "SIGKILL");
    const next = await world.serve({ args: PIPED });
    await next.ok("list-commands");
    await watching.until(async () => (await world.tmux(...PIPES)).includes("1"));
    for (const exitCode of [3, 0]) {
      const inner = await next.ok("execute-command", { paneId, command: `echo inside; (exit ${exitCode})` });
      assertEquals([inner.status, inner.exitCode, inner.output], ["completed", exitCode, "inside"]);
    }
    await next.ok("send-keys", { paneId, keys: "exit", literal: true, enter: true });
    assertEquals((await next.ok("get-command-result", { commandId, waitSeconds: 20 })).status, "completed");
    assertEquals((await next.ok("execute-command", { paneId, command: "echo outside" })).output, "outside");
    return new Watching(world, next);
  },
);

for (const isCopied of [false, true]) {
  const when = isCopied ? "once it copies its output" : "at once";
  testPiped(`the next server restarts an earlier one's service ${when}`, async ({ world, client: first }) => {
    const service = { name: `${isCopied}`, command: "sleep 100", pattern: "^$", timeout: 3 };
    const { paneId } = await first.ok("ensure-service", service);
    let client = first;
    for (let round = isCopied ? 2 : 1; round > 0; round--) {
      await client.client.close();
      client = await world.serve({ args: PIPED });
      if (isCopied) {
        await client.ok("list-commands");
        await until(async () => (await world.tmux(...PIPES)).includes("1"));
      }
      const again = await client.ok("ensure-service", { ...service, restart: true });
      assertEquals([again.paneId, again.status], [paneId, "restarted"]);
    }
    return new Watching(world, client);
  });
}

testPiped(
  "a pane that a killed server read is read by one that has been there all along",
  async (watching) => {
    const { world, client } = watching;
    const paneId = await watching.waitingPane("exec cat");
    const beside = await world.serve({ args: PIPED });
    await beside.ok("list-sessions");
    await client.ok("watch-pane", { paneId, triggers: "bell", background: true });
    await client.kill();
    assertEquals((await beside.ok("watch-pane", { paneId, triggers: "idle:0.1" })).event, "idle:0.1");
    return new Watching(world, beside);
  },
);

// The last one, because the next server attaches.
testPiped("the pipe of a server that was killed is given back by the next one", async (watching) => {
  const { world, client } = watching;
  const paneId = await watching.waitingPane("exec cat");
  await client.ok("watch-pane", { paneId, triggers: "bell", background: true });
  await client.kill();
  assertStringIncludes(await world.tmux(...PIPES), "1");
  const next = await world.serve();
  await next.ok("list-sessions");
  await watching.until(async () => !(await world.tmux(...PIPES)).includes("1"));
});
