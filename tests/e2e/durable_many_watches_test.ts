// More background watches than one worker follows, all of whose server was killed.
import { assertEquals } from "@std/assert";
import { throughDeathsInTurn } from "../support/killed_server.ts";
import { sized } from "../support/sized.ts";
import type { TestClient, World } from "../support/world.ts";

/** One worker follows 24 panes while another can be started. */
const COUNT = 30;
const STEP = 7;
const LATE_MS = 60_000;

interface SeenEvent {
  watchId: string;
  paneId: string;
}

/** Every event that is there once as many as expected have come. */
async function eventsOf(client: TestClient, count: number): Promise<SeenEvent[]> {
  const events: SeenEvent[] = [];
  const more = async (waitSeconds: number) => {
    const page = await client.ok("watch-events", { waitSeconds, limit: 100 });
    events.push(...page.events);
  };
  for (const late = performance.now() + LATE_MS; events.length < count && performance.now() < late;) {
    await more(5);
  }
  await more(1);
  return events;
}

async function watchFor(client: TestClient, paneId: string, text: string): Promise<string> {
  const triggers = `pattern:^${text}$`;
  const watch = { paneId, triggers, background: true, timeout: 3600 };
  return (await client.ok("watch-pane", watch)).watchId;
}

async function print(world: World, paneId: string, texts: readonly string[]): Promise<void> {
  const keys = texts.flatMap((text) => [text, "Enter"]);
  await world.tmux("send-keys", "-t", paneId, ...keys);
}

/** The numbers below COUNT in an order that is not that of the watches. */
const SHUFFLED: readonly number[] = Array.from({ length: COUNT }, (_, index) => (index * STEP) % COUNT);

const inTurn = throughDeathsInTurn("many watches whose server is killed");

inTurn("many watches on one pane fire late, once each, in the order of what it printed", async (lives) => {
  const { world, server: first } = lives;
  // An echo that cat's output interrupts would be another line.
  const { paneId } = await first.ok("create-session", { command: "sh -c 'stty -echo; exec cat'" });
  const ids: string[] = [];
  for (let index = 0; index < COUNT; index++) ids.push(await watchFor(first, paneId, `needle-${index}`));
  await lives.kill();
  await print(world, paneId, SHUFFLED.map((index) => `needle-${index}`));
  const events = await eventsOf(await lives.serve(), COUNT);
  assertEquals(events.map(({ watchId }) => watchId), SHUFFLED.map((index) => ids[index]));
});

for (const pause of sized({ gate: ["0.015"], soak: ["0.015", "0.03"] })) {
  inTurn(
    `watches of a pane that prints while they are taken over fire once, in order: every ${pause} s`,
    async (lives) => {
      const { world, server: first } = lives;
      const numbers = SHUFFLED.join(" ");
      const script = `read go; for n in ${numbers}; do echo needle-$n; sleep ${pause}; done; exec cat`;
      const { paneId } = await first.ok("create-session", { command: `sh -c '${script}'` });
      const ids: string[] = [];
      for (let index = 0; index < COUNT; index++) ids.push(await watchFor(first, paneId, `needle-${index}`));
      await lives.kill();
      const next = lives.serve();
      await print(world, paneId, ["go"]);
      const events = await eventsOf(await next, COUNT);
      assertEquals(events.map(({ watchId }) => watchId), SHUFFLED.map((index) => ids[index]));
    },
  );
}

inTurn(
  "watches on more panes than one worker follows each fire once, late or as they continue",
  async (lives) => {
    const { world, server: first } = lives;
    const watched: { paneId: string; watchId: string }[] = [];
    for (let index = 0; index < COUNT; index++) {
      const { paneId } = await first.ok("create-session", { command: "cat" });
      watched.push({ paneId, watchId: await watchFor(first, paneId, "needle") });
    }
    await lives.kill();
    const half = COUNT / 2;
    await Promise.all(watched.slice(0, half).map(({ paneId }) => print(world, paneId, ["needle"])));
    const second = await lives.serve();
    const early = await eventsOf(second, half);
    await Promise.all(watched.slice(half).map(({ paneId }) => print(world, paneId, ["needle"])));
    const events = [...early, ...await eventsOf(second, half)];
    const pairs = (all: readonly SeenEvent[]) =>
      all.map(({ watchId, paneId }) => `${watchId} ${paneId}`).sort();
    assertEquals(pairs(events), pairs(watched));
  },
);
