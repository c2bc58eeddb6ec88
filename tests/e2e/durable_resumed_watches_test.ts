// Watches that a later server continues: on commands, whose records tell the end and the output, and on panes.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";

interface SeenEvent {
  watchId: string;
  paneId: string;
  event: string;
  detail: string;
  exitCode?: number;
  output: string;
  outputTruncated?: boolean;
  totalLines: number;
}

async function eventsOf(client: TestClient, count: number): Promise<SeenEvent[]> {
  const events: SeenEvent[] = [];
  for (const late = performance.now() + 30_000; events.length < count && performance.now() < late;) {
    events.push(...(await client.ok("watch-events", { waitSeconds: 5 })).events);
  }
  return events;
}

/** Starts a command in the background on each of these triggers, which ends once `gate` exists. */
async function startEach(
  client: TestClient,
  { triggers, gate, timeout = 50 }: { triggers: string[]; gate: string; timeout?: number },
): Promise<void> {
  for (const each of triggers) {
    const command = `seq 3; while [ ! -e ${gate} ]; do sleep 0.05; done; seq 4 200; (exit 6)`;
    await client.ok("start-and-watch", { command, triggers: each, background: true, timeout });
  }
}

const ENDING = ["exit,error,user_input", "user_input,exit", "exit", "user_input,shell"];
const LINES = Array.from({ length: 100 }, (_, index) => `${index + 101}`).join("\n");

for (const when of ["while no server runs", "in the next server"]) {
  Deno.test(`a command that ends ${when} ends its watches, and the shell's prompt does not`, async () => {
    await using world = await World.create();
    const first = await world.serve();
    const gate = join(world.folder, "gate");
    await startEach(first, { triggers: ENDING, gate });
    const isPiped = async () =>
      (await world.tmux("list-panes", "-a", "-F", "#{pane_pipe}")) === "1\n".repeat(ENDING.length);
    await until(isPiped);
    await first.kill();
    if (when.startsWith("while")) {
      await Deno.writeTextFile(gate, "");
      const commands = "#{pane_current_command}";
      await until(async () => !(await world.tmux("list-panes", "-a", "-F", commands)).includes("sleep"));
    }
    const second = await world.serve();
    await second.ok("watch-events", { limit: 0 });
    await Deno.writeTextFile(gate, "");
    const events = (await eventsOf(second, ENDING.length)).map(({ event, exitCode, output, totalLines }) =>
      [event, exitCode, output, totalLines] as const
    );
    assertEquals(events.toSorted(), [...Array(3).fill(["exit", 6, LINES, 200]), [
      "shell",
      undefined,
      LINES,
      200,
    ]]);
  });
}

Deno.test("a watch that is not for the end of its command goes on in the next server", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const gate = join(world.folder, "gate");
  await startEach(first, { triggers: ["user_input,pattern:never"], gate, timeout: 6 });
  await until(async () => (await world.tmux("list-panes", "-a", "-F", "#{pane_pipe}")) === "1\n");
  await first.kill();
  await Deno.writeTextFile(gate, "");
  const second = await world.serve();
  const [event] = await eventsOf(second, 1);
  assertEquals([event!.event, event!.totalLines], ["timeout", 200], event!.detail);
});

Deno.test("a watch of a pane says that it did not see all of the output", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true };
  await first.ok("watch-pane", watch);
  await first.kill();
  await world.tmux("send-keys", "-t", paneId, "hay", "Enter");
  const second = await world.serve();
  await second.ok("watch-events", { limit: 0 });
  await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
  const [event] = await eventsOf(second, 1);
  assertEquals([event!.event, event!.outputTruncated], ["pattern:^needle", true]);
});

/** Two panes, each with `cat`, that a background watch is on. */
async function watchTwo(client: TestClient, triggers: string): Promise<[string, string]> {
  const panes = [await client.ok("create-session", { command: "cat" })];
  panes.push(await client.ok("create-session", { command: "cat" }));
  const paneIds = panes.map(({ paneId }) => paneId) as [string, string];
  await client.ok("watch-pane", { paneIds, triggers, background: true, timeout: 3600 });
  return paneIds;
}

for (const [how, ...command] of [["closed", "kill-pane"], ["respawned", "respawn-pane", "-k"]] as const) {
  Deno.test(`the event for a pane that was ${how} while no server ran names that pane`, async () => {
    await using world = await World.create();
    const first = await world.serve();
    const [, second] = await watchTwo(first, "pattern:needle,exit");
    const [, fourth] = await watchTwo(first, "bell");
    await first.kill();
    for (const paneId of [second, fourth]) await world.tmux(...command, "-t", paneId);
    const events = await eventsOf(await world.serve(), 2);
    assertEquals(events.map(({ event, paneId }) => [event, paneId]), [["exit", second], ["gone", fourth]]);
    assertEquals(events[0]!.detail, `The program of pane ${second} ended while no server watched it`);
  });

  Deno.test(`what a pane printed while no server ran fires though another was ${how}`, async () => {
    await using world = await World.create();
    const first = await world.serve();
    const [one, other] = await watchTwo(first, "pattern:needle,exit");
    await first.kill();
    await world.tmux("send-keys", "-t", other, "needle", "Enter");
    await until(async () => (await world.tmux("capture-pane", "-p", "-t", other)).includes("needle\nneedle"));
    await world.tmux(...command, "-t", one);
    const [event] = await eventsOf(await world.serve(), 1);
    assertEquals([event!.event, event!.paneId], ["pattern:needle", other], event!.detail);
  });
}

Deno.test("a program that ended while no server ran fires though another has followed it, not one that was suspended", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const started: { paneId: string; watchId: string }[] = [];
  const begin = async (paneId: string, program: string): Promise<void> => {
    await world.tmux("send-keys", "-t", paneId, program, "Enter");
    const front = async () =>
      await world.tmux("display-message", "-p", "-t", paneId, "#{pane_current_command}");
    await until(async () => await front() === `${program.split(" ")[0]}\n`);
  };
  for (let count = 0; count < 2; count++) {
    const { paneId } = await first.ok("create-session", { command: "bash --norc" });
    await begin(paneId, "cat");
    const watch = { paneId, triggers: "exit", background: true, timeout: 3600 };
    started.push({ paneId, ...await first.ok("watch-pane", watch) });
  }
  const [ended, suspended] = started;
  await first.kill();
  await world.tmux("send-keys", "-t", ended!.paneId, "C-d");
  await world.tmux("send-keys", "-t", suspended!.paneId, "C-z");
  for (const { paneId } of started) await begin(paneId, "sleep 1000");
  const second = await world.serve();
  const events = await eventsOf(second, 1);
  assertEquals(events.map(({ watchId, event }) => [watchId, event]), [[ended!.watchId, "exit"]]);
  const { active } = await second.ok("watch-events", { limit: 0 });
  assertEquals(active.map(({ watchId }: SeenEvent) => watchId), [suspended!.watchId]);
});
