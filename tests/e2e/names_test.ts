// A name is stored as it was given, or refused before anything is made.
import { assertEquals, assertRejects } from "@std/assert";
import { parse } from "yaml";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("names");

const KEPT = ["é", "日本", "👍🏽", "👩‍👩‍👧", "e\u0301", "a b", "#{pid}#(date)"];
/** Which of these a tmux knows depends on its C library. */
const DOUBTFUL = ["a\u{1FAE9}b", "a\u2028b", "\u0085", "\uffff", "\u{10ffff}", "\u0378", "a\u202eb"];
const NEVER = ["a\ud800b", "\udfff", "a\tb", "a\x1bb", "a\nb"];

interface Naming {
  tool: string;
  args(name: string): Record<string, unknown>;
  /** The name that tmux has. */
  read(name: string): Promise<string>;
}

async function everything(world: World): Promise<string> {
  const format = "#{session_name} #{window_name} #{pane_title}";
  return await world.tmux("list-panes", "-a", "-F", format) + await world.tmux("list-buffers");
}

async function namings(world: World, client: TestClient): Promise<Naming[]> {
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "old" });
  // A shell that starts runs programs, and tmux names the window after them.
  await world.tmux("set-option", "-g", "automatic-rename", "off");
  await client.ok("create-window", { sessionId });
  const show = async (target: string, format: string): Promise<string> =>
    (await world.tmux("display-message", "-p", "-t", target, format)).replace(/\n$/, "");
  const among = async (list: string, format: string, name: string): Promise<string> =>
    (await world.tmux(list, ...(list === "list-windows" ? ["-a"] : []), "-F", format)).split("\n")
      .find((each) => each === name) ?? "none";
  await client.ok("set-buffer", { name: "from", content: "x" });
  return [
    {
      tool: "create-session",
      args: (name) => ({ name }),
      read: (name) => among("list-sessions", "#{session_name}", name),
    },
    {
      tool: "rename-session",
      args: (newName) => ({ sessionId, newName: `${newName}2` }),
      read: async () => (await show(paneId, "#{session_name}")).replace(/2$/, ""),
    },
    {
      tool: "create-window",
      args: (name) => ({ sessionId, name }),
      read: (name) => among("list-windows", "#{window_name}", name),
    },
    {
      tool: "rename-window",
      args: (newName) => ({ windowId, newName }),
      read: () => show(paneId, "#{window_name}"),
    },
    { tool: "rename-pane", args: (title) => ({ paneId, title }), read: () => show(paneId, "#{pane_title}") },
    {
      tool: "set-buffer",
      args: (name) => ({ name, content: "x" }),
      read: (name) => among("list-buffers", "#{buffer_name}", name),
    },
  ];
}

test(
  "a name that tmux would store in another form is refused before anything is made",
  async ({ world, client }, t) => {
    for (const { tool, args, read } of await namings(world, client)) {
      await t.step(tool, async () => {
        for (const name of [...KEPT, ...DOUBTFUL, ...NEVER]) {
          const before = await everything(world);
          const answer = await client.call(tool, args(name));
          if (answer.isError) {
            assertEquals(answer._meta?.["tmux-mcp/error"]?.code, "invalid-argument", JSON.stringify(name));
            assertEquals(KEPT.includes(name), false, name);
            assertEquals(await everything(world), before, JSON.stringify(name));
          } else {
            assertEquals(NEVER.includes(name), false, JSON.stringify(name));
            assertEquals(await read(name), name);
          }
        }
      });
    }
  },
);

test("a name that tmux would store in another form starts no tmux", async ({ client }) => {
  assertEquals((await client.fails("create-session", { name: "\ud800" })).code, "invalid-argument");
  const answer = await client.call("create-session", { name: "a\u2028b" });
  const { sessions } = await client.ok("list-sessions");
  assertEquals(sessions.map(({ name }: { name: string }) => name), answer.isError ? [] : ["a\u2028b"]);
});

test("a window's name with tmux's separators is kept, or refused before a pane moves", async ({ world, client }) => {
  const { sessionId, paneId } = await client.ok("create-session", { name: "work" });
  await client.ok("split-pane", { paneId });
  const answer = await client.call("break-pane", { paneId, name: "web: a.b" });
  const { windows } = await client.ok("list-windows", { sessionId });
  assertEquals(windows.length, answer.isError ? 1 : 2);
  const isExactly = (await world.tmux("-V")).trim() === "tmux 3.7";
  assertEquals(answer._meta?.["tmux-mcp/error"]?.code, isExactly ? "invalid-argument" : undefined);
});

test("a session that a person has named with tmux's separators is ended and written by its name", async ({ world, client }) => {
  // 3.7a takes such names again; releases before it are refused or changed.
  if (!await world.isTmux(3, 8)) return;
  for (const name of ["a.b", "a:b", "a:b.c"]) {
    await client.ok("create-session", { name: "ours" });
    await world.tmux("new-session", "-d", "-s", "theirs", "cat");
    await world.tmux("rename-session", "-t", "=ours:", name);
    const workspace = parse(await client.ok("freeze-workspace", { sessionId: name }));
    assertEquals((await client.ok("apply-workspace", { workspace })).created, true, name);
    assertEquals(await client.ok("kill-session", { sessionId: name }), { killed: name });
    await world.tmux("rename-session", "-t", "=theirs:", name);
    assertEquals((await client.fails("kill-session", { sessionId: name })).code, "denied");
    await world.tmux("kill-server");
    await until(async () => (await client.call("get-server-info")).structuredContent?.alive === false);
  }
});

Deno.test("a name for something on a tmux server that does not run starts none", async () => {
  await using world = await World.create();
  await Deno.writeTextFile(`${world.folder}/.tmux.conf`, "run-shell 'echo started >> $HOME/started'\n");
  const client = await world.serve();
  const newName = "日本: a.b";
  const calls: [string, Record<string, unknown>][] = [
    ["rename-session", { sessionId: "$0", newName: "日本" }],
    ["create-window", { sessionId: "$0", name: newName }],
    ["rename-window", { windowId: "@0", newName }],
    ["break-pane", { paneId: "%0", name: newName }],
    ["rename-pane", { paneId: "%0", title: newName }],
    ["set-buffer", { name: "a\\b", content: "x" }],
  ];
  const codes = [];
  for (const [tool, args] of calls) codes.push([tool, (await client.fails(tool, args)).code]);
  assertEquals(codes, calls.map(([tool]) => [tool, "not-found"]));
  await assertRejects(() => Deno.stat(`${world.folder}/started`), Deno.errors.NotFound);
  await client.ok("create-session", { name: "日本" });
  assertEquals((await Deno.readTextFile(`${world.folder}/started`)).slice(0, 8), "started\n");
});
