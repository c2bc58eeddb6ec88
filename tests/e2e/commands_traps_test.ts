// The user's own traps fire for the command alone, and are the same after it.
import { assertEquals } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";

const test = onOneServer("traps of every shell fire for the command alone");
const inBash = (name: string, run: (pane: ShellPane) => Promise<void>) =>
  test(name, async ({ world, client }) => await run(await ShellPane.add(world, client, "bash --norc")));

for (const shell of ["bash --norc", "zsh -f", "ksh93", "mksh", "busybox ash"]) {
  test(`a trap on ERR fires once for a command that fails in ${shell}`, async ({ world, client }) => {
    const pane = await ShellPane.add(world, client, shell);
    const log = `${pane.world.folder}/log${pane.paneId}`;
    await pane.run(`trap 'echo err >>${log}' ERR`);
    const before = await pane.run("trap");
    const failed = await pane.run("sh -c 'exit 3'");
    const status = await pane.run("echo $?");
    assertEquals([failed.exitCode, status.output], [3, "3"]);
    await pane.run("true");
    assertEquals((await pane.run("trap")).output, before.output);
    assertEquals(await Deno.readTextFile(log), "err\n");
  });
}

for (const shell of ["bash --norc", "ksh93", "zsh -f"]) {
  test(`a trap on DEBUG leaves exit codes alone in ${shell}`, async ({ world, client }) => {
    const pane = await ShellPane.add(world, client, shell);
    await pane.run("trap ':' DEBUG");
    const before = await pane.run("trap");
    assertEquals((await pane.run("sh -c 'exit 3'")).exitCode, 3);
    assertEquals((await pane.run("echo $?")).output, "3");
    assertEquals((await pane.run("true")).exitCode, 0);
    assertEquals((await pane.run("trap")).output, before.output);
  });
}

/** Options with which functions of bash inherit traps, and such a trap. */
const INHERITING = [
  ["set -T", "trap 'echo return >>LOG' RETURN"],
  ["shopt -s extdebug", `trap 'echo "debug $BASH_COMMAND" >>LOG; ((1))' DEBUG`],
];

for (const habit of INHERITING) {
  inBash(`traps that functions of bash inherit run for the command's alone: ${habit[0]}`, async (pane) => {
    const log = `${pane.world.folder}/log${pane.paneId}`;
    const inFunctions = async (command: string) => {
      await Deno.writeTextFile(log, "");
      await pane.run(command);
      const lines = (await Deno.readTextFile(log)).split("\n");
      return lines.filter((line) =>
        /return|case|133;|printf|in f/.test(line) && !/read|eval|HIST|-v/.test(line)
      );
    };
    await pane.run("f() { echo in f; }");
    for (const line of habit) await pane.run(line.replace("LOG", log));
    const flags = (await pane.run("echo $-")).output;
    const wanted = [habit[0] === "set -T" ? "return" : "debug echo in f"];
    assertEquals(await inFunctions("f; (exit 3)"), wanted);
    assertEquals((await pane.run("echo $? $-")).output, `3 ${flags}`);
    assertEquals(await inFunctions("echo )"), []);
    assertEquals((await pane.run("echo $? $-")).output, `2 ${flags}`);
    await pane.run("set +T");
    assertEquals((await pane.run("echo $-")).output, flags.replace("T", ""));
  });
}

inBash("a guard on DEBUG in bash keeps back what it refuses and lets commands run", async (pane) => {
  await pane.run("shopt -s extdebug; trap '[[ $BASH_COMMAND != rm* ]]' DEBUG");
  assertEquals((await pane.run("(exit 6)")).exitCode, 6);
  assertEquals((await pane.run("rm nothing; echo after")).output, "after");
});

inBash("a list that set -e lets fail does not end bash", async (pane) => {
  await pane.run("set -e");
  const failed = await pane.run("false && true");
  assertEquals([failed.exitCode, failed.paneAlive], [1, true]);
  assertEquals((await pane.run("echo $? $-")).output.replace(/^1 \w*e\w*$/, "kept"), "kept");
});
