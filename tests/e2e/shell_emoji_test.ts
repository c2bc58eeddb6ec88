// Emoji at a prompt, in it and in what a person has typed there: each takes more or fewer cells than its characters.
import { assertEquals } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { ShellLine } from "../support/shell_lines.ts";

const test = onOneServer("emoji");

for (
  const [command = "", text = ""] of [
    ["bash --norc", "👨‍👩‍👧 "],
    ["fish --no-config", "👨‍👩‍👧 "],
    ["ksh93", "😀"],
    ["ksh93", "é̂"],
  ]
) {
  test(`a line with emoji that a person has begun is neither run nor lost: ${command}: ${text}`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    await shell.literal(text);
    await shell.settled();
    const { code } = await client.fails("execute-command", {
      paneId: shell.paneId,
      command: "echo typed",
    });
    assertEquals(code, "busy");
    await shell.keys("C-a");
    await shell.settled();
    await shell.literal(`echo `);
    await shell.keys("C-e");
    await shell.enter("end");
    await shell.until((shown) => shown.includes(`\n${text}end\n`), "printed the line");
  });
}

for (const emoji of ["👨‍👩‍👧", "🏳️‍🌈 👩🏽‍💻", "🇩🇪", "❤️"]) {
  test(`commands run at a prompt with emoji: ${emoji}`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, {
      command: "zsh -f",
      first: `PS1='${emoji} > '`,
    });
    const { output } = await client.ok("execute-command", { paneId: shell.paneId, command: "echo one" });
    assertEquals(output, "one");
  });
}
