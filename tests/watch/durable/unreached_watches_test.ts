// Watches of dead processes that tmux does not answer about: when it is asked again.
import { assertEquals } from "@std/assert";
import { UnreachedWatches } from "../../../src/watch/durable/unreached_watches.ts";
import type { StoredWatch } from "../../../src/watch/durable/watch_records.ts";
import type { Watches } from "../../../src/watch/watches.ts";
import { HurriedClock } from "../../support/hurried_clock.ts";

Deno.test("tmux is asked about a watch again after a second, and less and less often, until it answers", async () => {
  using clock = new HurriedClock();
  const unreached = new UnreachedWatches({ runs: () => false } as unknown as Watches);
  const watch = { id: "w1", paneIds: ["%0"], triggers: [] } as unknown as StoredWatch;
  const answered = Promise.withResolvers<void>();
  const attempt = (left: number): Promise<void> => {
    unreached.attempted([watch], left > 0 ? [watch] : [], () => attempt(left - 1));
    if (left === 0) answered.resolve();
    return Promise.resolve();
  };
  await attempt(8);
  await answered.promise;
  assertEquals(clock.asked, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  assertEquals(unreached.active(), []);
});
