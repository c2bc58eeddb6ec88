// Watches that a later server continues: on commands, whose records tell the end and the output, and on panes.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { throughOneDeath } from "../support/killed_server.ts";
import type { TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";

const test = throughOneDeath("watches that the next server continues");
/** Its time is over before steps beside it let the next server come. */
const soon = throughOneDeath("a watch that the next server continues for a few seconds");

/** Starts a command in the background on each of these triggers, which ends once `gate` exists. */
async function startEach(
  client: TestClient,
  { triggers, gate, timeout = 50 }: { triggers: string[]; gate: string; timeout?: number },
): Promise<{ watchId: string; paneId: string }[]> {
  const begun: { watchId: string; paneId: string }[] = [];
  for (const each of triggers) {
    const command = `seq 3; while [ ! -e ${gate} ]; do sleep 0.3; done; seq 4 200; (exit 6)`;
    begun.push(await client.ok("start-and-watch", { command, triggers: each, background: true, timeout }));
  }
  return begun;
}

/** A format of tmux in each of these panes. */
async function ofEach(world: World, panes: readonly { paneId: string }[], format: string): Promise<string[]> {
  const said = panes.map(({ paneId }) => world.tmux("display-message", "-p", "-t", paneId, format));
  return (await Promise.all(said)).map((each) => each.trimEnd());
}

const idsOf = (watched: readonly { watchId: string }[]): string[] => watched.map(({ watchId }) => watchId);

const ENDING = ["exit,error,user_input", "user_input,exit", "exit", "user_input,shell"];
const LINES = Array.from({ length: 100 }, (_, index) => `${index + 101}`).join("\n");

for (const when of ["while no server runs", "in the next server"]) {
  test(`a command that ends ${when} ends its watches, and the shell's prompt does not`, async (lives) => {
    const { world, server: first } = lives;
    const gate = join(world.folder, `gate ${when}`.replaceAll(" ", "-"));
    const begun = await startEach(first, { triggers: ENDING, gate });
    await until(async () => (await ofEach(world, begun, "#{pane_pipe}")).every((pipe) => pipe === "1"));
    await lives.kill();
    if (when.startsWith("while")) {
      await Deno.writeTextFile(gate, "");
      const running = () => ofEach(world, begun, "#{pane_current_command}");
      await until(async () => !(await running()).includes("sleep"));
    }
    const second = await lives.serve();
    await second.ok("watch-events", { limit: 0 });
    await Deno.writeTextFile(gate, "");
    const events = (await lives.eventsOf(idsOf(begun))).map(({ event, exitCode, output, totalLines }) =>
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

soon("a watch that is not for the end of its command goes on in the next server", async (lives) => {
  const { world, server: first } = lives;
  const gate = join(world.folder, "gate");
  const begun = await startEach(first, { triggers: ["user_input,pattern:never"], gate, timeout: 6 });
  await until(async () => (await ofEach(world, begun, "#{pane_pipe}"))[0] === "1");
  await lives.kill();
  await Deno.writeTextFile(gate, "");
  await lives.serve();
  const [event] = await lives.eventsOf(idsOf(begun));
  assertEquals([event!.event, event!.totalLines], ["timeout", 200], event!.detail);
});

test("a watch of a pane says that it did not see all of the output", async (lives) => {
  const { world, server: first } = lives;
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true };
  const { watchId } = await first.ok("watch-pane", watch);
  await lives.kill();
  await world.tmux("send-keys", "-t", paneId, "hay", "Enter");
  const second = await lives.serve();
  await second.ok("watch-events", { limit: 0 });
  await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
  const [event] = await lives.eventsOf([watchId]);
  assertEquals([event!.event, event!.outputTruncated], ["pattern:^needle", true]);
});

test("a command that was run in a watched pane is no output for the next server either", async (lives) => {
  const { world, server: first } = lives;
  const gate = join(world.folder, "gate of echoes");
  const { paneId } = await first.ok("create-session", { command: "bash --norc" });
  const watch = { paneId, triggers: "pattern:needle", background: true };
  const { watchId } = await first.ok("watch-pane", watch);
  await first.ok("execute-command", { paneId, command: "echo hay # no needle\n: needle" });
  const command = `until [ -e '${gate}' ]; do sleep 0.1; done # needle\necho needle again`;
  await first.ok("execute-command", { paneId, command, background: true });
  await lives.kill();
  const second = await lives.serve();
  await second.ok("watch-events", { limit: 0 });
  await Deno.writeTextFile(gate, "");
  const [event] = await lives.eventsOf([watchId]);
  assertEquals(event!.detail, "Matched: needle again");
});

/** Two panes, each with `cat`, that a background watch is on. */
async function watchTwo(client: TestClient, triggers: string) {
  const panes = [await client.ok("create-session", { command: "cat" })];
  panes.push(await client.ok("create-session", { command: "cat" }));
  const paneIds = panes.map(({ paneId }) => paneId) as [string, string];
  const watch = { paneIds, triggers, background: true, timeout: 3600 };
  const { watchId }: { watchId: string } = await client.ok("watch-pane", watch);
  return { paneIds, watchId };
}

for (const [how, ...command] of [["closed", "kill-pane"], ["respawned", "respawn-pane", "-k"]] as const) {
  test(`the event for a pane that was ${how} while no server ran names that pane`, async (lives) => {
    const { world, server: first } = lives;
    const one = await watchTwo(first, "pattern:needle,exit");
    const other = await watchTwo(first, "bell");
    const [second, fourth] = [one.paneIds[1], other.paneIds[1]];
    await lives.kill();
    for (const paneId of [second, fourth]) await world.tmux(...command, "-t", paneId);
    await lives.serve();
    const events = await lives.eventsOf(idsOf([one, other]));
    const exit = events.find(({ watchId }) => watchId === one.watchId)!;
    const gone = events.find(({ watchId }) => watchId === other.watchId)!;
    assertEquals([exit.event, exit.paneId, gone.event, gone.paneId], ["exit", second, "gone", fourth]);
    assertEquals(exit.detail, `The program of pane ${second} ended while no server watched it`);
  });

  test(`what a pane printed while no server ran fires though another was ${how}`, async (lives) => {
    const { world, server: first } = lives;
    const { paneIds: [one, other], watchId } = await watchTwo(first, "pattern:needle,exit");
    await lives.kill();
    await world.tmux("send-keys", "-t", other, "needle", "Enter");
    await until(async () => (await world.tmux("capture-pane", "-p", "-t", other)).includes("needle\nneedle"));
    await world.tmux(...command, "-t", one);
    await lives.serve();
    const [event] = await lives.eventsOf([watchId]);
    assertEquals([event!.event, event!.paneId], ["pattern:needle", other], event!.detail);
  });
}

test("a program that ended while no server ran fires though another has followed it, not one that was suspended", async (lives) => {
  const { world, server: first } = lives;
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
  await lives.kill();
  await world.tmux("send-keys", "-t", ended!.paneId, "C-d");
  await world.tmux("send-keys", "-t", suspended!.paneId, "C-z");
  for (const { paneId } of started) await begin(paneId, "sleep 1000");
  const second = await lives.serve();
  const events = await lives.eventsOf(idsOf(started), 1);
  assertEquals(events.map(({ watchId, event }) => [watchId, event]), [[ended!.watchId, "exit"]]);
  const { active } = await second.ok("watch-events", { limit: 0 });
  const own = idsOf(active).filter((watchId) => idsOf(started).includes(watchId));
  assertEquals(own, [suspended!.watchId]);
});
