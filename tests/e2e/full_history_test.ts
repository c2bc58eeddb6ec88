// Panes whose history is full, or that keep none: tmux drops rows while a command is typed.
import { assertEquals } from "@std/assert";
import { ShellPane } from "../support/shell_pane.ts";
import { World } from "../support/world.ts";

const SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash -i"];
/** Words of our loaders, and what a terminal shows for the key that reprints a line. */
const OURS = /__mcp|fish_trace|\^R/;
const COMMANDS = 12;

/** Runs commands in a pane whose history has this limit and is full; returns the rows that show what was typed. */
async function fill(shell: string, limit: number): Promise<string[]> {
  await using world = await World.create();
  const client = await world.serve();
  await client.ok("create-session", { name: "keep", command: "cat" });
  await world.tmux("set-option", "-g", "history-limit", `${limit}`);
  const pane = await ShellPane.add(world, client, shell);
  await pane.run("seq 200");
  for (let at = 0; at < COMMANDS; at++) assertEquals((await pane.run(`echo x${at}`)).output, `x${at}`);
  const shown = await world.tmux("capture-pane", "-p", "-S", "-", "-t", pane.paneId);
  return shown.split("\n").filter((row) => OURS.test(row));
}

for (const shell of SHELLS) {
  Deno.test(`nothing of ours stays in a history that is full: ${shell}`, async () => {
    // The oldest tenth is dropped at another step of a command each time.
    assertEquals([await fill(shell, 90), await fill(shell, 91)], [[], []]);
  });
}

Deno.test("a shell without a line editor takes commands in a pane that keeps no history", async () => {
  for (const limit of [0, 10]) await fill("dash -i", limit);
});
