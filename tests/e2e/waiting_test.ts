import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("waits");

/** A pane that shows what is typed into it, once. */
async function rig(client: TestClient): Promise<{ paneId: string }> {
  const { paneId } = await client.ok("create-session", {
    width: 40,
    height: 10,
    command: "sh -c 'stty -echo; printf \"ready\\n> \"; exec cat'",
  });
  await until(async () => (await client.ok("capture-pane", { paneId })).endsWith(">"));
  return { paneId };
}

async function typeOnceWatched(world: World, paneId: string, text: string): Promise<void> {
  await until(async () => (await world.readers()).length > 0);
  await world.tmux("send-keys", "-l", "-t", paneId, text);
  await world.tmux("send-keys", "-t", paneId, "Enter");
}

test("wait-for-text: what is shown at entry counts, unless only what is new does", async ({ client }) => {
  const { paneId } = await rig(client);
  const shown = await client.ok("wait-for-text", { paneId, pattern: "READY" });
  assertEquals([shown.found, shown.outcome, shown.matchedAtEntry, shown.matchedLines], [
    ...[true, "matched", true],
    ["ready"],
  ]);
  const once = { paneId, pattern: "ready", timeout: 0 };
  assertEquals((await client.ok("wait-for-text", { ...once, newOnly: true })).outcome, "timeout");
  assertEquals((await client.ok("wait-for-text", { ...once, matchCase: true })).outcome, "matched");
  assertEquals(
    (await client.ok("wait-for-text", { ...once, pattern: "READY", matchCase: true })).outcome,
    "timeout",
  );
  assertEquals(
    (await client.ok("wait-for-text", { ...once, pattern: "^r.*y$", regex: true })).outcome,
    "matched",
  );
  assertEquals((await client.ok("wait-for-text", { ...once, pattern: "r.ady" })).outcome, "timeout");
  assertMatch((await client.ok("wait-for-text", { ...once, pattern: "r.+ady" })).hint, /regex: true/);
});

test("wait-for-text: new text, joined over a wrap, ends the wait; so does stop", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const wide = `${"x".repeat(35)} needle here`;
  const found = client.ok("wait-for-text", {
    paneId,
    pattern: ["nothing", "needle here"],
    newOnly: true,
    timeout: 20,
  });
  await typeOnceWatched(world, paneId, wide);
  const answer = await found;
  assertEquals([answer.outcome, answer.matchedAtEntry, answer.matchedLines.length], ["matched", false, 1]);
  assert(answer.matchedLines[0].endsWith(wide));
  assertEquals((await client.ok("capture-since", { cursor: answer.cursor })).lines, []);

  const stopped = client.ok("wait-for-text", {
    paneId,
    pattern: "good",
    stop: "ERR\\d+",
    regex: true,
    timeout: 20,
  });
  await typeOnceWatched(world, paneId, "err42 and good");
  assertEquals((await stopped).outcome, "stopped");
  const bad = await client.fails("wait-for-text", { paneId, pattern: ["a", "("], regex: true });
  assertEquals(bad.code, "invalid-argument");
  assert(bad.text.includes('"("'));
  assertEquals((await client.ok("watch-events")).events, [], "nothing is filed for a wait");
});

test("text with a line break is refused at once, because lines are searched", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const { commandId } = await client.ok("execute-command", { paneId, command: "printf 'l1\\nl2\\n'" });
  const calls: [tool: string, args: Record<string, unknown>][] = [
    ["wait-for-text", { paneId, pattern: "l1\nl2" }],
    ["wait-for-text", { paneId, pattern: ["l1", "l1\nl2"] }],
    ["wait-for-text", { paneId, pattern: "l1\\nl2", regex: true }],
    ["wait-for-text", { paneId, pattern: "l3", stop: "l1\nl2" }],
    ["watch-pane", { paneId, triggers: ["pattern:l1\\nl2"], timeout: 8 }],
    ["start-and-watch", { paneId, command: "true", triggers: ["pattern:l1\nl2"], timeout: 8 }],
    ["get-command-result", { commandId, grep: "l1\\nl2" }],
    ["search-panes", { pattern: "l1\nl2" }],
  ];
  for (const [tool, args] of calls) {
    const { code, text } = await client.fails(tool, args);
    assertEquals([tool, code], [tool, "invalid-argument"]);
    assertMatch(text, /"l1\\nl2".* line break.*line by line/, tool);
  }
  const { found } = await client.ok("wait-for-text", { paneId, pattern: "l1[^\\n]*$", regex: true });
  assertEquals(found, true);
});

test("pane killed while waiting is gone, not an unexpected error", async ({ world, client }) => {
  const { paneId } = await rig(client);
  await client.ok("create-session", { name: "other", command: "exec sleep 1000" });
  for (const tool of ["wait-for-text", "wait-for-content-change"]) {
    const { paneId: victim } = await client.ok("split-pane", { paneId, command: "exec sleep 1000" });
    const ended = client.fails(tool, {
      paneId: victim,
      timeout: 20,
      ...(tool === "wait-for-text" ? { pattern: "x" } : {}),
    });
    await until(async () => (await world.readers()).length > 0);
    await world.tmux("kill-pane", "-t", victim);
    assertEquals((await ended).code, "gone", tool);
  }
  assertEquals((await client.fails("wait-for-text", { paneId: "%99", pattern: "x" })).code, "not-found");
});

test("wait-for-content-change: any change ends it, a rest where that is asked for", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const none = await client.ok("wait-for-content-change", { paneId, timeout: 0.4 });
  assertEquals([none.paneId, none.changed], [paneId, false]);
  for (const stableMs of [0, 200]) {
    const change = client.ok("wait-for-content-change", { paneId, timeout: 20, stableMs });
    await typeOnceWatched(world, paneId, `change ${stableMs}`);
    const { changed, elapsed } = await change;
    assertEquals(changed, true);
    assert(elapsed < 15);
  }
  // Clearing the screen prints no text.
  const cleared = client.ok("wait-for-content-change", { paneId, timeout: 20 });
  await until(async () => (await world.readers()).length > 0);
  const tty = (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_tty}")).trim();
  await Deno.writeTextFile(tty, "\x1b[H\x1b[2J", { create: false });
  assertEquals((await cleared).changed, true);
});

test("other calls are answered while more waits for channels are open than Deno has threads", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "cat");
  const channels = Array.from({ length: 40 }, (_, at) => `c${at}`);
  const waits = channels.map((channel) => client.ok("wait-for-channel", { channel, timeout: 60 }));
  for (const channel of channels) await client.ok("signal-channel", { channel });
  assertEquals((await Promise.all(waits)).map(({ signalled }) => signalled), channels.map(() => true));
});

test("a wait ends as gone though another tmux has the socket before that is noticed", async ({ world }) => {
  // A tmux that ends waits until its clients have left; only those that are processes do while this one is stopped.
  const client = await world.serve({ args: ["--tmux-protocol=false"] });
  await world.tmux("new-session", "-d", "cat");
  // The waiter sets an option, and begins to wait in the same step.
  await world.tmux("set-hook", "-g", "after-set-option", "set-environment -g WAITS 1");
  const waiting = client.call("wait-for-channel", { channel: "built", timeout: 60 });
  await until(async () => (await world.tmux("show-environment", "-g")).includes("WAITS"));
  const pid = client.transport.pid!;
  Deno.kill(pid, "SIGSTOP");
  try {
    await world.tmux("kill-server");
    let tries = 0;
    await until(() =>
      world.tmux("new-session", "-d", "cat").then(() => true, () => {
        // It was stopped as it asked whose socket this is, and so as a client of tmux itself.
        if (++tries === 20) Deno.kill(pid, "SIGCONT");
        return false;
      })
    );
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  const { isError, structuredContent, _meta } = await waiting;
  assertEquals([isError, structuredContent, _meta?.["tmux-mcp/error"]?.code], [true, undefined, "gone"]);
});

test("signal-channel says that a program has locked the channel, and the signal follows", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "cat");
  await world.tmux("wait-for", "-L", "built");
  const { code, hint } = await client.fails("signal-channel", { channel: "built" });
  assertEquals([code, hint], ["busy", 'The signal follows once "tmux wait-for -U built" has run']);
  await world.tmux("wait-for", "-U", "built");
  assertEquals((await client.ok("wait-for-channel", { channel: "built", timeout: 30 })).signalled, true);
});

Deno.test("wait-for-channel under readonly leaves a signal that was there to the program it is meant for", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "cat");
  const client = await world.serve({ args: ["--safety", "readonly"] });
  const program = async (channel: string): Promise<boolean> => {
    const args = ["10", "tmux", "-S", world.socket, "wait-for", channel];
    return (await new Deno.Command("timeout", { args, env: world.env, clearEnv: true }).output()).success;
  };
  await world.tmux("wait-for", "-S", "built");
  for (let left = 3; left > 0; left--) {
    assertEquals(await client.ok("wait-for-channel", { channel: "built", timeout: 5 }), {
      channel: "built",
      signalled: true,
    });
  }
  assertEquals(await program("built"), true);
  assertEquals((await client.ok("wait-for-channel", { channel: "built", timeout: 0 })).signalled, false);
});

test("the cursor of a wait is after the match, whatever came with it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  for (const [pattern, stop, outcome] of [["MATCH", undefined, "matched"], ["never", "MATCH", "stopped"]]) {
    const paneId = await watching.waitingPane("printf 'one\\nMATCH 1\\ntwo\\nthree\\n'; exec cat");
    const waiting = client.ok("wait-for-text", {
      paneId,
      pattern,
      ...(stop && { stop }),
      newOnly: true,
      timeout: 20,
    });
    await watching.untilRead();
    await watching.go(paneId);
    const result = await waiting;
    assertEquals([result.outcome, result.matchedLines], [outcome, ["MATCH 1"]]);
    await watching.until(async () => (await watching.screen(paneId)).includes("three"));
    const { lines } = await client.ok("capture-since", { cursor: result.cursor });
    assertEquals(lines.filter((line: string) => line !== ""), ["two", "three"]);
    await watching.noClients();
  }
});

test("a line that matches is whole, although much came with it; more than 20 of them are cut with a flag", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const line = `MATCH ${"7".repeat(300)}`;
  const script = `all=$(echo ${line}; seq 300); printf '\\n%s\\n' "$all"; exec cat`;
  const paneId = await watching.waitingPane(script);
  const waiting = client.ok("wait-for-text", { paneId, pattern: "MATCH", newOnly: true, timeout: 20 });
  await watching.untilRead();
  await watching.go(paneId);
  const result = await waiting;
  assertEquals([result.matchedLines, result.truncated], [[line], undefined]);
  const many = await client.ok("wait-for-text", { paneId, pattern: "^[0-9]+$", regex: true });
  assertEquals([many.matchedLines.length, many.truncated], [20, true]);
});

Deno.test("wait-for-channel: a bounded number of channels stays waited for after the calls, and none loses its signal", async () => {
  await using world = await World.create();
  const client = await world.serve();
  await client.ok("create-session", { name: "c" });
  const wait = (channel: string) => client.ok("wait-for-channel", { channel, timeout: 0 });
  const channels = Array.from({ length: 128 }, (_, index) => `job-${index}`);
  for (const { signalled } of await Promise.all(channels.map(wait))) assertEquals(signalled, false);
  const { code, hint } = await client.fails("wait-for-channel", { channel: "more", timeout: 0 });
  assertEquals(code, "busy");
  assertMatch(hint ?? "", /signal-channel.*"job-0"/);
  assertEquals((await wait("job-5")).signalled, false, "a channel that is waited for already takes no more");
  await client.ok("signal-channel", { channel: "job-0" });
  assertEquals((await wait("job-0")).signalled, true);
  assertEquals((await wait("more")).signalled, false);
  await client.ok("signal-channel", { channel: "job-1" });
  assertEquals((await wait("last")).signalled, false);
  await world.tmux("wait-for", "-S", "job-7");
  await until(async () => (await wait("job-7")).signalled);
});
