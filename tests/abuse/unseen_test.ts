// Whatever happens out of scope changes no answer of a tool that reads, and no resource.
import { assertEquals, assertMatch } from "@std/assert";
import { until } from "../support/until.ts";
import { Stage } from "./stage.ts";

const PANE = { paneId: "%0" };
/** Tools that read, each with arguments for what is in scope; a new one has to be added. */
const READING: Readonly<Record<string, Record<string, unknown>>> = {
  "capture-pane": { ...PANE, lines: 100 },
  "capture-since": PANE,
  "expand-format": { ...PANE, format: "#{pane_id} #{pane_title} #{pane_width}" },
  "find-pane-by-position": { windowId: "@0", corner: "top-left" },
  "find-session": { name: "in" },
  "freeze-workspace": { sessionId: "in" },
  "get-command-result": { commandId: "c1-1" },
  "get-current-session": {},
  "get-pane-info": PANE,
  "get-server-info": {},
  "get-session-info": { sessionId: "in" },
  "get-window-info": { windowId: "@0" },
  "list-buffers": {},
  "list-clients": {},
  "list-commands": {},
  "list-panes": {},
  "list-servers": {},
  "list-services": {},
  "list-sessions": {},
  "list-windows": {},
  "pane-state": PANE,
  "screenshot-pane": PANE,
  "search-buffer": { query: "x" },
  "search-panes": { pattern: "x|SECRET" },
  "show-buffer": { name: "b" },
  "show-environment": { sessionId: "in" },
  "show-hook": { name: "after-new-window" },
  "show-hooks": {},
  "show-option": { option: "status" },
  "snapshot-pane": PANE,
  "socket-for-path": { path: "/tmp/x" },
  "stop-watch": { watchId: "w1-1" },
  "subsearch-buffer": { anchor: { buffer: "b", offsetBytes: 0, matchLen: 1 }, query: "x" },
  "wait-for-channel": { channel: "never", timeout: 0 },
  "wait-for-content-change": { ...PANE, timeout: 0 },
  "wait-for-text": { ...PANE, pattern: "never", timeout: 0 },
  "watch-events": {},
  "watch-pane": { ...PANE, triggers: "exit", timeout: 0 },
};
/** Tools whose argument names nothing here. */
const UNKNOWN = ["get-command-result", "stop-watch"];
/** Tools that show a person something. */
const SHOWING = ["open-live-view"];
/** Fields that differ from call to call. */
const PASSING = new Set(["cursor", "elapsed", "watchId", "nextCursor"]);

function withoutPassing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPassing);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !PASSING.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutPassing(each)]));
}

async function readText({ client }: Stage, uri: string): Promise<unknown> {
  const [content] = (await client.client.readResource({ uri })).contents as {
    text: string;
    mimeType: string;
  }[];
  return content!.mimeType === "application/json" ? withoutPassing(JSON.parse(content!.text)) : content!.text;
}

async function readAll(stage: Stage): Promise<Record<string, unknown>> {
  const { client } = stage;
  const { tools } = await client.client.listTools();
  const reading = tools.filter(({ name, annotations }) =>
    annotations?.readOnlyHint && !SHOWING.includes(name)
  );
  const answers: Record<string, unknown> = {};
  for (const { name } of reading) {
    const args = READING[name];
    if (!args) throw new Error(`READING lacks arguments for ${name}`);
    const { structuredContent, isError, content } = await client.call(name, args);
    assertEquals(isError === true, UNKNOWN.includes(name), content[0]?.text);
    answers[name] = isError ? content[0]?.text : withoutPassing(structuredContent ?? content);
  }
  const { resources } = await client.client.listResources();
  answers.resources = resources;
  for (const { uri } of resources) answers[uri] = await readText(stage, uri);
  return answers;
}

/** Settings that limit what is seen, and tmux commands that change only what they hide. */
const SCOPES: readonly (readonly [settings: string, hidden: readonly (readonly string[])[]])[] = [
  ['allowed_sessions = ["in"]', [
    ["new-session", "-d", "-s", "more", "-n", "SECRET", "cat"],
    ["new-window", "-d", "-t", "out:", "-n", "SECRET", "cat"],
    ["rename-session", "-t", "out", "SECRET"],
    ["set-environment", "-t", "more", "SECRET", "x"],
    ["set-option", "-t", "more", "status-left", "SECRET"],
    ["set-buffer", "-b", "SECRET", "x"],
    ["link-window", "-s", "in:", "-t", "more:"],
    ["rename-window", "-t", "%1", "SECRET"],
  ]],
  ['allowed_panes = ["%0"]', [
    ["new-session", "-d", "-s", "more", "-n", "SECRET", "cat"],
    ["new-window", "-d", "-t", "in:", "-n", "SECRET", "cat"],
    ["rename-session", "-t", "out", "SECRET"],
    ["send-keys", "-t", "%1", "echo SECRET", "Enter"],
    ["select-pane", "-t", "%2", "-T", "SECRET"],
    ["send-keys", "-t", "%2", "SECRET"],
    ["set-buffer", "-b", "SECRET", "x"],
  ]],
];

for (const [settings, hidden] of SCOPES) {
  Deno.test(`with ${settings}, what is out of scope changes no answer`, async () => {
    await using stage = await Stage.open({ settings: `[security]\n${settings}\n` });
    await stage.world.tmux("split-window", "-d", "-t", "in:", "cat");
    await stage.client.ok("set-buffer", { name: "b", content: "x" });
    // The pane's shell changes nothing more by itself.
    await stage.world.tmux("rename-window", "-t", "@0", "shell");
    await until(async () => (await stage.client.ok("pane-state", PANE)).waitingForInput);
    const before = await readAll(stage);
    for (const command of hidden) await stage.world.tmux(...command);
    assertEquals(await readAll(stage), before);
  });
}

Deno.test("of the sessions that a pane is linked into, one in scope is named and attached to", async () => {
  const settings = '[security]\nallowed_sessions = ["in", "tmux-mcp-services"]\n';
  await using stage = await Stage.open({ settings });
  const { world, client, inside: paneId } = stage;
  const service = { name: "web", command: "cat", pattern: "never", timeout: 0 };
  const { sessionId, paneId: servicePane } = await client.ok("ensure-service", service);
  for (const other of ["aaa", "zzz"]) {
    await world.tmux("new-session", "-d", "-s", other, "cat");
    for (const pane of [paneId, servicePane]) {
      await world.tmux("link-window", "-d", "-s", pane, "-t", `${other}:`);
    }
  }
  await world.tmux("select-window", "-t", "zzz:2");
  await client.ok("watch-pane", { paneId, triggers: "bell", background: true });
  await client.untilWatching();
  await client.ok("watch-pane", { paneIds: [paneId, servicePane], triggers: "bell", timeout: 0 });
  const attached = (await world.tmux("list-clients", "-F", "#{client_session}")).split("\n");
  assertEquals(attached.filter((session) => ["aaa", "zzz"].includes(session)), []);
  assertEquals((await client.ok("ensure-service", service)).sessionId, sessionId);
  await client.ok("start-and-watch", { paneId, command: "cat", triggers: "user_input" });
  const { hint } = await client.ok("ask-person", { paneId, message: "Please" });
  assertMatch(hint, /attach -t '\$0:@0\.%0'$/);
});
