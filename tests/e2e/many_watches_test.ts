// Watches share workers and clients once they are many; each still reports on its own pane.
import { assertEquals } from "@std/assert";
import { descriptorsOf } from "../support/descriptors.ts";
import { watchMany } from "../support/many_watches.ts";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

Deno.test({
  name: "forty watches all fire, on at most two workers, one client for a worker's panes of a session",
  ignore: Deno.build.os !== "linux",
  fn: () => watchMany(40, { atOnce: false }),
});

Deno.test("one watch takes sixty panes, in a scope too", async () => {
  await using world = await World.create();
  const windows = Array.from({ length: 59 }, () => [";", "new-window", "-d", "exec cat"]);
  await world.tmux("new-session", "-d", "-s", "farm", "exec cat", ...windows.flat());
  const paneIds = (await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).trimEnd().split("\n");
  assertEquals(paneIds.length, 60);
  for (const args of [[], ["--allowed-sessions", "farm"]]) {
    const watching = new Watching(world, await world.serve({ args }));
    const { result } = await watching.watch({ paneIds, triggers: "pattern:done" });
    await watching.type(paneIds[59]!, "done");
    const { paneId, event } = readResult(await result);
    assertEquals([paneId, event], [paneIds[59], "pattern:done"]);
  }
});

/** Descriptors of processes that a server watches for their end. */
async function watchedProcesses(pid: number): Promise<number> {
  return (await descriptorsOf(pid)).filter((target) => target.includes("[pidfd]")).length;
}

Deno.test("workers that are not needed any more leave no descriptor behind", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const pid = client.transport.pid ?? 0;
  await watching.pane("cat", "keep");
  for (let round = 0; round < 3; round++) {
    const names = ["a", "b", "c", "d"];
    const panes = await Promise.all(names.map((name) => watching.pane("cat", name)));
    const watches = await Promise.all(
      panes.map((paneId) => client.ok("watch-pane", { paneId, triggers: "exit", background: true })),
    );
    assertEquals(watches.length, names.length);
    await Promise.all(names.map((name) => world.tmux("kill-session", "-t", `=${name}`)));
    await watching.until(async () => (await watching.active()).length === 0);
  }
  await watching.until(async () => await watchedProcesses(pid) === 0);
});
