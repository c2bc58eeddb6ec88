// A pane that prints as fast as it can: nothing grows with its output, and nothing waits for it.
import { assert } from "@std/assert";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";
import { residentMegabytes } from "../support/memory.ts";

const FLOOD = "yes 0123456789012345678901234567890123456789 | head -n 5000000; echo flood over; exec cat";
/** Far less than the flood. */
const MAX_GROWTH_MB = 100;

Deno.test("200 MB through a watched pane leave no server bigger", async () => {
  await using world = await World.create();
  const watching = new Watching(world, await world.serve());
  const paneId = await watching.waitingPane(FLOOD);
  const args = { paneId, triggers: "pattern:^flood over", timeout: 600 };
  const { result } = await watching.watch(args, { timeout: 600_000 });
  const servers = [
    watching.client.transport.pid ?? 0,
    Number(await world.tmux("display-message", "-p", "#{pid}")),
  ];
  const before = await Promise.all(servers.map(residentMegabytes));
  await watching.go(paneId);
  let over = false;
  const told = result.then((answer) => (over = true, readResult(answer)));
  while (!over) {
    await watching.client.ok("list-sessions");
    for (const [index, pid] of servers.entries()) {
      const growth = await residentMegabytes(pid) - before[index]!;
      assert(growth < MAX_GROWTH_MB, `${index === 0 ? "ours" : "tmux"} grew by ${growth} MB`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert((await told).detail.includes("flood over"));
});
