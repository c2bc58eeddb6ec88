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

/** What a program can be started with besides an environment. */
const SURROUNDINGS = `
mkdir gone && cd gone && rmdir ../gone
export HOME=/nowhere TMPDIR=/nowhere TMUX=/nowhere/tmux,1,0 TMUX_PANE=%1 LD_PRELOAD=/nowhere.so LD_LIBRARY_PATH=/nowhere
unset PATH TERM SHELL
umask 777
trap '' CHLD PIPE
exec 2>&-
exec "$0" "$@"`;

Deno.test("no folder, no PATH, no HOME, a umask of 777, children ignored, stderr closed: the server serves", async () => {
  await using world = await World.create();
  const args = ["-c", SURROUNDINGS, LAUNCHER, "--socket", world.socket, "--scope", "all"];
  const client = await world.serve({ command: "/bin/bash", args });
  const { paneId } = await client.ok("create-session", { command: "exec bash --norc --noprofile" });
  const { output } = await client.ok("execute-command", { paneId, command: "env | grep -c ^LD_; pwd" });
  assertEquals(output, "0\n/");
  assertEquals((await client.ok("list-sessions")).sessions.length, 1);
});

Deno.test("what Deno cannot start with is told in one line", async () => {
  for (const [limit, value] of [["-n", 32], ["-v", 8_000_000]]) {
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", `ulimit ${limit} ${value}; exec "$0"`, LAUNCHER],
    }).output();
    assertEquals([code, stdout.length], [1, 0]);
    const told = new TextDecoder().decode(stderr);
    assertMatch(told, new RegExp(`^tmux-mcp: [^\\n]* ${value} [^\\n]*ulimit ${limit}[^\\n]*\\n$`));
  }
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
