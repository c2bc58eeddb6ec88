// tmux killed, hung or restarted, and panes, windows and sessions gone or renamed, all while calls are going on.
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { Watching } from "../support/watching.ts";
import { type CallAnswer, type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("faults of tmux");

interface Going {
  [name: string]: Promise<CallAnswer>;
}

/** Calls of every kind that lasts, each known to have begun: three on a shell, a REPL and a program that prints nothing. */
async function begin(world: World, client: TestClient): Promise<{ going: Going; panes: string[] }> {
  const watching = new Watching(world, client);
  const shell = await watching.shellPane();
  const repl = await watching.pane("python3 -q");
  const quiet = await watching.pane("cat");
  const isIn = async (paneId: string, command: string): Promise<boolean> =>
    (await client.ok("pane-state", { paneId })).foregroundCmd.startsWith(command);
  await watching.until(async () => (await client.ok("pane-state", { paneId: repl })).waitingForInput);
  const going: Going = {
    command: client.call("execute-command", { paneId: shell, command: "sleep 1000", timeout: 100 }),
    watch: client.call("watch-pane", { paneId: quiet, triggers: "pattern:never", timeout: 100 }),
    text: client.call("wait-for-text", { paneId: quiet, pattern: "never", timeout: 100 }),
    channel: client.call("wait-for-channel", { channel: "never", timeout: 100 }),
    repl: client.call("run-in-repl", { paneId: repl, input: "import time; time.sleep(1000)", timeout: 100 }),
  };
  for (const call of Object.values(going)) call.catch(() => {});
  await client.ok("record-pane", {
    paneId: quiet,
    action: "start",
    outputPath: `${world.folder}/${crypto.randomUUID()}.cast`,
  });
  await watching.until(async () => (await watching.active()).length > 0);
  await watching.until(() => isIn(shell, "sleep"));
  // A call counts as busy before it has typed anything.
  await watching.until(async () => !(await client.ok("pane-state", { paneId: repl })).waitingForInput);
  return { going, panes: [shell, repl, quiet] };
}

/** Outcome of a call: the code of its error, or the event that it reports. */
async function outcome(call: Promise<CallAnswer>): Promise<string> {
  const { isError, structuredContent, _meta } = await call;
  if (isError) return _meta?.["tmux-mcp/error"]?.code ?? "none";
  return structuredContent?.event ?? structuredContent?.status ?? JSON.stringify(structuredContent);
}

async function outcomes(going: Going): Promise<Record<string, string>> {
  const told = Object.entries(going).map(async ([name, call]) => [name, await outcome(call)]);
  return Object.fromEntries(await Promise.all(told));
}

test("tmux killed outright: every call that was going on says so, and the next server is another", async ({ world, client }) => {
  const { going, panes } = await begin(world, client);
  Deno.kill(Number(await world.tmux("display-message", "-p", "#{pid}")), "SIGKILL");
  assertEquals(await outcomes(going), {
    ...{ command: "lost", watch: "gone", text: "gone", channel: "gone" },
    repl: JSON.stringify({ paneId: panes[1], output: "", exited: true }),
  });
  const { paneId } = await client.ok("create-session", {});
  assert(panes.includes(paneId), "ids begin again");
  assertEquals((await client.ok("watch-events", { limit: 0 })).active, []);
});

test("tmux hung: calls on it time out one by one; what was going on continues when it is back", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const { going, panes: [shell = "", , quiet = ""] } = await begin(world, client);
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  Deno.kill(pid, "SIGSTOP");
  try {
    const calls = ["list-panes", "list-sessions", "get-server-info"].map((name) => client.fails(name));
    for (const { code, text } of await Promise.all(calls)) {
      assertEquals([code, text.split(". ")[0]], ["timeout", "No answer from tmux in 5000 ms"]);
    }
    assertEquals((await client.ok("watch-events", { limit: 0 })).active.length > 0, true);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  await watching.type(quiet, "never");
  await client.ok("send-cancel", { paneId: shell });
  assertEquals(await outcome(going["watch"]!), "pattern:never");
  assertEquals(await outcome(going["command"]!), "completed");
  // It looks at the pane now and then, and may have looked meanwhile.
  const text = await going["text"]!;
  assertEquals(
    text.isError ? await outcome(going["text"]!) : text.structuredContent.outcome,
    text.isError ? "timeout" : "matched",
  );
});

test("what a call is about renamed or moved meanwhile: it continues; killed: it ends, and others do not", async ({ world, client }) => {
  const { going, panes: [shell = "", repl = "", quiet = ""] } = await begin(world, client);
  for (const pane of [shell, repl, quiet]) {
    await world.tmux("rename-session", "-t", pane, `renamed-${pane.slice(1)}`);
    await world.tmux("rename-window", "-t", pane, "w.x:y");
    await world.tmux("select-pane", "-t", pane, "-T", "another");
  }
  await world.tmux("swap-pane", "-d", "-s", shell, "-t", repl);
  await world.tmux("kill-pane", "-t", shell);
  const { status, paneAlive } = (await going["command"])?.structuredContent;
  assertEquals([status, paneAlive], ["lost", false]);
  await world.tmux("kill-window", "-t", repl);
  assertEquals((await going["repl"])?.structuredContent.exited, true);
  await client.ok("send-keys", { paneId: quiet, keys: "never", enter: true });
  assertEquals(await outcome(going["watch"]!), "pattern:never");
  assertEquals((await going["text"])?.structuredContent.outcome, "matched");
  await client.ok("signal-channel", { channel: "never" });
  assertEquals((await going["channel"])?.structuredContent.signalled, true);
});

/** One call of each kind that acts on a pane, where tmux can be killed between the snapshot that allows it and the act. */
const ACTING: readonly [string, Record<string, unknown>][] = [
  ["run-in-repl", { input: "1" }],
  ["send-keys", { keys: "x" }],
  ["execute-command", { command: "true" }],
  ["start-and-watch", { command: "true" }],
  ["paste-text", { text: "x" }],
  ["rename-pane", { title: "x" }],
  ["split-pane", {}],
  ["resize-pane", { height: 5 }],
  ["respawn-pane", { kill: true, command: "cat" }],
  ["kill-pane", {}],
  ["pipe-pane", { outputPath: "log" }],
  ["record-pane", { action: "start", outputPath: "log.cast" }],
  ["enter-copy-mode", {}],
];

test("tmux killed between the snapshot that allows a call and what it does is gone, whatever the call", async ({ world, client }) => {
  for (const acting of ACTING) {
    // A look of the server's own, beside the call, can end tmux before the call finds it: then it is "not-found".
    const codes: unknown[] = [];
    while (codes.length < 3 && codes.at(-1) !== "gone") {
      codes.push(await codeOfKilled(acting, { world, client }));
    }
    assertEquals([acting[0], codes.at(-1)], [acting[0], "gone"], codes.join());
  }
});

/** Code of a call whose first snapshot ends tmux. */
async function codeOfKilled(
  [tool, args]: typeof ACTING[number],
  { world, client }: { world: World; client: TestClient },
): Promise<unknown> {
  // A command is refused in a pane that runs a program, and tmux may die only after that.
  const program = "command" in args && tool !== "respawn-pane" ? "bash --norc" : "python3 -q";
  const { paneId } = await client.ok("create-session", { command: program });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
  await world.tmux("set-hook", "-g", "after-list-panes", "run-shell -b 'kill -9 #{pid}'");
  const answer = await client.call(tool, { paneId, ...args });
  await world.tmux("kill-server").catch(() => {});
  await until(async () => (await client.call("list-sessions")).structuredContent?.sessions?.length === 0);
  // Some have acted before tmux dies, or say so in their result; some look only when it has died.
  const text = answer.isError ? answer.content[0]?.text ?? "" : "";
  return answer.isError && !text.startsWith(`Cannot find pane "${paneId}"`)
    ? answer._meta?.["tmux-mcp/error"]?.code
    : "gone";
}

/** Commands of tmux that a command's steps take: the snapshot that allows it, and keys, the last of which is Enter. */
const STEPS: readonly { hook: string; least: number }[] = [
  { hook: "after-list-panes", least: 2 },
  { hook: "after-send-keys", least: 3 },
];

Deno.test("a pane killed at any step of a command: one that its shell was not given leaves no record", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  await world.tmux("new-session", "-d", "cat");
  for (const { hook, least } of STEPS) {
    await t.step(hook, async () => {
      const known = await killedAtEach(hook, { world, client });
      assert(known.length >= least, known.join());
      assertEquals(new Set(known.slice(0, -1)), new Set(["gone"]));
    });
  }
});

/** Outcomes of a command whose pane is killed after the first run of a tmux command, after the second, and so on. */
async function killedAtEach(
  hook: string,
  { world, client }: { world: World; client: TestClient },
): Promise<string[]> {
  const known: string[] = [];
  while (known.at(-1) !== "completed") {
    const { paneId } = await client.ok("create-session", { command: "bash --norc" });
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
    await world.tmux("set-option", "-g", "@left", `${known.length}`);
    await world.tmux("set-hook", "-g", hook, dieAtLast(paneId));
    const answer = await client.call("execute-command", { paneId, command: "sleep 0", timeout: 20 });
    await world.tmux("set-hook", "-gu", hook);
    known.push(
      answer.isError ? answer._meta?.["tmux-mcp/error"]?.code ?? "none" : answer.structuredContent.status,
    );
    const { commands } = await client.ok("list-commands");
    assertEquals(
      commands.filter(({ status }: { status: string }) => status !== "completed"),
      [],
      known.join(),
    );
  }
  return known;
}

/** A hook that ends a pane once `@left` has been counted down. */
function dieAtLast(paneId: string): string {
  const next = 'set-option -gF @left "#{e|-:#{@left},1}"';
  return `if-shell -F "#{==:#{@left},0}" "kill-pane -t '${paneId}'" ; ${next}`;
}
