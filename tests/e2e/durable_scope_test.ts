// Servers that take over from a killed one, and may see or change only a part of what it worked in.
import { assertEquals } from "@std/assert";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

interface SeenEvent {
  watchId: string;
  event: string;
}

async function eventsOf(client: TestClient): Promise<[string, string][]> {
  const { events } = await client.ok("watch-events", { waitSeconds: 20 });
  return events.map(({ watchId, event }: SeenEvent) => [watchId, event]);
}

async function activeIn(client: TestClient): Promise<string[]> {
  const { active } = await client.ok("watch-events", { limit: 0 });
  return active.map(({ watchId }: SeenEvent) => watchId);
}

/** Options and pipe of a pane. */
async function stateOf(world: World, paneId: string): Promise<string> {
  const pipe = await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}");
  return `${await world.tmux("show-options", "-p", "-t", paneId)}${pipe}`;
}

Deno.test("a server with a scope leaves watches out of scope to other servers, and follows those in scope", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const watched: Record<string, { paneId: string; watchId: string }> = {};
  for (const name of ["dev", "private"]) {
    const { paneId } = await first.ok("create-session", { name, command: "cat" });
    const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
    watched[name] = { paneId, watchId: (await first.ok("watch-pane", watch)).watchId };
  }
  const { dev, private: hidden } = watched as Record<"dev" | "private", { paneId: string; watchId: string }>;
  const print = (paneId: string) => world.tmux("send-keys", "-t", paneId, "needle", "Enter");
  await first.kill();
  const limited = await world.serve({ args: ["--allowed-sessions=dev"] });
  await limited.ok("list-commands", {});
  assertEquals(await activeIn(limited), [dev.watchId]);
  const next = await world.serve();
  assertEquals(await activeIn(next), [hidden.watchId]);
  await print(hidden.paneId);
  assertEquals(await eventsOf(next), [[hidden.watchId, "pattern:^needle"]]);
  await limited.kill();
  await until(async () => (await activeIn(next)).includes(dev.watchId));
  await print(dev.paneId);
  assertEquals(await eventsOf(next), [[dev.watchId, "pattern:^needle"]]);
});

const LIMITS: [arg: string, where: string][] = [
  ["--allowed-sessions=dev", "out of scope"],
  ["--safety=readonly", "at all"],
];

Deno.test("a server with a limit changes no pane that it may not as it takes over", async (t) => {
  await using world = await World.create();
  // Without an attached client, no pipe copies the command to a file before the server is killed.
  const first = await world.serve({ args: ["--attach=false"] });
  await first.ok("create-session", { name: "dev" });
  const { paneId } = await first.ok("create-session", { name: "private", command: "bash --norc" });
  const gate = `${world.folder}/gate`;
  const command = `echo begun; while [ ! -e ${gate} ]; do sleep 0.3; done; (exit 3)`;
  const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
  await until(async () => (await first.ok("get-command-result", { commandId })).output === "begun");
  // It removes the last option of its typing a moment later.
  await until(async () => !(await stateOf(world, paneId)).includes("@tmux_mcp_typing_since"));
  await first.kill();
  // The pipe that fed the killed server.
  await world.tmux("pipe-pane", "-t", paneId);
  const before = await stateOf(world, paneId);
  for (const [arg, where] of LIMITS) {
    const second = await world.serve({ args: [arg] });
    await t.step(`with ${arg}, no pane ${where}`, async () => {
      await second.ok("list-commands", {});
      assertEquals(await stateOf(world, paneId), before);
    });
    await second.kill();
  }
  const third = await world.serve();
  await third.ok("list-commands", {});
  await Deno.writeTextFile(gate, "");
  const { status, exitCode, output } = await third.commandResult(commandId);
  assertEquals([status, exitCode, output], ["completed", 3, "begun"]);
});

Deno.test("a server with --safety=readonly reads how a command that it has taken over ends", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { command: "bash --norc" });
  const gate = `${world.folder}/gate`;
  const command = `echo begun; while [ ! -e ${gate} ]; do sleep 0.3; done; echo over; (exit 3)`;
  const { commandId } = await first.ok("execute-command", { paneId, command, timeout: 1 });
  await first.kill();
  const second = await world.serve({ args: ["--safety=readonly"] });
  await second.ok("list-commands", {});
  await Deno.writeTextFile(gate, "");
  const { status, exitCode, output } = await second.commandResult(commandId);
  assertEquals([status, exitCode, output], ["completed", 3, "begun\nover"]);
});
