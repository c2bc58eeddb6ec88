// One line of the audit log for each call, whatever became of it, and nothing that was typed in it.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import type { World } from "../support/world.ts";

const SECRET = "hunter2";

/** A call or request, the tool its line names, and the code of the line; `ok` where it went well. */
const CALLS: readonly [tool: string, args: Record<string, unknown>, code: string][] = [
  ["set-buffer", { name: "b", content: SECRET }, "ok"],
  ["create-session", { name: "s", environment: { TOKEN: SECRET } }, "ok"],
  ["create-session", { environment: { [`A=${SECRET}`]: "x" } }, "invalid-argument"],
  ["create-session", { environment: `{"TOKEN":"${SECRET}"}` }, "ok"],
  ["send-keys", { paneId: "%0", keys: SECRET }, "ok"],
  ["send-keys", { paneId: "%99", keys: SECRET }, "not-found"],
  ["send-keys", { keys: SECRET }, "invalid-argument"],
  ["send-keys", { paneId: "%0", keys: [SECRET, [SECRET]] }, "invalid-argument"],
  ["send-keys", { paneId: "%0", keys: "x", [`${SECRET} odd`]: SECRET }, "invalid-argument"],
  ["set-environment", { name: "TOKEN", value: SECRET }, "ok"],
  ["set-option", { option: "@x", value: SECRET, global: true }, "ok"],
  ["capture-since", { cursor: "none" }, "invalid-argument"],
  ["capture-since", {}, "invalid-argument"],
  ["list-panes", { filters: { title: SECRET } }, "ok"],
  ["watch-pane", { paneIds: ["%0"], timeout: 0, triggers: ["idle:5"] }, "ok"],
  ["watch-pane", { paneId: "%0", timeout: 0, triggers: `exit,pattern:${SECRET}` }, "ok"],
  ["watch-pane", { paneId: "%0", timeout: 0, triggers: [`pattern:${SECRET}`, "bell"] }, "ok"],
  ["watch-pane", { paneId: "%0", timeout: 0, triggers: SECRET }, "invalid-argument"],
  ["kill-server", {}, "denied"],
  ["send-tab", { wrong: SECRET }, "denied"],
];

const logOf = ({ folder }: World): string => `${folder}/audit.jsonl`;

const test = inTurnOnOneServer(
  "lines of calls",
  (world) => world.serve({ args: ["--audit-path", logOf(world), "--tools", "send-tab"] }),
);

/** Reads the lines that come from now on. */
async function readFromNow(world: World): Promise<() => Promise<{ tool: string; code?: string }[]>> {
  const read = async () => (await Deno.readTextFile(logOf(world))).trim().split("\n");
  const before = (await read()).length;
  return async () => (await read()).slice(before).map((line) => JSON.parse(line));
}

test("every call has a line, its payloads only as length and hash", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "cat");
  const path = logOf(world);
  const wanted: string[] = [];
  for (const [tool, args, code] of CALLS) {
    await client.call(tool, args);
    wanted.push(`${tool} ${code}`);
  }
  const { client: mcp } = client;
  await mcp.callTool({ name: "no-such-tool", arguments: { text: SECRET } }).catch(() => {});
  // Lists and completion are not calls.
  await Promise.all([mcp.listTools(), mcp.listResources(), mcp.listResourceTemplates(), mcp.listPrompts()]);
  await mcp.complete({
    ref: { type: "ref/prompt", name: "diagnose-failing-pane" },
    argument: { name: "paneId", value: "" },
  });
  await mcp.readResource({ uri: "tmux://sessions" });
  await mcp.readResource({ uri: "tmux://pane/%2599" }).catch(() => {});
  await mcp.readResource({ uri: "tmux://no/such/thing" }).catch(() => {});
  await mcp.getPrompt({ name: "run-and-wait", arguments: { command: SECRET, paneId: "%0" } });
  await mcp.getPrompt({ name: "no-such", arguments: {} }).catch(() => {});
  wanted.push(
    ...[
      "no-such-tool not-found",
      "resource-sessions ok",
      "resource-pane not-found",
      "resources/read not-found",
    ],
    ...["prompts/get ok", "prompts/get invalid-argument"],
  );

  const text = await Deno.readTextFile(path);
  const lines = text.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ tool, code = "ok" }) => `${tool} ${code}`), wanted);
  assert(!text.includes(SECRET), text.split("\n").find((line) => line.includes(SECRET)));
  for (const { time, durationMs, decision, outcome, args } of lines) {
    assertMatch(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert(
      durationMs >= 0 && typeof args === "object" && /^(allowed|denied)$/.test(decision) &&
        outcome !== undefined,
    );
  }
  assertEquals(lines[0].args.content.length, SECRET.length);
  assertEquals(lines[1].args.environment.TOKEN.length, SECRET.length);
  assertEquals(lines[14].args, {
    paneIds: ["%0"],
    triggers: ["idle:5"],
    mode: "medium",
    timeout: 0,
    background: false,
  });
  assertEquals(lines[15].args.triggers.length, `exit,pattern:${SECRET}`.length);
  assertEquals(lines[18].denied, "--safety mutating");
  assertMatch(lines[19].denied, /security\.tools denies send-tab/);
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
});

test("the line of a call that its client cancelled says so, whatever the client's reason", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "cat" });
  const lines = await readFromNow(world);
  const codes = async () => (await lines()).map(({ code }) => code);
  const reasons = ["ok", "The user pressed Escape"];
  for (const [index, reason] of reasons.entries()) {
    const controller = new AbortController();
    const first = Promise.withResolvers<void>();
    const options = { signal: controller.signal, onprogress: () => first.resolve() };
    const call = client.call("wait-for-content-change", { paneId, timeout: 60 }, options);
    await first.promise;
    controller.abort(reason);
    await call.catch(() => {});
    await until(async () => (await codes()).length > index);
  }
  assertEquals(await codes(), ["cancelled", "cancelled"]);
});

test("this server's own reads of what is subscribed to are no calls", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "cat");
  const lines = await readFromNow(world);
  const updated = Promise.withResolvers<void>();
  client.client.fallbackNotificationHandler = () => Promise.resolve(updated.resolve());
  await client.client.subscribeResource({ uri: "tmux://pane/%250" });
  await world.tmux("send-keys", "-t", "%0", "x", "Enter");
  await updated.promise;
  assertEquals((await lines()).map(({ tool }) => tool), ["resource-pane"]);
});
