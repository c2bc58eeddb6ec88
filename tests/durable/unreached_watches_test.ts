// Watches of dead processes that tmux does not answer about: when it is asked again.
import { assert, assertEquals } from "@std/assert";
import { UnreachedWatches } from "../../src/durable/unreached_watches.ts";
import { Inbox, type WatchResult } from "../../src/watch/inbox.ts";
import type { StoredWatch } from "../../src/watch/watch_records.ts";
import type { Watches } from "../../src/watch/watches.ts";
import { HurriedClock } from "../support/hurried_clock.ts";

function storedWatch(timeout: number): StoredWatch {
  return { id: "w1", paneIds: ["%0"], triggers: [], started: Date.now(), timeout, cursors: {} };
}

/** The watches of a process that runs none. */
function watchesWithout(inbox: Inbox): Watches {
  const file = (watchId: string, result: WatchResult) => void inbox.add(watchId, result);
  return { runs: () => false, inbox, file } as unknown as Watches;
}

/** Pauses (ms) before the attempts to reach a watch with this timeout (s), of which the last succeeds. */
async function pausesOf(timeout: number): Promise<number[]> {
  using clock = new HurriedClock();
  const unreached = new UnreachedWatches(watchesWithout(new Inbox()));
  const watch = storedWatch(timeout);
  const answered = Promise.withResolvers<void>();
  const attempt = (left: number): Promise<void> => {
    unreached.attempting([watch]);
    unreached.attempted([watch], left > 0 ? [watch] : [], () => attempt(left - 1));
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

Deno.test("a watch that is stopped while tmux is silent ends once, and is not tried again", () => {
  using clock = new HurriedClock();
  const inbox = new Inbox();
  const unreached = new UnreachedWatches(watchesWithout(inbox));
  const watch = storedWatch(600);
  unreached.attempting([watch]);
  assertEquals(unreached.active().map(({ watchId }) => watchId), ["w1"]);
  assert(unreached.stop("w1"));
  assert(!unreached.stop("w1"));
  unreached.attempted([watch], [watch], () => Promise.reject(new Error("tried again")));
  assertEquals([unreached.active(), unreached.has(watch), clock.asked], [[], false, []]);
  assertEquals(inbox.read(undefined, 9).events.map(({ event }) => event), ["cancelled"]);
});

Deno.test("a watch that is stopped between two attempts is left out of the next", async () => {
  using _ = new HurriedClock();
  const unreached = new UnreachedWatches(watchesWithout(new Inbox()));
  const [stopped, kept] = [storedWatch(600), { ...storedWatch(600), id: "w2" }];
  const { promise: left, resolve } = Promise.withResolvers<readonly StoredWatch[]>();
  unreached.attempting([stopped, kept]);
  unreached.attempted([stopped, kept], [stopped, kept], (again) => Promise.resolve(resolve(again)));
  unreached.stop("w1");
  assertEquals(await left, [kept]);
});
