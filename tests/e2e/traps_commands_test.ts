// Traps of running commands: each test is named after what breaks in other servers.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

/** A command, its exit code and its output. */
const COMPLETES: Record<string, [command: string, exitCode: number, output: RegExp]> = {
  "`&` hangs for ever": ["sleep 0 &", 0, /^(\[\d+\].*\n?)*$/],
  "`;` hangs for ever": ["echo a;", 0, /^a$/],
  "a comment hangs for ever": ["echo a # comment", 0, /^a$/],
  "a heredoc hangs for ever": ["cat <<END\nx `echo y`\nEND", 0, /^x y$/],
  "`#` starts a comment": ["echo '#not one'", 0, /^#not one$/],
  "`!!` expands": ["echo 'a!!b' !!", 0, /^a!!b !!$/],
  "Tab completes": ["echo '\t|/et\t'", 0, /\|\/et\s*$/],
  "several lines": ["for i in 1 2\ndo\n  echo $i\ndone", 0, /^1\n2$/],
  "wrong shell flag = exit 0 for everything": ["sh -c 'exit 42'", 42, /^$/],
  "pipe through tee: not a tty": ["test -t 0 && test -t 1 && echo tty", 0, /^tty$/],
  "a program that reads the keyboard's end": ["cat </dev/null; echo end", 0, /^end$/],
  "a command that is not there": ["no-such-command-here", 127, /not found/],
};

const INCOMPLETE = ["echo 'open", 'echo "open', "echo $(", "cat <<END\nx", "true |", "true &&", "echo \\"];
const SHELLS = ["bash --norc --noprofile", "dash -i", "zsh -f"];

const test = inTurnOnOneServer("traps of commands");

for (const shell of SHELLS) {
  const name = shell.split(" ")[0]!;
  test(`traps of commands in ${name}`, async ({ world, client }, t) => {
    const { paneId } = await client.ok("create-session", {
      command: shell,
      environment: { ENV: "/dev/null" },
    });
    const run = (command: string, args = {}) =>
      client.ok("execute-command", { paneId, command, timeout: 20, ...args });

    for (const [trap, [command, exitCode, output]] of Object.entries(COMPLETES)) {
      await t.step(trap, async () => {
        const result = await run(command);
        assertEquals([result.status, result.exitCode], ["completed", exitCode]);
        assertMatch(result.output.trim(), output);
      });
    }
    await t.step("open quote, heredoc, trailing `\\` hang for ever", async () => {
      for (const command of INCOMPLETE.filter((text) => name !== "zsh" || !/<<|&&/.test(text))) {
        const { code, hint } = await client.fails("execute-command", { paneId, command });
        assertEquals([command, code], [command, "incomplete-command"]);
        assert(hint);
      }
      assertEquals((await run("echo clean")).output, "clean");
    });
    await t.step("pipe through tee: `cd` lost", async () => {
      await run("cd /usr/share");
      assertEquals((await run("pwd")).output, "/usr/share");
      await run("cd /");
    });
    await t.step("output over 2,000 lines silently cut to the tail", async () => {
      const cut = await run("seq 1 3000");
      assertEquals([cut.totalLines, cut.outputTruncated], [3000, true]);
      assertMatch(
        cut.output,
        /^1\n2\n[^]*\n\[1\d\d\d lines left out here; offset \d+ continues\]\n[^]*\n3000$/,
      );
      const rest = await client.ok("get-command-result", {
        commandId: cut.commandId,
        offset: 1000,
        maxLines: 1,
      });
      assertEquals(rest.output, "1001");
    });
    await t.step("command still running after a timeout re-creates files that were removed", async () => {
      const limit = { timeout: 0.1, onInput: "wait" };
      const { commandId, status } = await run("read word; echo $word", limit);
      assertEquals(status, "running");
      const entries = await Array.fromAsync(Deno.readDir(world.folder), (entry) => entry.name);
      assertEquals(entries.filter((entry) => !/^(tmux|\.)/.test(entry)), []);
      await client.ok("send-keys", { paneId, keys: "late", enter: true });
      const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
      assertMatch(done.output, /late$/);
      const after = await Array.fromAsync(Deno.readDir(world.folder), (entry) => entry.name);
      assertEquals(after.sort(), entries.sort());
    });
    await t.step("`exit` never completes", async () => {
      const result = await run("exit 3");
      assertEquals([result.status, result.exitCode, result.paneAlive], ["completed", 3, false]);
    });
  });
}

test("pane busy with vim gets the wrapper typed into it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.pane("exec vi -u NONE");
  await watching.until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  const before = await watching.screen(paneId);
  for (const name of ["execute-command", "start-and-watch"]) {
    const { code, text } = await client.fails(name, { paneId, command: "echo typed" });
    assertEquals([name, code], [name, "busy"]);
    assertMatch(text, /vi.* runs there.*send-keys/);
  }
  assertEquals(await watching.screen(paneId), before);
});

Deno.test("dash/fish panes under a bash wrapper", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--shell-type", "bash"] });
  const watching = new Watching(world, client);
  const only: Record<string, string> = {
    "dash -i": "x=dash; echo $x; sh -c 'exit 42'",
    "fish --no-config": "set -g x fish; and echo $x; sh -c 'exit 42'",
  };
  for (const [shell, command] of Object.entries(only)) {
    const paneId = await watching.shellPane();
    await watching.type(paneId, shell);
    const name = shell.split(" ")[0];
    await watching.until(async () => (await client.ok("pane-state", { paneId })).shell === name);
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
    const { status, exitCode, output } = await client.ok("execute-command", { paneId, command, timeout: 20 });
    assertEquals([status, exitCode, output], ["completed", 42, name]);
  }
});

test("a shell without a dialect is unsupported, naming send-keys and watch-pane", async ({ world, client }) => {
  const watching = new Watching(world, client);
  await Deno.copyFile("/bin/bash", `${world.folder}/nu`);
  await Deno.chmod(`${world.folder}/nu`, 0o700);
  const paneId = await watching.shellPane(`${world.folder}/nu --norc --noprofile`);
  const { code, hint } = await client.fails("execute-command", { paneId, command: "ls" });
  assertEquals(code, "unsupported");
  assertMatch(hint ?? "", /send-keys.*watch-pane/);
});
