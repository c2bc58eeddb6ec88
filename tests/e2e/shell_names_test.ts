// Names of ours that the user of a shell has made read-only: a clear error, and nothing is run or left.
import { assertEquals, assertMatch } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { ShellLine } from "../support/shell_lines.ts";
import { sized } from "../support/sized.ts";

const test = onOneServer("names that a shell shares with its user");

/** Each text with its shell. */
function cases(table: Readonly<Record<string, readonly string[]>>): [command: string, text: string][] {
  return Object.entries(table).flatMap(([command, all]) =>
    all.map((text): [string, string] => [command, text])
  );
}

const VARIABLE = "readonly __mcp_=mine";

const SHELLS: Readonly<Record<string, readonly string[]>> = {
  "bash --norc": [VARIABLE, "readonly __mcp_status=1", "__mcp() { echo mine; }; readonly -f __mcp"],
  "dash -i": [VARIABLE],
  "busybox ash": [VARIABLE],
  "ksh93": [VARIABLE],
  "mksh": [VARIABLE],
  "yash --norcfile": [VARIABLE],
};

for (const [command, names] of cases(SHELLS)) {
  test(`a shell in which a name of ours is read-only runs no command, and says so: ${command}: ${names}`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    const { paneId } = shell;
    const folder = await Deno.makeTempDir({ dir: world.folder });
    await client.ok("execute-command", { paneId, command: "echo before" });
    await shell.enter(names);
    await shell.settled();
    for (const file of ["one", "two"]) {
      const path = `${folder}/${file}`;
      const failure = await client.fails("execute-command", { paneId, command: `echo > ${path}` });
      assertEquals(failure.code, "unsupported");
      assertMatch(failure.text, /__mcp is read-only/);
    }
    await checkAlive(shell);
    assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
  });
}

/** Lines that keep the shell from taking even the line that fetches a command. */
const IN_THE_WAY: Readonly<Record<string, readonly string[]>> = {
  "bash --norc": ["readonly __mcp=1", "typeset -i __mcp", "alias if=echo case=echo", "builtin() { :; }"],
  "zsh -f": ["readonly __mcp=1", "typeset -i __mcp", "builtin() { :; }", "alias -g '&&'=x"],
  "dash -i": ["readonly __mcp=1"],
  "busybox ash": ["readonly __mcp=1"],
  "ksh93": ["readonly __mcp=1", "typeset -i __mcp"],
  "mksh": ["readonly __mcp=1", "typeset -i __mcp"],
  "yash --norcfile": ["readonly __mcp=1"],
};

for (const [command, line] of cases(IN_THE_WAY)) {
  test(`a shell that does not take a command says so at once, and is never left running one: ${command}: ${line}`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    const { paneId } = shell;
    await shell.enter(line);
    await shell.settled();
    const path = `${await Deno.makeTempDir({ dir: world.folder })}/ran`;
    const failure = await client.fails("execute-command", { paneId, command: `echo > ${path}` });
    assertEquals([failure.code, await exists(path)], ["unsupported", false], failure.text);
    await checkAlive(shell);
  });
}

test("an error quotes what the shell printed only to those who may read it", async ({ world, client }) => {
  const config = `${world.folder}/blind.toml`;
  await Deno.writeTextFile(config, "[security]\nallow_capture = false\n");
  const blind = await world.serve({ args: ["--config", config] });
  await using shell = await ShellLine.open(world, client, { command: "bash --norc" });
  const { paneId } = shell;
  await shell.enter("builtin() { echo SE''CRET; }");
  await shell.settled();
  for (const [caller, shows] of [[client, true], [blind, false]] as const) {
    const { code, text } = await caller.fails("execute-command", { paneId, command: "true" });
    assertEquals([code, text.includes("SECRET")], ["unsupported", shows], text);
  }
  await using second = await ShellLine.open(world, client, { command: "bash --norc" });
  const lost = await blind.ok("execute-command", {
    paneId: second.paneId,
    command: "builtin() { echo SECRET; }",
  });
  assertEquals([lost.status, lost.reason.includes("SECRET")], ["lost", false], lost.reason);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

for (const command of ["bash --norc", "zsh -f"]) {
  test(`an alias with the name of a function of ours changes nothing: ${command}`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    const { paneId } = shell;
    await shell.enter("alias __mcp=ls");
    await shell.settled();
    for (const code of [0, 3]) {
      const result = await client.ok("execute-command", { paneId, command: `echo said; (exit ${code})` });
      assertEquals([result.exitCode, result.output], [code, "said"]);
    }
    const { output } = await client.ok("execute-command", { paneId, command: "type ls; alias __mcp" });
    assertMatch(output, /^ls is \/[^\n]*\n.*__mcp='?ls'?$/);
  });
}

/** Functions with the names of words that our text uses, which the user's own commands see. */
const SHADOWS: Readonly<Record<string, readonly string[]>> = {
  "bash --norc": [
    'builtin() { command builtin "$@"; }',
    ...["printf", "read", "eval", "set", "unset", "test", "[", "echo", "exit", "kill", ":"].map((name) =>
      `function ${name} { /bin/echo mine; }`
    ),
  ],
  "zsh -f": ["printf", "read", "eval", "set", "unset", "test", "echo", "exit", "kill", ":"].map((name) =>
    `function ${name} { /bin/echo mine }`
  ),
  "dash -i": ["printf", "read", "test", "echo", "kill"].map((name) => `${name}() { /bin/echo mine; }`),
  "mksh": ["print", "read", "test", "echo", "kill"].map((name) => `function ${name} { /bin/echo mine; }`),
  "fish --no-config": ["printf", "kill", "stty"].map((name) => `function ${name}; /bin/echo mine; end`),
};

/** How a shell drops a function of its user's that has the name of one of its words. */
const DROPS: Readonly<Record<string, string>> = {
  "bash --norc": "builtin unset -f",
  "zsh -f": "builtin unset -f",
  "dash -i": "unset -f",
  "mksh": "unset -f",
  "fish --no-config": "functions -e",
};

for (const [command, definitions] of Object.entries(SHADOWS)) {
  test(
    `functions with the names of a shell's words stay the user's, and change no command: ${command}`,
    async ({ world, client }, t) => {
      await using shell = await ShellLine.open(world, client, { command });
      const { paneId } = shell;
      const run = (text: string) => client.ok("execute-command", { paneId, command: text });
      // A function that changes a command does so beside others too; the soak task finds out which it is.
      const defined = sized({ gate: [definitions], soak: definitions.map((definition) => [definition]) });
      for (const together of defined) {
        await t.step(together.join(", "), async () => {
          for (const definition of together) await run(definition);
          for (const code of [3, 0]) {
            const { status, exitCode, output } = await run(`/bin/echo said; /bin/sh -c 'exit ${code}'`);
            assertEquals([status, exitCode, output], ["completed", code, "said"]);
          }
          for (const definition of together) {
            const name = /(?:function )?([^\s(;]+)/.exec(definition)![1]!;
            if (definition.includes("mine")) assertEquals((await run(name)).output, "mine");
            await run(`${DROPS[command]} ${name}`);
          }
        });
      }
    },
  );
}

/** Commands that take from their own shell a word that it needs to report their end. */
const TAKE_AWAY: Readonly<Record<string, readonly string[]>> = {
  "bash --norc": ["builtin() { true; }", "alias function=x; builtin() { true; }; PS1='other '"],
  "zsh -f": ["function builtin { true }", "readonly IFS; function builtin { true }; cd /"],
  "dash -i": ["command() { true; }"],
  "mksh": ["function command { true; }"],
  "yash --norcfile": ["command() { true; }"],
  "busybox ash": ["command() { true; }; cd /"],
};

for (const [command, text] of cases(TAKE_AWAY)) {
  test(`a command after which its shell can't report is lost with the reason, and not left running: ${command}: ${text}`, async ({ world, client }) => {
    await using shell = await ShellLine.open(world, client, { command });
    const { paneId } = shell;
    const { status, reason } = await client.ok("execute-command", { paneId, command: text });
    assertEquals(status, "lost");
    assertMatch(reason, /can't report the exit code/);
    assertEquals(
      (await client.fails("execute-command", { paneId, command: "true" })).code,
      "unsupported",
    );
    await checkAlive(shell);
  });
}

/** Types a command of a person: the shell has taken our Ctrl-C, with which it would drop that line. */
async function checkAlive(shell: ShellLine): Promise<void> {
  await shell.enter("echo a''live");
  await shell.until((shown) => shown.includes("\nalive\n"), "printed alive");
}
