import { assert, assertEquals } from "@std/assert";
import { shell, startPane, testShells } from "./shells.ts";

const POSIX = [
  "set -x",
  "set -v",
  "set -u",
  "set -f -C -a",
  "IFS=e0,",
  "alias printf=false read=false eval=false set=false command=false stty=false unset=false print=false",
  "printf() { echo wrong; }; read() { echo wrong; }; stty() { echo wrong; }; unset() { echo wrong; }",
  "trap 'echo trapped' INT",
  "PATH=/nonexistent",
  "LC_ALL=C; TERM=dumb",
  "set -o vi",
];

/** Things that users do to their shells, and that must make no difference. */
const HABITS: Record<string, string[]> = {
  bash: [
    ...POSIX,
    "set -o posix",
    "PROMPT_COMMAND=('echo one >/dev/null' 'echo two >/dev/null')",
    "readonly PROMPT_COMMAND=true",
    "export PROMPT_COMMAND=true",
    "trap 'true' DEBUG; set -T",
    "trap 'echo -ne \"\\\\033]0;$BASH_COMMAND\\\\007\"' DEBUG",
    "eval() { echo wrong; }; return() { echo wrong; }",
    "PS1='\\[\\e[31m\\]two\\[\\e[m\\]\\nlines$ '",
    "HISTCONTROL=; HISTSIZE=0",
    "bash --norc",
    "script -q /dev/null",
  ],
  zsh: [
    ...POSIX,
    "setopt ksharrays shwordsplit extendedglob rcquotes",
    ": >vx >rea >eva; setopt correctall ignorebraces posixbuiltins",
    "emulate ksh",
    "precmd() { true }; precmd_functions=(true); RPROMPT=right",
    "exec 2>/dev/null",
    "bindkey -v",
  ],
  fish: [
    "function printf; echo wrong; end; function eval; echo wrong; end; function stty; echo wrong; end",
    "set -g fish_trace 1",
    "set -gx PATH /nonexistent",
    "function fish_prompt; printf 'two\\nlines> '; end; function fish_right_prompt; echo right; end",
  ],
  dash: POSIX,
  ash: POSIX.slice(0, 6),
  ksh: POSIX.slice(0, 6),
  mksh: POSIX.slice(0, 6),
  yash: POSIX.slice(1, 6),
};

testShells("every shell is served whatever its user did to it", async ({ name, dialect, ...rest }) => {
  const exit = name === "fish" ? "/bin/sh -c 'exit 3'" : "(exit 3)";
  for (const habit of HABITS[name.replace(/,.*/, "")]!) {
    await using pane = await startPane({ name, dialect, ...rest });
    await pane.type(habit);
    await pane.idle();
    const run = await pane.run(dialect, `echo one 'two  three'; ${exit}`);
    // A trace that the user has set is the user's.
    // deno-lint-ignore no-control-regex -- a title
    const untraced = run.output.replace(/^\+.*\n/gm, "").replaceAll(/\x1b\]0;[^\x07\x1b]*\x07/g, "");
    assertEquals([run.status, untraced], [3, "one two  three\n"], habit);
    const wrong = await pane.run(dialect, "echo 'open");
    assertEquals([wrong.started, wrong.status > 0], [false, true], habit);
    assertEquals((await pane.run(dialect, "echo $-", {})).started, true, habit);
    await pane.idle();
    const screen = (await pane.screen("-S -")).join("\n");
    assert(!/__mcp|133;|[0-9a-f]{32}/.test(screen), `${habit}: ${screen}`);
  }
});

Deno.test("a shell whose output goes to a file is still done", async () => {
  const { dialect, ...rest } = shell("bash");
  await using pane = await startPane({ dialect, ...rest });
  await pane.type("exec >$HOME/log");
  assertEquals((await pane.run(dialect, "echo logged; (exit 4)")).status, 4);
  assertEquals(await Deno.readTextFile(`${pane.dir}/log`), "logged\n");
});

Deno.test("a ksh93 that was named mksh runs a command once", async () => {
  await using pane = await startPane(shell("ksh"));
  const run = await pane.run(shell("mksh").dialect, "echo once >>$HOME/ran");
  assertEquals([run.status, await Deno.readTextFile(`${pane.dir}/ran`)], [0, "once\n"]);
});
