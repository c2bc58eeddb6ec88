// Watches share workers and clients once they are many; each still reports on its own pane.
import { assertEquals } from "@std/assert";
import { descriptorsOf } from "../support/descriptors.ts";
import { watchMany } from "../support/many_watches.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

Deno.test({
  name: "forty watches all fire, on at most two workers, one client for a worker's panes of a session",
  ignore: Deno.build.os !== "linux",
  fn: () => watchMany(40, { atOnce: false }),
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
