// The folder of this server, or of a pane, is removed while they run.
import { assertEquals } from "@std/assert";
import { type TestClient, World } from "../support/world.ts";

for (const [when, isCalled] of [["before the first call", false], ["after it", true]] as const) {
  Deno.test(`a server whose folder is removed beside a call, ${when}, goes on and complains of nothing`, async (t) => {
    await using world = await World.create();
    const own = `${world.folder}/own`;
    await Deno.mkdir(own);
    const client = await world.serve({ cwd: own });
    if (isCalled) await client.ok("create-session", { name: "first" });
    await Deno.remove(own);
    // A worker is started for the next call 20 ms after the first.
    for (let pings = 0; pings < 300; pings++) await client.client.ping();
    const { paneId } = await client.ok("create-session", { command: "bash --norc" });
    const run = await client.ok("execute-command", { paneId, command: "sleep 0.2; echo still here" });
    assertEquals([run.status, run.output], ["completed", "still here"]);
    assertEquals(client.stderr, "");
    if (isCalled) return;

    await t.step(
      "and no call is internal, with the folder of the pane removed too",
      () => noneIsInternal(world, client),
    );
  });
}

async function noneIsInternal(world: World, client: TestClient): Promise<void> {
  const panes = `${world.folder}/panes`;
  await Deno.mkdir(panes);
  const { paneId, sessionId, windowId } = await client.ok("create-session", { startDirectory: panes });
  await Deno.remove(panes);
  const command = await client.ok("execute-command", { paneId, command: "echo still here" });
  assertEquals([command.status, command.output], ["completed", "still here"]);
  const calls: [string, Record<string, unknown>, string?][] = [
    ["create-session", {}],
    ["create-window", { sessionId }],
    ["split-pane", { paneId }],
    ["start-and-watch", { command: "echo ready" }],
    ["pane-state", { paneId }],
    ["get-pane-info", { paneId }],
    ["list-windows", {}],
    ["capture-since", { paneId }],
    ["search-panes", { pattern: "here" }],
    ["set-buffer", { name: "b", content: "text" }],
    ["show-buffer", { name: "b" }],
    ["search-buffer", { query: "text", buffer: "b" }],
    ["get-server-info", {}],
    ["list-servers", {}],
    ["socket-for-path", { path: "/some/where" }],
    ["list-sessions", { socket: "other" }],
    ["screenshot-pane", { paneId, output: "svg" }],
    ["respawn-pane", { paneId }],
    ["rename-window", { windowId, newName: "new" }],
    ["create-session", { startDirectory: panes }, "invalid-argument"],
    ["save-buffer", { name: "b", path: "relative" }, "denied"],
    ["record-pane", { paneId, action: "start", outputPath: "relative" }, "denied"],
    ["pipe-pane", { paneId, outputPath: "relative" }, "denied"],
  ];
  for (const [tool, args, code] of calls) {
    const { _meta, content } = await client.call(tool, args);
    assertEquals(_meta?.["tmux-mcp/error"]?.code, code, `${tool}: ${content[0]?.text}`);
  }
}
