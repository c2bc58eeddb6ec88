// Traps of policy: each test is named after what breaks in other servers.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { tools } from "../../src/tools/all.ts";
import { ElicitRequestSchema, McpError } from "../support/sdk.ts";
import { Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

/** A server under these lines of [security], on a world with a session of somebody else's. */
async function secured(world: World, lines: string): Promise<TestClient> {
  const file = `${world.folder}/${crypto.randomUUID()}.toml`;
  await Deno.writeTextFile(file, `[security]\n${lines}\n`);
  return await world.serve({ args: ["--config", file] });
}

async function paneIn(world: World, session: string, command = "cat"): Promise<string> {
  return (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, command)).trim();
}

Deno.test("allow_capture = false", async (t) => {
  await using world = await World.create();
  await paneIn(world, "keep");
  const file = `${world.folder}/capture.toml`;
  await Deno.writeTextFile(file, "[server]\nchannel = true\n[security]\nallow_capture = false\n");
  const asked = Promise.withResolvers<string>();
  const client = await world.serve({ args: ["--config", file] }, {
    capabilities: { elicitation: {} },
    prepare: (mcp) =>
      mcp.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
        asked.resolve(params.message);
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ action: "cancel" }))
        );
      }),
  });
  const watching = new Watching(world, client);

  await t.step(
    "structured results that break their own schema: without the output that is taken out",
    async () => {
      const paneId = await watching.shellPane();
      const result = await client.ok("execute-command", { paneId, command: "echo hi" });
      assertEquals([result.status, result.exitCode, result.totalLines, "output" in result], [
        "completed",
        0,
        1,
        false,
      ]);
      const again = await client.ok("get-command-result", { commandId: result.commandId });
      assertEquals([again.status, "output" in again], ["completed", false]);
    },
  );

  await t.step("no detail, progress or push quotes what a pane printed", async () => {
    const pushed = Promise.withResolvers<string>();
    client.client.fallbackNotificationHandler = (notification) => {
      pushed.resolve(JSON.stringify(notification));
      return Promise.resolve();
    };
    const paneId = await watching.shellPane();
    const messages: unknown[] = [];
    const onprogress = (update: unknown): void => void messages.push(update);
    const command = "echo first$((40+2)); echo failed: hush$((40+2))";
    const ran = await client.ok("start-and-watch", { paneId, command, mode: "line" }, { onprogress });
    assertEquals([ran.event, ran.detail], ["error", "Error line"]);
    await client.ok("watch-pane", { paneId, triggers: "pattern:hush\\d+", background: true });
    await watching.type(paneId, "echo hush$((40+2))");
    const all = JSON.stringify([ran, messages, await pushed.promise, await client.ok("watch-events")]);
    assertEquals(all.match(/first42|hush42/g), null, all);
  });

  await t.step("neither a form nor an option quotes what a program asks", async () => {
    const { paneId } = await client.ok("create-session", { command: "bash --norc" });
    const command = "read -p hush$((40+2))'? ' word";
    const call = client.ok("execute-command", { paneId, command, onInput: "person", timeout: 30 });
    const form = await asked.promise;
    assertMatch(form, /bash waits for a line of input/);
    const option = await world.tmux("show-options", "-pv", "-t", paneId, "@tmux_mcp_waiting");
    assertMatch(option, /bash waits for a line of input/);
    // Another server, which may read panes, quotes the question there.
    await world.tmux("set-option", "-p", "-t", paneId, "@tmux_mcp_waiting", "asks hush42?");
    const format = "#{@tmux_mcp_waiting}";
    const refused = [
      await client.fails("show-option", { option: "@tmux_mcp_waiting", target: paneId }),
      await client.fails("show-option", { option: "@tmux_mcp_waiting[0]", target: paneId }),
      await client.fails("expand-format", { format, paneId }),
      await client.fails("expand-format", { format: "#{?#{m:*hush*,#{@tmux_mcp_waiting}},1,0}", paneId }),
    ];
    assertEquals(refused.map(({ code }) => code), refused.map(() => "denied"));
    await world.tmux("send-keys", "-t", paneId, "yes", "Enter");
    const all = JSON.stringify([form, option, refused, await call]);
    assertEquals(all.includes("hush42"), false, all);
  });

  await t.step("no detail quotes what a pane printed while no server watched", async () => {
    const paneId = await paneIn(world, "watched");
    const watch = { paneId, triggers: "pattern:hush", background: true };
    const { watchId, cursor } = await client.ok("watch-pane", watch);
    await client.kill();
    await world.tmux("send-keys", "-t", paneId, "hush42", "Enter");
    const second = await secured(world, "allow_capture = false");
    let event: Record<string, unknown> = {};
    await watching.until(async () => {
      const { events } = await second.ok("watch-events", { cursor, waitSeconds: 20 });
      event = events.find((each: { watchId: string }) => each.watchId === watchId) ?? {};
      return event.watchId === watchId;
    });
    assertEquals([event.event, event.detail], ["pattern:hush", "Printed while no server watched"]);
    assertEquals(JSON.stringify(event).includes("hush42"), false);
  });
});

Deno.test("denial looks like `unknown tool`", async () => {
  await using world = await World.create();
  const cases: [how: Parameters<World["serve"]>[0], refused: Record<string, RegExp>][] = [
    [{ args: ["--scope", "agentic"] }, { "send-enter": /removed: --scope agentic/ }],
    [{ args: ["--safety", "readonly"] }, { "send-enter": /removed: --safety readonly/ }],
    [{ env: { TMUX_MCP_TOOLS: "deny:@raw-input,kill-pane" } }, {
      "send-enter": /denies @raw-input/,
      "kill-pane": /denies kill-pane/,
    }],
    [{ env: { TMUX_MCP_TOOLS: "allow:@read" } }, { "kill-pane": /allows only @read/ }],
  ];
  for (const [how, refused] of cases) {
    const client = await world.serve(how);
    const { tools } = await client.client.listTools();
    for (const [name, setting] of Object.entries(refused)) {
      const { code, text } = await client.fails(name, { paneId: "%0" });
      assertEquals(code, "denied");
      assertMatch(text, setting);
      assertEquals((await client.fails(name, { wrong: 1 })).code, "denied");
      assertEquals(tools.some((tool) => tool.name === name), false);
    }
  }
});

Deno.test("unknown tools allowed by default", async () => {
  await using world = await World.create();
  const client = await world.serve({ env: { TMUX_MCP_TOOLS: "allow:list-panes" } });
  for (const { name } of tools.filter((tool) => tool.name !== "list-panes")) {
    const { code, text } = await client.fails(name);
    assertEquals([name, code], [name, "denied"]);
    assertMatch(text, /security\.tools allows only list-panes/);
  }
  for (const name of ["list-pane", "constructor", "__proto__", ""]) {
    const { code } = await assertRejects(() => client.call(name), McpError);
    assertEquals([name, code], [name, -32602]);
  }
  assertEquals(await client.ok("list-panes"), { panes: [] });
});

Deno.test("allow-lists ignored by half of the tools", async (t) => {
  await using world = await World.create();
  const inside = await paneIn(world, "in");
  const outside = await paneIn(world, "out");
  const client = await secured(world, 'allowed_sessions = ["in"]');
  const { tools } = await client.client.listTools();
  const more: Record<string, Record<string, unknown>> = {
    "execute-command": { command: "true" },
    "join-pane": { sourcePaneId: inside, targetPaneId: outside },
    "swap-pane": { sourcePaneId: outside, targetPaneId: inside },
    "paste-buffer": { name: "b" },
    "paste-text": { text: "x" },
    "pipe-pane": { outputPath: null },
    "record-pane": { outputPath: "x.cast", action: "start" },
    "rename-pane": { title: "x" },
    "resize-pane": { zoom: true },
    "run-in-repl": { input: "x" },
    "send-hex": { hex: "41" },
    "send-keys": { keys: "x" },
    "start-and-watch": { command: "true" },
    "wait-for-text": { pattern: "x" },
    "write-to-display": { text: "x" },
    "expand-format": { format: "x" },
    "display-message": { message: "x" },
  };
  for (const { name, inputSchema } of tools) {
    const properties = inputSchema.properties ?? {};
    const args = {
      ...("paneId" in properties ? { paneId: outside } : {}),
      ...("sessionId" in properties && !("paneId" in properties) && !("windowId" in properties)
        ? { sessionId: "out" }
        : {}),
      ...more[name],
    };
    const missing = (inputSchema.required ?? []).some((key) => !(key in args));
    if (missing || !/"(%|out)/.test(JSON.stringify(args))) continue;
    await t.step(name, async () => {
      const { code } = await client.fails(name, args);
      assertEquals(code, "denied");
    });
  }
  await t.step("listings show what is in scope", async () => {
    const { sessions } = await client.ok("list-sessions");
    assertEquals(sessions.map(({ name }: { name: string }) => name), ["in"]);
    const { panes } = await client.ok("list-panes");
    assertEquals(panes.map(({ id }: { id: string }) => id), [inside]);
    const found = await client.ok("search-panes", { pattern: "a", history: "all" });
    assertEquals(found.matches.filter(({ paneId }: { paneId: string }) => paneId === outside), []);
  });
});

Deno.test("allow_create holds for the session that start-and-watch would make", async () => {
  await using world = await World.create();
  await paneIn(world, "t");
  const client = await secured(world, "allow_create = false");
  const { code, text } = await client.fails("start-and-watch", { command: "true" });
  assertEquals(code, "denied");
  assertMatch(text, /allow_create/);
  assertEquals((await client.ok("rename-session", { sessionId: "t", newName: "u" })).name, "u");
});

Deno.test("hints name only tools that this client has", async () => {
  await using world = await World.create();
  const paneId = await paneIn(world, "t");
  const client = await world.serve({ args: ["--scope", "agentic"] });
  const visible = (await client.client.listTools()).tools.map(({ name }) => name);
  await world.tmux("copy-mode", "-t", paneId);
  for (
    const [name, args] of [
      ["send-keys", { paneId, keys: "x" }],
      ["list-panes", { windowId: "@99" }],
      ["capture-pane", { paneId: "%99" }],
      ["capture-pane", { paneId: "%0", socket: `${world.folder}/none` }],
    ] as const
  ) {
    const { hint } = await client.fails(name, args);
    assert(hint);
    const named = hint.match(/\b[a-z]+-[a-z]+(-[a-z]+)*\b/g) ?? [];
    assertEquals(named.filter((word) => !visible.includes(word)), [], hint);
  }
});

Deno.test("own pane: `TMUX` that names the server while no pane matches makes whole sessions untouchable", async () => {
  await using world = await World.create();
  const paneId = await paneIn(world, "t");
  await paneIn(world, "u");
  const pid = (await world.tmux("display-message", "-p", "#{pid}")).trim();
  const env = { TMUX: `${world.socket},${pid},0`, TMUX_PANE: "%999" };
  const client = await world.serve({ args: ["--safety", "destructive"], env });
  assertEquals((await client.fails("kill-server")).code, "denied");
  assertEquals((await client.fails("kill-session", { sessionId: "u" })).code, "denied");
  assertEquals(await client.ok("kill-pane", { paneId }), { killed: paneId });
});
