// The user's own traps fire for the command alone, and are the same after it.
import { assertEquals } from "@std/assert";
import { ShellPane } from "../support/shell_pane.ts";

for (const shell of ["bash --norc", "zsh -f", "ksh93", "mksh", "busybox ash"]) {
  Deno.test(`a trap on ERR fires once for a command that fails in ${shell}`, async () => {
    await using pane = await ShellPane.open(shell);
    const log = `${pane.world.folder}/log`;
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
  Deno.test(`a trap on DEBUG leaves exit codes alone in ${shell}`, async () => {
    await using pane = await ShellPane.open(shell);
    await pane.run("trap ':' DEBUG");
    const before = await pane.run("trap");
    assertEquals((await pane.run("sh -c 'exit 3'")).exitCode, 3);
    assertEquals((await pane.run("echo $?")).output, "3");
    assertEquals((await pane.run("true")).exitCode, 0);
    assertEquals((await pane.run("trap")).output, before.output);
  });
}

Deno.test("traps on RETURN and DEBUG that functions of bash inherit run for the command's alone", async (t) => {
  const habits = [
    ["set -T", "trap 'echo return >>LOG' RETURN"],
    ["shopt -s extdebug", `trap 'echo "debug $BASH_COMMAND" >>LOG; ((1))' DEBUG`],
  ];
  for (const habit of habits) {
    await t.step(habit[0]!, async () => {
      await using pane = await ShellPane.open();
      const log = `${pane.world.folder}/log`;
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
});

Deno.test("a guard on DEBUG in bash keeps back what it refuses and lets commands run", async () => {
  await using pane = await ShellPane.open();
  await pane.run("shopt -s extdebug; trap '[[ $BASH_COMMAND != rm* ]]' DEBUG");
  assertEquals((await pane.run("(exit 6)")).exitCode, 6);
  assertEquals((await pane.run("rm nothing; echo after")).output, "after");
});

Deno.test("a list that set -e lets fail does not end bash", async () => {
  await using pane = await ShellPane.open();
  await pane.run("set -e");
  const failed = await pane.run("false && true");
  assertEquals([failed.exitCode, failed.paneAlive], [1, true]);
  assertEquals((await pane.run("echo $? $-")).output.replace(/^1 \w*e\w*$/, "kept"), "kept");
});
