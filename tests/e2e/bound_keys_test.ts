// Line editors whose keys do something else, and prompts after output without a newline: nothing of ours stays.
import { assertEquals } from "@std/assert";
import { serveWithoutMemory } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { ShellLine } from "../support/shell_lines.ts";
import type { TestClient } from "../support/world.ts";

let servers: readonly [TestClient, TestClient];

const test = onOneServer("keys that are bound, and unfinished output", async (world) => {
  servers = await Promise.all([world.serve(), serveWithoutMemory(world)]);
  return servers[0];
});

const BOUND: Record<string, { command: string; first: string }> = {
  "bash without C-a": { command: "bash --norc", first: `bind -r '\\C-a'` },
  "bash with C-a and C-b that do nothing": {
    command: "bash --norc",
    first: `bind '"\\C-a": ""'; bind '"\\C-b": ""'`,
  },
  "bash with C-a for the end of the line": { command: "bash --norc", first: `bind '"\\C-a": end-of-line'` },
  "bash with a command on C-a": { command: "bash --norc", first: `bind -x '"\\C-a": true'` },
  "bash with a command on C-a that prints": { command: "bash --norc", first: `bind -x '"\\C-a": echo x'` },
  "bash with text on C-a": { command: "bash --norc", first: `bind '"\\C-a": "xyz"'` },
  "bash that types C-a itself": { command: "bash --norc", first: `bind '"\\C-a": self-insert'` },
  "zsh without C-a and C-b": { command: "zsh -f", first: "bindkey -r '^A'; bindkey -r '^B'" },
  "zsh with text on C-a": { command: "zsh -f", first: "bindkey -s '^A' xyz" },
};

for (const [name, options] of Object.entries(BOUND)) {
  test(`${name} runs commands, and keeps a line that a person has begun`, async ({ world }) => {
    const line = await ShellLine.open(world, servers[0], options);
    const run = { paneId: line.paneId, command: "echo ours" };
    for (const client of servers) assertEquals((await client.ok("execute-command", run)).output, "ours");
    await line.literal("echo mi");
    await line.until((shown) => /echo mi\n/.test(shown), "showed the half line");
    for (const client of servers) {
      assertEquals((await client.fails("execute-command", run)).code, "busy");
      await line.settled();
    }
    await line.literal("ne");
    await line.keys("Enter");
    await line.until((shown) => /\nmine\n/.test(shown), "ran the line as it was typed");
  });
}

/** Output without a newline, after which the shell does not know its column. */
const UNFINISHED: Record<string, { command: string; first: string }> = {
  "bash without a prompt": { command: "bash --norc", first: "PS1=; printf 1" },
  "bash without a prompt, after more": { command: "bash --norc", first: "PS1=; printf 123" },
  "bash at the end of a row": { command: "bash --norc", first: "printf %077d 1" },
  "bash that does not know its prompt's width": { command: "bash --norc", first: "PS1='\\[> \\]'; printf 1" },
  "zsh that leaves the line as it is": {
    command: "zsh -f",
    first: "PS1=; setopt no_prompt_cr no_prompt_sp; printf 1",
  },
  "dash at the end of a row": { command: "dash -i", first: "printf %078d 1" },
};

for (const [name, options] of Object.entries(UNFINISHED)) {
  test(`commands run after unfinished output: ${name}`, async ({ world }) => {
    for (const client of servers) {
      const { paneId } = await ShellLine.open(world, client, options);
      const { exitCode, output } = await client.ok("execute-command", {
        paneId,
        command: "echo hi; (exit 3)",
      });
      assertEquals([exitCode, output], [3, "hi"]);
    }
  });
}

test("a half line after output without a newline stays, and nothing is added to it", async ({ world }) => {
  for (const printed of ["12", "123456789012"]) {
    const line = await ShellLine.open(world, servers[0], {
      command: "bash --norc",
      first: `PS1=; printf ${printed}`,
    });
    await line.literal("echo mi");
    await line.until((shown) => /echo mi\n/.test(shown), "showed the half line");
    for (const client of servers) {
      const failure = await client.fails("execute-command", { paneId: line.paneId, command: "echo ours" });
      assertEquals(failure.code, "busy");
      await line.settled();
    }
    await line.literal("ne");
    await line.keys("Enter");
    await line.until((shown) => /\nmine\n/.test(shown), "ran the line as it was typed");
  }
});
