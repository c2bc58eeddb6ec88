// The tmux server is killed while commands run in it: their records say so, also where another one has its socket and pane ids.
import { assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { type TestClient, World } from "../support/world.ts";

async function kill(client: TestClient): Promise<void> {
  Deno.kill(client.transport.pid!, "SIGKILL");
  await client.client.close();
}

/** Ends the tmux server of a world as the kernel would for want of memory. */
async function killTmux(world: World): Promise<void> {
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  Deno.kill(pid, "SIGKILL");
  for (const late = performance.now() + 20_000; performance.now() < late;) {
    if (!await Deno.stat(`/proc/${pid}/exe`).then(() => true, () => false)) return;
  }
}

/** Begins a command that goes on until its pane ends. */
async function begin(client: TestClient): Promise<{ paneId: string; commandId: string }> {
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const call = { paneId, command: "echo before; sleep 1000", timeout: 0.6 };
  const { commandId } = await client.ok("execute-command", call);
  return { paneId, commandId };
}

Deno.test("a later server finds a command lost whose tmux server was killed, though another has its socket and pane id", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId, commandId } = await begin(first);
  await kill(first);
  await killTmux(world);
  const second = await world.serve();
  const before = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([before.status, before.paneAlive, before.exitCode], ["lost", false, undefined]);
  assertStringIncludes(before.reason, "tmux server");
  const other = await begin(second);
  assertEquals(other.paneId, paneId);
  assertNotEquals(other.commandId, commandId);
  const after = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([after.status, after.output], ["lost", "before"]);
  const { commands } = await second.ok("list-commands", {});
  assertEquals(commands.map((each: { commandId: string }) => each.commandId), [other.commandId]);
});

Deno.test("nor does it take a pane of the next tmux server for the one of a command that ran on", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId, commandId } = await begin(first);
  const watch = { paneId, triggers: "pattern:needle", background: true, timeout: 3600 };
  const { watchId } = await first.ok("watch-pane", watch);
  await kill(first);
  await killTmux(world);
  await world.tmux("new-session", "-d", "echo needle; exec sleep 1000");
  const second = await world.serve();
  const { status, reason } = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals(status, "lost");
  assertStringIncludes(reason, "tmux server");
  const { events } = await second.ok("watch-events", { waitSeconds: 20 });
  const seen = events.map((each: { watchId: string; event: string }) => [each.watchId, each.event]);
  assertEquals(seen, [[watchId, "gone"]]);
});

Deno.test("a server that lives loses its command with the tmux server, and says why", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { commandId } = await begin(client);
  await killTmux(world);
  const { status, reason, output } = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([status, output.split("\n")[0]], ["lost", "before"]);
  assertStringIncludes(reason, "tmux server");
});

Deno.test("what another server leaves in a pane out of scope is denied to every tool that names it", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { name: "private" });
  await first.ok("create-session", { name: "public" });
  const { commandId } = await first.ok("execute-command", {
    paneId,
    command: "sleep 1000",
    background: true,
  });
  const watch = { paneId, triggers: "pattern:needle", background: true, timeout: 3600 };
  const { watchId } = await first.ok("watch-pane", watch);
  const config = join(world.folder, "limited.toml");
  await Deno.writeTextFile(config, '[security]\nallowed_sessions = ["public"]\n');
  const limited = await world.serve({ args: ["--config", config] });
  const looks = async (): Promise<unknown[]> => [
    (await limited.ok("list-commands", {})).commands,
    (await limited.fails("get-command-result", { commandId })).code,
    (await limited.ok("watch-events", {})).active,
  ];
  const nothing = [[], "not-found", []];
  assertEquals(await looks(), nothing);
  assertEquals((await limited.fails("stop-watch", { watchId })).code, "denied");
  await kill(first);
  // It may not take that watch over either, and cannot stop it.
  assertEquals(await looks(), nothing);
  await limited.fails("stop-watch", { watchId });
  await kill(limited);
  const last = await world.serve();
  await last.ok("list-panes", {});
  const { status } = await last.ok("get-command-result", { commandId, waitSeconds: 0 });
  assertEquals(status, "running");
});
