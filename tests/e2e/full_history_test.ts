// Panes whose history is full, or that keep none: tmux drops rows while a command is typed.
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash -i"];
/** Words of our loaders, and what a terminal shows for the key that reprints a line. */
const OURS = /__mcp|fish_trace|\^R/;
const COMMANDS = 12;

const test = inTurnOnOneServer("full histories");

/** Runs commands in panes whose histories have these limits and are full; returns the rows that show what was typed. */
async function fill(
  { world, client }: Served,
  shell: string,
  limits: readonly number[],
): Promise<string[]> {
  await client.ok("create-session", { name: "keep", command: "cat" });
  const shown: string[] = [];
  for (const limit of limits) {
    await world.tmux("set-option", "-g", "history-limit", `${limit}`);
    const pane = await ShellPane.add(world, client, shell);
    await pane.run("seq 200");
    for (let at = 0; at < COMMANDS; at++) assertEquals((await pane.run(`echo x${at}`)).output, `x${at}`);
    shown.push(await world.tmux("capture-pane", "-p", "-S", "-", "-t", pane.paneId));
  }
  return shown.join("\n").split("\n").filter((row) => OURS.test(row));
}

for (const shell of SHELLS) {
  test(`nothing of ours stays in a history that is full: ${shell}`, async (served) => {
    // The oldest tenth is dropped at another step of a command each time.
    assertEquals(await fill(served, shell, sized({ gate: [90], soak: [90, 91] })), []);
  });
}

test("a shell without a line editor takes commands in a pane that keeps no history", async (served) => {
  await fill(served, "dash -i", sized({ gate: [0], soak: [0, 10] }));
});

/**
 * Creates a pane that has printed one text among many lines alike, and whose history is full: a cursor in it has no
 * certain place.
 */
async function createRepeating(world: World, client: TestClient): Promise<string> {
  await client.ok("create-session", { name: "keep", command: "cat" });
  await world.tmux("set-option", "-g", "history-limit", "100");
  const printed = "yes tick | head -150; echo needle; yes tick | head -60; echo end; exec cat";
  const { paneId } = await client.ok("create-session", { command: `sh -c '${printed}'` });
  await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("end\n"));
  return paneId;
}

test("a wait for new text ignores the history of a pane that prints lines all alike", async ({ world, client }) => {
  const paneId = await createRepeating(world, client);
  const outcomeOf = async (args: Record<string, unknown>): Promise<string> =>
    (await client.ok("wait-for-text", { paneId, timeout: 0.5, ...args })).outcome;
  assertEquals(await outcomeOf({ pattern: "needle", newOnly: true }), "timeout");
  assertEquals(await outcomeOf({ pattern: "needle" }), "timeout");
  assertEquals(await outcomeOf({ pattern: "never", stop: "needle" }), "timeout");
});

test("a wait finds new text among lines all alike, and a cursor after it", async ({ world, client }) => {
  const paneId = await createRepeating(world, client);
  const waiting = client.ok("wait-for-text", { paneId, pattern: "needle", newOnly: true, timeout: 20 });
  await until(async () => (await world.readers()).length > 0);
  await world.tmux("send-keys", "-t", paneId, "new needle", "Enter");
  const { outcome, matchedLines, cursor } = await waiting;
  assertEquals([outcome, new Set(matchedLines)], ["matched", new Set(["new needle"])]);
  // The first of two lines is the terminal's echo; the program prints the second one when it gets to run.
  const since = () => client.ok("capture-since", { cursor });
  await until(async () => (await since()).lines.length > 0);
  assertEquals((await since()).lines, ["new needle"]);
});

Deno.test("a watch in a later server ignores the history of a pane that prints lines all alike", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const paneId = await createRepeating(world, first);
  const watch = { paneId, triggers: "pattern:needle", background: true, timeout: 3600 };
  const { watchId } = await first.ok("watch-pane", watch);
  await first.kill();
  const second = await world.serve();
  await second.untilWatching();
  assertEquals((await second.ok("watch-events", { waitSeconds: 1 })).events, []);
  await second.kill();
  await world.tmux("send-keys", "-t", paneId, "new needle", "Enter");
  const third = await world.serve();
  const [event] = (await third.ok("watch-events", { waitSeconds: 20 })).events;
  assertEquals([event?.watchId, event?.detail], [watchId, "Printed while no server watched: new needle"]);
});
