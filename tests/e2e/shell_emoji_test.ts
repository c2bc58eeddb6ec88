// Emoji at a prompt, in it and in what a person has typed there: each takes more or fewer cells than its characters.
import { assertEquals } from "@std/assert";
import { ShellLine } from "../support/shell_lines.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { World } from "../support/world.ts";

Deno.test("a line with emoji that a person has begun is neither run nor lost", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const lines = [
    ["bash --norc", "👨‍👩‍👧 "],
    ["fish --no-config", "👨‍👩‍👧 "],
    ["ksh93", "😀"],
    ["ksh93", "é̂"],
  ];
  const steps = lines.map(([command = "", text = ""]) => ({
    name: `${command}: ${text}`,
    run: async () => {
      const shell = await ShellLine.open(world, client, { command });
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
      await shell.literal("end");
      await shell.keys("Enter");
      await shell.until((shown) => shown.includes(`\n${text}end\n`), "printed the line");
    },
  }));
  await sideBySide(t, steps);
});

Deno.test("commands run at a prompt with emoji", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  const steps = ["👨‍👩‍👧", "🏳️‍🌈 👩🏽‍💻", "🇩🇪", "❤️"].map((emoji) => ({
    name: emoji,
    run: async () => {
      const shell = await ShellLine.open(world, client, { command: "zsh -f", first: `PS1='${emoji} > '` });
      const { output } = await client.ok("execute-command", { paneId: shell.paneId, command: "echo one" });
      assertEquals(output, "one");
    },
  }));
  await sideBySide(t, steps);
});
