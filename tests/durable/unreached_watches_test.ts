// Watches of dead processes that tmux does not answer about: when it is asked again.
import { assert, assertEquals } from "@std/assert";
import { UnreachedWatches } from "../../src/durable/unreached_watches.ts";
import { Inbox, type WatchResult } from "../../src/watch/inbox.ts";
import type { StoredWatch } from "../../src/watch/watch_records.ts";
import type { Watches } from "../../src/watch/watches.ts";
import { delay } from "../../src/timer.ts";
import { HurriedClock } from "../support/hurried_clock.ts";

const KEY = "21508-1795945417";

function storedWatch(timeout: number): StoredWatch {
  return {
    id: `w1-6ec00af4-${KEY}`,
    paneIds: ["%0"],
    triggers: [],
    started: Date.now(),
    timeout,
    cursors: {},
  };
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
  assertEquals(unreached.active().map(({ watchId }) => watchId), [watch.id]);
  assert(unreached.stop(watch.id));
  assert(!unreached.stop(watch.id));
  unreached.attempted([watch], [watch], () => Promise.reject(new Error("tried again")));
  assertEquals([unreached.active(), unreached.has(watch), clock.asked], [[], false, []]);
  assertEquals(inbox.read(undefined, 9).events.map(({ event }) => event), ["cancelled"]);
});

Deno.test("a watch that is stopped between two attempts is left out of the next", async () => {
  using _ = new HurriedClock();
  const unreached = new UnreachedWatches(watchesWithout(new Inbox()));
  const [stopped, kept] = [storedWatch(600), { ...storedWatch(600), id: `w2-6ec00af4-${KEY}` }];
  const { promise: left, resolve } = Promise.withResolvers<readonly StoredWatch[]>();
  unreached.attempting([stopped, kept]);
  unreached.attempted([stopped, kept], [stopped, kept], (again) => Promise.resolve(resolve(again)));
  unreached.stop(stopped!.id);
  assertEquals(await left, [kept]);
});

Deno.test("tmux is asked about a watch at once when it has answered something else", async () => {
  const unreached = new UnreachedWatches(watchesWithout(new Inbox()));
  const watch = storedWatch(3600);
  const attempt = (again: () => void): void => {
    unreached.attempting([watch]);
    unreached.attempted([watch], [watch], () => Promise.resolve(again()));
  };
  const { promise: isLongPause, resolve } = Promise.withResolvers<void>();
  {
    using _ = new HurriedClock();
    const miss = (left: number): void => attempt(() => left > 0 ? miss(left - 1) : resolve());
    miss(6);
    await isLongPause;
  }
  let attempts = 0;
  attempt(() => attempts++);
  unreached.askNow("1-1");
  await delay();
  assertEquals(attempts, 0);
  unreached.askNow(KEY);
  unreached.askNow(KEY);
  await delay();
  unreached.close();
  assertEquals(attempts, 1);
});
