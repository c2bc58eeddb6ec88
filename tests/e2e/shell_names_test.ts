// Names of ours that the user of a shell has made read-only: a clear error, and nothing is run or left.
import { assertEquals, assertMatch } from "@std/assert";
import { ShellLine } from "../support/shell_lines.ts";
import { World } from "../support/world.ts";

const VARIABLE = "readonly __mcp_=mine";

const SHELLS: Readonly<Record<string, readonly string[]>> = {
  "bash --norc": [VARIABLE, "readonly __mcp_status=1", "__mcp() { echo mine; }; readonly -f __mcp"],
  "dash -i": [VARIABLE],
  "busybox ash": [VARIABLE],
  "ksh93": [VARIABLE],
  "mksh": [VARIABLE],
  "yash --norcfile": [VARIABLE],
};

Deno.test("a shell in which a name of ours is read-only runs no command, and says so", async (t) => {
  await using world = await World.create();
  const client = await world.serve();
  for (const [command, all] of Object.entries(SHELLS)) {
    for (const names of all) {
      await t.step(`${command}: ${names}`, async () => {
        const shell = await ShellLine.open(world, client, { command });
        const { paneId } = shell;
        await client.ok("execute-command", { paneId, command: "echo before" });
        await shell.literal(names);
        await shell.keys("Enter");
        await shell.settled();
        for (const file of ["one", "two"]) {
          const path = `${world.folder}/${file}`;
          const failure = await client.fails("execute-command", { paneId, command: `echo > ${path}` });
          assertEquals(failure.code, "unsupported");
          assertMatch(failure.text, /__mcp is read-only/);
        }
        await shell.literal("echo a''live");
        await shell.keys("Enter");
        await shell.until((shown) => shown.includes("\nalive\n"), "printed alive");
        const made = (await Array.fromAsync(Deno.readDir(world.folder))).map(({ name }) => name);
        assertEquals(made.filter((name) => /^(one|two)$/.test(name)), []);
      });
    }
  }
});
