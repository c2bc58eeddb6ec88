// Services and other programs in a new shell that takes long to start.
import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import type { World } from "../support/world.ts";

const test = inTurnOnOneServer("services in a slow shell");

/** Has new shells run this first. */
async function startShellsWith(world: World, script: string): Promise<void> {
  const profile = `${world.folder}/profile.sh`;
  await Deno.writeTextFile(profile, script);
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
}

test("a shell that a call starts itself gets its time, whatever the call's timeout", async ({ world, client }) => {
  await startShellsWith(world, "sleep 2\n");
  const request = { command: "sleep 600", timeout: 0 };
  const service = { ...request, name: "web" };
  const pane = { "shell_command": ["sleep 600"], ready: { pattern: "never" } };
  const workspace = { "session_name": "slow", windows: [{ panes: [pane] }] };
  const [made, started, { windows: [{ panes: [ready] }] }] = await Promise.all([
    client.ok("ensure-service", service),
    client.ok("start-and-watch", request),
    client.ok("apply-workspace", { workspace, timeout: 0 }),
  ]);
  assertEquals([made.status, made.event, started.event], ["started", "timeout", "timeout"]);
  assertMatch(ready.detail, /^No trigger fired/);
  const again = await client.ok("ensure-service", { ...service, restart: true });
  assertEquals([again.status, again.paneId], ["restarted", made.paneId]);
  for (const { commandId } of [started, ready, again]) {
    assertEquals((await client.ok("get-command-result", { commandId })).status, "running");
  }
});
