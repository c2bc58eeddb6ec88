// The server as a client starts it from a checkout: any folder, any environment, explicit permissions.
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Client, StdioClientTransport } from "../support/sdk.ts";
import { World } from "../support/world.ts";

const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));

Deno.test("the launcher serves with an empty environment from the root folder", async () => {
  await using world = await World.create();
  const transport = new StdioClientTransport({ command: "/usr/bin/env", args: ["-i", LAUNCHER], cwd: "/" });
  const client = new Client({ name: "bare", version: "1" });
  await client.connect(transport);
  try {
    const answer = await client.callTool({ name: "create-session", arguments: { socket: world.socket } });
    assertEquals(answer.isError, undefined, JSON.stringify(answer.content));
    assertMatch(await world.tmux("list-panes", "-a", "-F", "#{pane_current_path}"), /^\/$/m);
  } finally {
    await client.close();
  }
});

Deno.test("an inherited LD_LIBRARY_PATH does not keep the server from running tmux", async () => {
  await using world = await World.create();
  const client = await world.serve({ env: { LD_LIBRARY_PATH: "/nowhere", LD_PRELOAD: "" } });
  assertEquals(await client.ok("list-sessions"), { sessions: [] });
});

Deno.test("what tmux and its shells want to know reaches a tmux server that a tool starts", async () => {
  await using world = await World.create();
  const env = {
    TZ: "Asia/Tokyo",
    LC_CTYPE: "C.UTF-8",
    SSH_AUTH_SOCK: "/tmp/agent",
    XDG_RUNTIME_DIR: "/run/x",
  };
  const client = await world.serve({ env });
  await client.ok("create-session");
  const shown = (await world.tmux("show-environment", "-g")).split("\n");
  for (const [name, value] of Object.entries(env)) {
    assertEquals(shown.includes(`${name}=${value}`), true, name);
  }
});
