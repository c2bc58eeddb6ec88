// Several calls in one: in order, with references to earlier results, each decided on its own.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { RawClient } from "../support/raw_client.ts";
import { TaskClient } from "../support/task_client.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("several calls in one");

test("a reference in place of all arguments is a failed call, and the earlier results are kept", async ({ client }) => {
  await client.ok("create-session", { command: "exec cat" });
  for (const [key, found] of [["panes.0.id", '"%'], ["panes", "[{"]]) {
    const { results } = await client.ok("call-tools", {
      calls: [{ tool: "list-panes" }, { tool: "get-pane-info", arguments: { from: 0, key } }],
    });
    assertEquals([results[0].ok, results[1].ok, results[1].error.code], [true, false, "invalid-argument"]);
    assertStringIncludes(results[1].error.message, `Invalid arguments ${found}`);
  }
});

test("a session, a split, two commands and the wait for both are one call", async ({ client }) => {
  const pane = { from: 0, key: "paneId" };
  const { results, notCalled } = await client.ok("call-tools", {
    calls: [
      { tool: "create-session", arguments: { name: "work", command: "bash --norc" } },
      { tool: "split-pane", arguments: { paneId: pane, command: "cat" } },
      { tool: "execute-command", arguments: { paneId: pane, command: "echo one; false" } },
      { tool: "send-keys", arguments: { paneId: { from: 1, key: "paneId" }, keys: "two\n" } },
      // Some clients pass numbers as text, and null for what is left out.
      { tool: "wait-for-text", arguments: { paneId: { from: "1", key: "paneId" }, pattern: "two" } },
      { tool: "list-panes", arguments: null },
      { tool: "capture-pane", arguments: { paneId: { from: 5, key: "panes.1.id" } } },
    ],
  });
  assertEquals(notCalled, undefined);
  assertEquals(results.map(({ ok }: { ok: boolean }) => ok), Array(7).fill(true));
  assertEquals([results[2].result.exitCode, results[2].result.output], [1, "one"]);
  assertEquals(results[5].result.panes.length, 2);
  assertStringIncludes(results[6].result, "two");
});

const SMALL = ["--answer-bytes", "16384"];
const testSmall = inTurnOnOneServer(
  "results that are too long together",
  (world) => world.serve({ args: SMALL }),
);

testSmall("pictures stand beside the results, as many as fit, and not in them", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "seq 99; exec cat", width: 40, height: 5 });
  // Letters of which no two rows are alike make a picture large.
  const letters = "head -c 135 /dev/urandom | base64 -w 60; echo the end; exec cat";
  const large = await client.ok("create-session", { command: letters, width: 60, height: 5 });
  await client.ok("wait-for-text", { paneId, pattern: "99" });
  await client.ok("wait-for-text", { paneId: large.paneId, pattern: "the end" });
  const picture = (of: string) => ({ tool: "screenshot-pane", arguments: { paneId: of } });
  const answer = await client.call("call-tools", {
    calls: [picture(paneId), { tool: "list-sessions" }, ...Array(8).fill(picture(paneId))],
  });
  const { results, omitted } = answer.structuredContent as Record<string, unknown>;
  const [shown, listed] = results as { ok: boolean; result: unknown }[];
  assertMatch(String(shown!.result), RegExp(`^Pane ${paneId}: 40x5 cells`));
  assertEquals([listed!.ok, JSON.stringify(results).includes("iVBOR")], [true, false]);
  const kinds = answer.content.map(({ type }) => type);
  assertEquals(kinds.slice(0, 2), ["text", "image"]);
  const left = Number(/^Left out: (\d+) of 9 pictures$/.exec(String(omitted))?.[1]);
  assertEquals(kinds.filter((type) => type === "image").length, 9 - left);
  const { results: [failed] } = await client.ok("call-tools", { calls: [picture(large.paneId)] });
  assertMatch(failed.error.message, /more than 16384 bytes/);
});

testSmall("each keeps its ids and says where it continues", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "bash --norc --noprofile" });
  const command = "seq 3999 | sed 's/^/line /'";
  const run = { tool: "execute-command", arguments: { paneId, command, view: "full" } };
  const answer = await client.call("call-tools", {
    calls: [
      { tool: "create-session", arguments: { name: "made" } },
      ...Array(5).fill(run),
      { tool: "capture-pane", arguments: { paneId, lines: 5000 } },
    ],
  });
  assert(JSON.stringify(answer).length <= 16_384, String(JSON.stringify(answer).length));
  // deno-lint-ignore no-explicit-any -- results of several tools
  const { results, omitted } = answer.structuredContent as Record<string, any>;
  assertEquals([omitted, results.length, results[0].result.sessionName], [undefined, 7, "made"]);
  const ids = new Set<string>();
  for (const { result, omitted } of results.slice(1, 6)) {
    assertEquals([omitted, result.status, result.exitCode], [undefined, "completed", 0]);
    ids.add(result.commandId);
    const shown = result.output.split("\n");
    assertEquals([shown[0], shown.at(-1)], ["line 1", `line ${result.nextOffset}`]);
  }
  assertEquals(ids.size, 5);
  assertMatch(results[6].omitted, /^Left out: the first \d+ characters\. Call capture-pane/);
  // The prompt may be drawn later.
  assertMatch(results[6].result, /\nline 3999(\n|$)/);
  assertEquals("omitted" in results[0], false);
});

testSmall("what one of them leaves out, its cursor returns", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "bash --norc --noprofile" });
  const { cursor } = await client.ok("capture-since", { paneId });
  const command = "seq 1000 1599";
  for (let n = 0; n < 8; n++) {
    await client.ok("start-and-watch", { paneId, command, triggers: "exit", background: true });
    await client.ok("watch-pane", { paneId, triggers: "shell" });
  }
  const since = { tool: "capture-since", arguments: { cursor } };
  const buffer = { tool: "show-buffer", arguments: { name: "long" } };
  const content = Array.from({ length: 4000 }, (_, n) => `${n}\n`).join("");
  await client.ok("set-buffer", { name: "long", content });
  const { results } = await client.ok("call-tools", {
    calls: [{ tool: "watch-events" }, since, since, buffer, buffer],
  });
  const events: unknown[] = results[0].result.events;
  assert(events.length > 0 && events.length < 8, `${events.length} events`);
  for (let page = events; page.length > 0; events.push(...page)) {
    page = (await client.ok("watch-events")).events;
  }
  assertEquals(events.length, 8);
  for (const { result } of results.slice(1, 3)) {
    const next = await client.ok("capture-since", { cursor: result.cursor, maxLines: 1 });
    const first = Number(/^\d+$/.exec(next.lines[0])?.[0]);
    assertEquals([result.truncated, result.lines.at(-1)], [
      true,
      first === 1000 ? result.lines.at(-1) : `${first - 1}`,
    ]);
  }
  for (const { result, omitted } of results.slice(3)) {
    assertEquals([result, omitted], [
      content.slice(0, result.length),
      `Bytes 0 to ${result.length} of ${content.length}: call show-buffer with offsetBytes ${result.length} for the rest`,
    ]);
  }
});

test("a failed call stops the rest, or does not, and refers nobody on", async ({ client }) => {
  const calls = [
    { tool: "list-sessions" },
    { tool: "get-pane-info", arguments: { paneId: "%99" } },
    { tool: "list-panes", arguments: { sessionId: { from: 1, key: "sessionId" } } },
    { tool: "list-everything" },
    { tool: "list-panes", arguments: { nothing: 1 } },
    { tool: "list-sessions" },
  ];
  const stopped = await client.ok("call-tools", { calls });
  assertEquals(stopped.results.map(({ ok }: { ok: boolean }) => ok), [true, false]);
  assertEquals(stopped.notCalled, 4);
  const { code, message, hint } = stopped.results[1].error;
  assertEquals(await client.fails("get-pane-info", { paneId: "%99" }), {
    code,
    text: hint === undefined ? message : `${message}. ${hint}`,
    ...(hint === undefined ? {} : { hint }),
  });
  const { results } = await client.ok("call-tools", { calls, onError: "continue" });
  assertEquals(results.map(({ ok }: { ok: boolean }) => ok), [true, false, false, false, false, true]);
  assertMatch(results[2].error.message, /call 1 \(get-pane-info\) failed/);
  assertMatch(results[2].error.hint, /^Correct that call first/);
  assertMatch(results[3].error.message, /^Unknown tool "list-everything"/);
  assertMatch(results[4].error.message, /^Unknown argument "nothing"/);
});

/** References that lead nowhere, as arguments of the second of two calls, and what is said of each. */
const WRONG: [args: Record<string, unknown>, says: RegExp][] = [
  [{ paneId: { from: 1, key: "paneId" } }, /expected from 0 to 0.* earlier call/],
  [{ paneId: { from: -1, key: "paneId" } }, /expected from 0 to 0/],
  [{ paneId: { from: 0.5, key: "paneId" } }, /expected from 0 to 0/],
  [{ paneId: { from: 0, key: "pane" } }, /no such field.*sessionId/],
  [{ paneId: { from: 0, key: "__proto__" } }, /no such field/],
  [{ paneId: { from: 0, key: "paneId.length" } }, /no such field/],
  [{ paneId: { from: 0, key: "created" } }, /paneId/],
];

/** Times after which the watches of a call ended. */
function secondsOf({ results }: { results: { result: { detail: string } }[] }): number[] {
  return results.map(({ result }) => Number(/No trigger fired in ([\d.]+) s/.exec(result.detail)?.[1]));
}

Deno.test("calls that name no timeout, of a client that waits for 12 s", async (t) => {
  await using world = await World.create();
  await using raw = new RawClient(world, ["--client-call-seconds", "12"]);
  await raw.initialize();
  const client = new TaskClient(raw);
  const watch = { tool: "watch-pane", arguments: { paneId: await client.pane(), triggers: "bell" } };

  await t.step("take that time together", async () => {
    const answer = await raw.call("all", "call-tools", { calls: [watch, watch, watch] });
    const [first, ...rest] = secondsOf(answer.result.structuredContent);
    assert(first! <= 2 && rest.every((each) => each < 0.1), `${first},${rest}`);
  });

  await t.step("keep their own time in a task, which no client waits for", async () => {
    const { taskId } = await client.call("call-tools", { calls: [watch, watch] });
    const { result } = await client.until(taskId, ({ status }) => status === "completed");
    const seconds = secondsOf(result.structuredContent);
    assert(seconds.every((each) => each >= 1), `${seconds}`);
  });
});

test("references that lead nowhere are refused by name", async ({ client }) => {
  const first = { tool: "create-session", arguments: { command: "cat" } };
  for (const [args, says] of WRONG) {
    const calls = [first, { tool: "get-pane-info", arguments: args }];
    const { results } = await client.ok("call-tools", { calls });
    assertEquals([results.length, results[1].ok, results[1].error.code], [2, false, "invalid-argument"]);
    assertMatch(`${results[1].error.message} ${results[1].error.hint}`, says);
  }
});

test("a reference names a field of a list's entry in either spelling, and learns how if it does not", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "cat" });
  const read = async (key: string) => {
    const calls = [{ tool: "list-panes" }, {
      tool: "get-pane-info",
      arguments: { paneId: { from: 0, key } },
    }];
    return (await client.ok("call-tools", { calls })).results[1];
  };
  for (const key of ["panes.0.id", "panes[0].id"]) {
    assertEquals([key, (await read(key)).result?.id], [key, paneId]);
  }
  assertMatch((await read("id")).error.hint, /^Its fields: panes\.0\.id, panes\.0\.title, /);
});

test("call-tools takes 1 to 32 calls, and no other call-tools", async ({ client }) => {
  const many = (count: number) => Array.from({ length: count }, () => ({ tool: "list-sessions" }));
  assertEquals((await client.ok("call-tools", { calls: many(32) })).results.length, 32);
  assertEquals((await client.fails("call-tools", { calls: many(33) })).code, "invalid-argument");
  assertEquals((await client.fails("call-tools", { calls: [] })).code, "invalid-argument");
  const inner = { tool: "call-tools", arguments: { calls: many(1) } };
  const nested = await client.fails("call-tools", { calls: [...many(1), inner] });
  assertEquals(nested.code, "invalid-argument");
  assertMatch(nested.text, /calls\[1\]\.tool/);
});

test("a call with a long text is as good within call-tools as alone, and a long pattern as bad", async ({ client }) => {
  await client.ok("create-session", { name: "keep" });
  const { results } = await client.ok("call-tools", {
    calls: [
      { tool: "set-buffer", arguments: { name: "long", content: "x".repeat(50_000) } },
      { tool: "watch-pane", arguments: { paneId: "%0", triggers: `pattern:${"x".repeat(5000)}` } },
    ],
  });
  assertEquals(results[0].result.size, 50_000);
  assertStringIncludes(results[1].error.message, "Invalid triggers of 5008 characters");
});

Deno.test("each call is decided, recorded and shown on its own", async () => {
  await using world = await World.create();
  const audit = `${world.folder}/audit.log`;
  await world.tmux("new-session", "-d", "-s", "theirs", "cat");
  const client = await world.serve({ args: ["--audit-path", audit] });
  const calls = [
    { tool: "kill-session", arguments: { sessionId: "theirs" } },
    { tool: "create-session", arguments: { name: "ours", command: "cat" } },
    { tool: "kill-session", arguments: { sessionId: { from: 1, key: "sessionId" } } },
  ];
  const { results } = await client.ok("call-tools", { calls, onError: "continue" });
  assertEquals(results.map(({ ok }: { ok: boolean }) => ok), [false, true, true]);
  assertEquals(results[0].error.code, "denied");
  const lines = (await Deno.readTextFile(audit)).trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ tool, outcome }) => [tool, outcome]), [
    ["kill-session", "error"],
    ["create-session", "ok"],
    ["kill-session", "ok"],
    ["call-tools", "ok"],
  ]);
  const readonly = await world.serve({ args: ["--safety", "readonly"] });
  const tool = (await readonly.client.listTools()).tools.find(({ name }) => name === "call-tools")!;
  assertEquals(tool.annotations?.readOnlyHint, true);
  const mixed = await readonly.ok("call-tools", { calls: [{ tool: "list-sessions" }, calls[1]!] });
  assertEquals(mixed.results.map(({ ok }: { ok: boolean }) => ok), [true, false]);
  assertEquals(mixed.results[1].error.code, "denied");
});

test("clients learn that call-tools may do anything, and its socket is that of its calls", async ({ world, client }) => {
  const { annotations } = (await client.client.listTools()).tools.find(({ name }) => name === "call-tools")!;
  assertEquals([annotations?.readOnlyHint, annotations?.destructiveHint], [false, true]);
  const socket = `${world.folder}/other.sock`;
  const { results } = await client.ok("call-tools", {
    socket,
    calls: [{ tool: "create-session", arguments: { name: "there", command: "cat" } }, {
      tool: "kill-server",
    }],
    onError: "continue",
  });
  assertEquals(results[0].ok, true);
  assertEquals((await client.ok("list-sessions")).sessions, []);
  const there = await client.ok("list-sessions", { socket });
  assert(there.sessions.length <= 1);
  await new Deno.Command("tmux", { args: ["-S", socket, "kill-server"], env: world.env, clearEnv: true })
    .output();
});
