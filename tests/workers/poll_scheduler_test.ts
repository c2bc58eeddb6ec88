// The clock of a worker: when it polls, when it sleeps, and what it then tells the host.
import { assertEquals } from "@std/assert";
import { PollScheduler, type Sleep, sleepOfAll } from "../../workers/poll_scheduler.ts";

const FOR_EVER: Sleep = { until: Infinity, awaited: [{ pid: 7, ran: 1.5 }] };

class Watched implements Disposable {
  readonly clock: PollScheduler;
  readonly told: number[][] = [];
  polls = 0;
  #polled = Promise.withResolvers<void>();

  constructor(sleep: () => Sleep | undefined) {
    this.clock = new PollScheduler({
      poll: () => {
        this.polls++;
        this.#polled.resolve();
        this.#polled = Promise.withResolvers();
        return sleep();
      },
      sleeps: (awaited) => void this.told.push(awaited.map(({ pid }) => pid)),
    });
  }

  get polled(): Promise<void> {
    return this.#polled.promise;
  }

  [Symbol.dispose](): void {
    this.clock.stop();
  }
}

/** Timers of one thread fire in the order in which they are due. */
async function isFirst(event: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = new Promise<boolean>((resolve) => timer = setTimeout(() => resolve(false), ms));
  const first = await Promise.race([event.then(() => true), later]);
  clearTimeout(timer);
  return first;
}

Deno.test("a clock polls again and again where nobody knows how long a result holds", async () => {
  using watched = new Watched(() => undefined);
  watched.clock.pollSoon();
  for (let i = 0; i < 3; i++) assertEquals(await isFirst(watched.polled, 1500), true);
  assertEquals([watched.polls, watched.told], [3, []]);
});

Deno.test("a clock that sleeps says once what it waits for, and polls at once when woken", async () => {
  using watched = new Watched(() => FOR_EVER);
  watched.clock.pollSoon();
  await watched.polled;
  watched.clock.pollSoon();
  await watched.polled;
  assertEquals([watched.polls, watched.told], [2, [[7]]]);
  watched.clock.wake();
  assertEquals([watched.polls, watched.told], [3, [[7], [7]]]);
});

Deno.test("a clock that sleeps polls soon after something has happened, and when its sleep is over", async () => {
  let sleep = FOR_EVER;
  using watched = new Watched(() => sleep);
  watched.clock.pollSoon();
  await watched.polled;
  assertEquals(await isFirst(watched.polled, 1500), false);
  watched.clock.pollSoon();
  sleep = { until: performance.now() + 600, awaited: [] };
  assertEquals(await isFirst(watched.polled, 400), true);
  assertEquals(await isFirst(watched.polled, 1500), true);
});

Deno.test("a clock that was stopped says again what it waits for, and is not woken", async () => {
  using watched = new Watched(() => FOR_EVER);
  watched.clock.pollSoon();
  await watched.polled;
  watched.clock.stop();
  watched.clock.wake();
  assertEquals(watched.polls, 1);
  watched.clock.pollSoon();
  await watched.polled;
  assertEquals(watched.told, [[7], [7]]);
});

Deno.test("all sleep as long as the first of them to wake, and not at all where one can't", () => {
  const soon = { until: 5, awaited: [{ pid: 8, ran: 2.5 }] };
  assertEquals(sleepOfAll([{ sleep: FOR_EVER }, { sleep: soon }]), {
    until: 5,
    awaited: [...FOR_EVER.awaited, ...soon.awaited],
  });
  assertEquals(sleepOfAll([{ sleep: FOR_EVER }, { sleep: undefined }]), undefined);
});
