// Watches of dead processes that tmux does not answer about: when it is asked again.
import { assert, assertEquals } from "@std/assert";
import { UnreachedWatches } from "../../src/durable/unreached_watches.ts";
import type { StoredWatch } from "../../src/watch/watch_records.ts";
import type { Watches } from "../../src/watch/watches.ts";
import { HurriedClock } from "../support/hurried_clock.ts";

/** Pauses (ms) before the attempts to reach a watch with this timeout (s), of which the last succeeds. */
async function pausesOf(timeout: number): Promise<number[]> {
  using clock = new HurriedClock();
  const unreached = new UnreachedWatches({ runs: () => false } as unknown as Watches);
  const watch = { id: "w1", paneIds: ["%0"], triggers: [], started: Date.now(), timeout };
  const answered = Promise.withResolvers<void>();
  const attempt = (left: number): Promise<void> => {
    const missed = left > 0 ? [watch as unknown as StoredWatch] : [];
    unreached.attempted([watch as unknown as StoredWatch], missed, () => attempt(left - 1));
    if (left === 0) answered.resolve();
    return Promise.resolve();
  };
  await attempt(8);
  await answered.promise;
  assertEquals(unreached.active(), []);
  return [...clock.asked];
}

Deno.test("tmux is asked about a watch again after a second, and less and less often, until it answers", async () => {
  assertEquals(await pausesOf(3600), [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

Deno.test("tmux is asked about a watch again by its deadline", async () => {
  const pauses = await pausesOf(5);
  assertEquals(pauses.slice(0, 3), [1000, 2000, 4000]);
  assert(pauses.every((ms) => ms <= 5000), pauses.join());
});
