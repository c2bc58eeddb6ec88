// Durable watches and commands beside a tmux that is slow, or silent for a while: nothing is lost, and nothing is over.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { testSideBySide } from "../support/side_by_side.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const test = testSideBySide("watches and commands of a killed server beside a tmux that is slow");

/** Starts a server that runs this before each command of tmux whose arguments match a pattern of the shell. */
async function serveSlowly(world: World, pattern: string, before: string): Promise<TestClient> {
  const slow = join(world.folder, "slow");
  await Deno.writeTextFile(slow, `#!/bin/sh\ncase "$*" in ${pattern}) ${before} ;; esac\nexec tmux "$@"\n`, {
    mode: 0o700,
  });
  return await world.serve({ args: ["--tmux-bin", slow, "--tmux-protocol=false"] });
}

/** A watch whose server was killed. */
async function watchOfDead(world: World): Promise<{ paneId: string; watchId: string }> {
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 600 };
  const { watchId } = await first.ok("watch-pane", watch);
  await first.kill();
  return { paneId, watchId };
}

async function seen(client: TestClient): Promise<string[]> {
  const { events, active } = await client.ok("watch-events", { waitSeconds: 1 });
  return [
    ...events.map((each: { watchId: string; event: string }) => `${each.watchId} ${each.event}`),
    ...active.map((each: { watchId: string }) => `${each.watchId} runs`),
  ];
}

/** Types what a watch waits for, and returns its event. */
async function fired(world: World, client: TestClient, paneId: string): Promise<string[]> {
  await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
  let last: string[] = [];
  await until(async () => (last = await seen(client)).length > 0 && !last[0]!.endsWith(" runs"));
  return last;
}

test("commands are listed and watches continued with a tmux that takes more than a second", async () => {
  await using world = await World.create();
  const { paneId, watchId } = await watchOfDead(world);
  const client = await serveSlowly(world, "*start_time*", "sleep 1.5");
  assertEquals((await client.ok("list-commands")).commands, []);
  assertEquals(await seen(client), [`${watchId} runs`]);
  assertEquals(await fired(world, client, paneId), [`${watchId} pattern:^needle`]);
});

/** Starts a server that tmux does not answer about the panes of watches while the returned file exists. */
async function serveInSilence(world: World): Promise<{ client: TestClient; silent: string }> {
  const silent = join(world.folder, "silent");
  const asked = join(world.folder, "asked");
  await Deno.writeTextFile(silent, "");
  const before = `if [ -e ${silent} ]; then echo x >>${asked}; exec sleep 60; fi`;
  const client = await serveSlowly(world, "*remain-on-exit},off*", before);
  await client.ok("list-commands");
  await until(() => Deno.stat(asked).then(() => true, () => false));
  return { client, silent };
}

test("a watch that is taken over while tmux is silent for a moment is continued, not over", async () => {
  await using world = await World.create();
  const { paneId, watchId } = await watchOfDead(world);
  const { client, silent } = await serveInSilence(world);
  assertEquals(await seen(client), [`${watchId} runs`]);
  await Deno.remove(silent);
  await until(async () => (await seen(client)).includes(`${watchId} runs`));
  assertEquals(await fired(world, client, paneId), [`${watchId} pattern:^needle`]);
});

test("a watch that tmux is silent about is listed at its command, and can be stopped", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const background = { triggers: "exit", background: true, timeout: 600 };
  const { watchId, commandId } = await first.ok("start-and-watch", { command: "cat", ...background });
  await first.kill();
  const { client, silent } = await serveInSilence(world);
  const { commands: [listed] } = await client.ok("list-commands");
  assertEquals([listed.commandId, listed.watchIds], [commandId, [watchId]]);
  assertEquals(await client.ok("stop-watch", { watchId }), { watchId, stopped: true });
  assertEquals(await client.ok("stop-watch", { watchId }), { watchId, stopped: false });
  await Deno.remove(silent);
  assertEquals(await seen(client), [`${watchId} cancelled`]);
  await client.kill();
  assertEquals(await seen(await world.serve()), [`${watchId} cancelled`]);
});

test("a command and a watch are not over because tmux has lost its socket", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 600 };
  const { watchId } = await first.ok("watch-pane", watch);
  const shell = await first.ok("create-session", { command: "bash --norc" });
  const { commandId } = await first.begin({ paneId: shell.paneId, command: "sleep 1000" }, 1);
  await first.kill();
  const socket = (await world.tmux("display-message", "-p", "#{socket_path}")).trim();
  await Deno.rename(socket, `${socket}.away`);
  const client = await world.serve();
  assertEquals((await client.ok("get-command-result", { commandId })).status, "running");
  const { commands } = await client.ok("list-commands");
  assertEquals(commands.map(({ status }: { status: string }) => status), ["running"]);
  assertEquals(await seen(client), [`${watchId} runs`]);
  await Deno.rename(`${socket}.away`, socket);
  assertEquals(await fired(world, client, paneId), [`${watchId} pattern:^needle`]);
  assertEquals((await client.ok("get-command-result", { commandId })).status, "running");
});
