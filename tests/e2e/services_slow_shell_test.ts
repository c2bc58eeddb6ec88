// Services and other programs in a new shell that takes long to start.
import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnServers } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import type { World } from "../support/world.ts";

const test = inTurnOnServers(2, "services in a slow shell");

/** Has new shells run this first. */
async function startShellsWith(world: World, script: string): Promise<void> {
  const profile = `${world.folder}/profile.sh`;
  await Deno.writeTextFile(profile, script);
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
}

test("a shell that a call starts itself gets its time, whatever the call's timeout", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
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

test("a service that another server is still starting is waited for, and is not ended", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const open = `${world.folder}/open`;
  await startShellsWith(world, `until [ -e ${open} ]; do read -t 0.05 <> <(:); done\n`);
  const web = { name: "web", command: "sleep 600", pattern: "never" };
  const other = await world.serve();
  const first = client.ok("ensure-service", { ...web, timeout: 20 });
  await until(async () => (await other.ok("list-services")).services.length === 1);
  const { code, text } = await other.fails("ensure-service", { ...web, timeout: 0 });
  assertEquals(code, "busy");
  assertMatch(text, /"web": another call is still starting it/);
  assertEquals((await other.ok("list-services")).services[0].status, "running");
  const second = other.ok("ensure-service", { ...web, timeout: 20 });
  await Deno.writeTextFile(open, "");
  const { status, paneId } = await second;
  assertEquals([status, paneId], ["already-running", (await client.ok("list-services")).services[0].paneId]);
  await client.ok("stop-service", { name: "web" });
  assertEquals((await first).status, "started");
});

test("a restart that is killed, or fails in a shell that asks, keeps no other server from the service", async ({ world, client }) => {
  const web = { name: "web", command: "sleep 600", pattern: "never", timeout: 0 };
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await startShellsWith(world, "");
  const earlier = await world.serve();
  const { paneId } = await earlier.ok("ensure-service", web);
  // Without attaching, only a server that has ended leaves the pane's pipe to others.
  await earlier.kill();
  await startShellsWith(world, "while :; do read -t 1000 <> <(:); done\n");
  const panePid = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_pid}");
  const before = await panePid();
  const killed = await world.serve();
  killed.call("ensure-service", { ...web, restart: true }).catch(() => {});
  await until(async () => await panePid() !== before);
  await killed.kill();
  await startShellsWith(world, "read -p 'Which project? ' project\n");
  for (const restart of [true, false]) {
    const { code, text } = await client.fails("ensure-service", { ...web, restart });
    assertEquals(code, "busy");
    assertMatch(text, restart ? /bash runs there/ : /"web": it has ended, and bash now runs in its pane/);
  }
});

test("a service that a server starts as it ends leaves nothing, and did not exit", async ({ world }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await startShellsWith(world, "while :; do read -t 1000 <> <(:); done\n");
  const ended = await world.serve();
  const started = ended.fails("ensure-service", { name: "web", command: "sleep 600" });
  await until(async () => (await ended.ok("list-services")).services.length === 1);
  Deno.kill(ended.transport.pid!, "SIGTERM");
  assertMatch((await started).text, /shutting down/);
  await until(async () => !(await world.tmux("list-sessions")).includes("tmux-mcp-services"));
});
