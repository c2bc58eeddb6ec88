// Commands in every shell, and the state of the shell itself afterwards.
import { assertEquals, assertMatch } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { filesLike } from "../support/record_files.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { World } from "../support/world.ts";

const test = onOneServer("commands in every shell, and a shell in place of another");
const unattached = onOneServer(
  "a shell that ends, without attaching",
  (world) => world.serve({ args: ["--attach=false"] }),
);

for (const declare of [test, unattached]) {
  declare("exit in the pane's shell returns its code at once", async ({ world, client }) => {
    const pane = await ShellPane.add(world, client, "bash --norc");
    const result = await pane.run("echo bye; exit 3");
    assertEquals([result.status, result.exitCode, result.paneAlive], ["completed", 3, false]);
    assertMatch(result.output, /^bye/);
  });
}

test("vi's command mode is no trap", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "zsh -f"], async (pane, shell) => {
    await pane.run(shell.startsWith("bash") ? "set -o vi" : "bindkey -v");
    assertEquals((await pane.run("echo insert")).output, "insert", shell);
    // Before the prompt, the terminal itself would show the key.
    await until(async () => (await pane.client.ok("pane-state", { paneId: pane.paneId })).waitingForInput);
    await pane.world.tmux("send-keys", "-t", pane.paneId, "Escape");
    assertEquals((await pane.run("echo command")).output, "command", shell);
    await pane.untilScreen(/\$? ?echo insert\ninsert\n.*echo command\ncommand\n/);
  }));

test("Ctrl-C ends a command in every shell, with its code, and leaves a usable pane", (served) =>
  ShellPane.forEachOf(
    served,
    ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "busybox ash", "mksh"],
    async (pane, shell) => {
      const { commandId } = await pane.run("/bin/sleep 60", { background: true });
      await pane.untilRunning("sleep");
      await pane.world.tmux("send-keys", "-t", pane.paneId, "C-c");
      const result = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
      assertEquals([shell, result.status, result.exitCode], [shell, "completed", 130]);
      // The terminal echoes ^C after it has sent the signal: the shell can be back before.
      assertMatch(result.output, /^(?:\^C)?$/, shell);
      assertEquals((await pane.run("echo next")).output, "next", shell);
    },
  ));

const STATUSES = [-1, 256, 300, 1000, 100_000];
/** Shells whose functions return more than 8 bits, and those that return no negative number. */
const WIDE = ["zsh -f", "ksh93", "dash -i", "yash --norcfile"];
const UNSIGNED = ["dash -i", "yash --norcfile", "busybox ash"];

test("any status is an exit code, and stays the shell's own", (served) =>
  ShellPane.forEachOf(served, [...WIDE, "bash --norc", "mksh", "busybox ash"], async (pane, shell) => {
    let before = 0;
    for (const status of STATUSES) {
      if (status < 0 && UNSIGNED.includes(shell)) continue;
      const expected = WIDE.includes(shell) ? status : status & 255;
      const { exitCode, output } = await pane.run(`echo $?; f() { return ${status}; }; f`);
      assertEquals([shell, output, exitCode], [shell, `${before}`, expected]);
      before = expected;
    }
    assertEquals([shell, (await pane.run("echo $?")).output], [shell, `${before}`]);
  }));

const KILLED = { "zsh -f": 143, "ksh93": 271, "dash -i": 143, "yash --norcfile": 399 };

test("a signal's exit code is the usual one, and leaves no file behind", (served) =>
  ShellPane.forEachOf(served, Object.keys(KILLED) as (keyof typeof KILLED)[], async (pane, shell) => {
    const { exitCode, commandId } = await pane.run("sh -c 'kill -15 $$'");
    const next = await pane.run("echo $?");
    assertEquals([shell, exitCode, next.output], [shell, 143, `${KILLED[shell]}`]);
    const left = await filesLike(pane.world, new RegExp(`^${commandId.split("-")[0]}\\.json\\.`));
    assertEquals([shell, left], [shell, []]);
  }));

const BROKEN_CONDITIONS = [
  "[[ a b ]]",
  "[[ -f ]] && echo",
  "if [[ -z ]]; then echo e; fi",
  '[[ "a" == "b" ]',
  'eval "[[ a"',
  "source ./broken",
];

test("a condition that bash can't parse spoils neither the next command nor its conditions", async (served) => {
  await Deno.writeTextFile(`${served.world.folder}/broken`, "[[ a b ]]\n");
  for (const next of ["echo next", "[[ a == a ]] && echo next"]) {
    const pane = await ShellPane.add(served.world, served.client, "bash --norc");
    await pane.run(`cd '${served.world.folder}'`);
    for (const broken of BROKEN_CONDITIONS) {
      await served.client.call("execute-command", { paneId: pane.paneId, command: broken });
      const { exitCode, output } = await pane.run(next);
      assertEquals([broken, exitCode, output], [broken, 0, "next"]);
    }
    assertEquals((await pane.screen()).includes("__mcp"), false);
  }
});

/** mksh is not among them: it traces a redirect, and each statement that turns tracing off. */
const TRACING = ["bash --norc", "zsh -f", "ksh93", "dash -i", "busybox ash", "yash --norcfile"];

test("set -x traces the commands alone", (served) =>
  ShellPane.forEachOf(served, TRACING, async (pane, shell) => {
    const tracedBy = async (command: string) =>
      (await pane.run(command)).output.replace(/^.*\+\S* ?(?=echo|exit|set)/gm, "+ ").replace("'+x'", "+x");
    assertEquals([shell, await tracedBy("set -x")], [shell, ""]);
    assertEquals([shell, await tracedBy("echo one; (exit 3)")], [shell, "+ echo one\none\n+ exit 3"]);
    assertEquals([shell, await tracedBy("echo $?")], [shell, "+ echo 3\n3"]);
    // ksh93 traces no end of tracing.
    assertEquals([shell, await tracedBy("set +x")], [shell, shell === "ksh93" ? "" : "+ set +x"]);
    assertEquals([shell, await tracedBy("echo two")], [shell, "two"]);
  }));

const NAMES = ["bash", "zsh", "fish", "sh", "ksh", "mksh", "yash"];

/** Shells, each with names for it: fish's, and every second one, so that three or four shells have each. */
const NAMED = Object.fromEntries(
  [...WIDE, "bash --norc", "fish --no-config", "mksh"].map((shell, at) => [
    shell,
    NAMES.filter((name, index) => name === "fish" || (index + at) % 2 === 0),
  ]),
);

test("a shell that is seen takes a command once, whatever its caller names it", (served) =>
  ShellPane.forEachOf(
    served,
    Object.keys(NAMED),
    async (pane, shell) => {
      const names = NAMED[shell]!;
      const file = `${pane.world.folder}/named by ${pane.paneId}`;
      for (const name of names) {
        const { exitCode } = await pane.run(`echo ${name} >>'${file}'`, { shell: name });
        assertEquals([shell, name, exitCode], [shell, name, 0]);
      }
      assertEquals([shell, await Deno.readTextFile(file)], [
        shell,
        names.map((name) => `${name}\n`).join(""),
      ]);
    },
  ));

test("a shell of another kind keeps no line that it did not take", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "xonsh --no-rc");
  for (const shell of NAMES) {
    await pane.untilScreen(/[#$] ?$/);
    // Without prompt_toolkit, xonsh may begin a line with the indentation of the one before.
    await client.ok("send-keys", { paneId: pane.paneId, keys: "C-u", literal: false });
    const { code } = await client.fails("execute-command", { paneId: pane.paneId, command: "true", shell });
    assertEquals([shell, code], [shell, "unsupported"]);
  }
});

test("a shell that replaces itself is done when the new one waits", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const result = await pane.run("echo before; exec bash --norc");
  assertEquals([result.status, result.exitCode], ["completed", 0]);
  assertMatch(result.output, /^before/);
  const other = await pane.run("exec zsh -f");
  assertEquals(other.status, "completed");
  assertEquals((await pane.run("echo $ZSH_NAME")).output, "zsh");
});

const SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "mksh"];

for (const [at, shell] of SHELLS.entries()) {
  // Each takes the place of itself, and changes places with the one below it, or with all of those.
  const below = SHELLS.slice(at + 1);
  const walk = [
    shell,
    ...sized({ gate: below.slice(0, 1), soak: below }).flatMap((other) => [other, shell]),
  ];
  test(`a shell replaced by one of any kind is done, and the new one's line is empty: ${shell}`, async (served) => {
    const { world, client } = served;
    const pane = await ShellPane.add(world, client, shell);
    for (const [step, other] of walk.entries()) {
      const place = [walk[step - 1] ?? shell, other];
      const result = await pane.run(`exec ${other}`, { timeout: 20 });
      const { status, exitCode } = result;
      assertEquals([...place, status, exitCode], [...place, "completed", 0], JSON.stringify(result));
      const keys = `echo typed${step}`;
      await client.ok("send-keys", { paneId: pane.paneId, keys, literal: true, enter: true });
      // A shell without a line editor may print its prompt after the echo of these keys.
      await pane.untilScreen(new RegExp(`^(?:[#$] )?typed${step}$`, "m"));
      assertEquals([...place, (await pane.run("echo next")).output], [...place, "next"]);
    }
  });
}

test("a shell in place of another may ask a question in its start-up file, and gets no keys as the answer", async (served) => {
  await Deno.writeTextFile(`${served.world.folder}/ask.sh`, "read -p 'Sure? ' x\n");
  await ShellPane.forEachOf(served, ["bash --norc", "dash -i"], async (pane, shell) => {
    const { paneId, client } = pane;
    const asking = await pane.run(`exec bash --rcfile ${served.world.folder}/ask.sh`, { timeout: 20 });
    assertEquals([shell, asking.status, asking.output.trimEnd()], [shell, "waiting", "Sure?"]);
    await client.ok("send-keys", { paneId, keys: "yes", literal: true, enter: true });
    const { commandId } = asking;
    const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([shell, done.status, done.exitCode], [shell, "completed", 0]);
    assertEquals([shell, (await pane.run("echo $x")).output], [shell, "yes"]);
  });
});

test("a command whose shell becomes one without a dialect is lost, and that shell gets no keys", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "dash -i"], async (pane, shell) => {
    const { status, reason } = await pane.run("exec elvish -norc", { timeout: 20 });
    assertEquals([shell, status], [shell, "lost"]);
    assertMatch(reason!, /replaced/);
    const typed = (await pane.screen()).split("\n").slice(1).join("\n");
    assertEquals(/__mcp|read|\^/.test(typed), false, typed);
  }));

Deno.test("a new shell with slow start-up files runs what is asked of it at once", async () => {
  await using world = await World.create();
  const slow = "echo starting; sleep 6\n";
  await Deno.mkdir(`${world.folder}/.config/fish`, { recursive: true });
  for (const file of [".bashrc", ".zshrc", ".shrc", ".config/fish/config.fish"]) {
    await Deno.writeTextFile(`${world.folder}/${file}`, slow);
  }
  const client = await world.serve();
  const environment = { ENV: `${world.folder}/.shrc` };
  const commands = ["exec bash", "exec zsh", "exec fish", "exec dash -i"].map(async (command) => {
    const { paneId } = await client.ok("create-session", { command, environment });
    return [command, (await client.ok("execute-command", { paneId, command: "echo ran" })).output];
  });
  const watch = client.ok("start-and-watch", { command: "echo ready", pattern: "^ready$" });
  for (const [command, output] of await Promise.all(commands)) {
    assertEquals([command, output], [command, "ran"]);
  }
  assertEquals((await watch).event, "pattern:^ready$");
});

test("a title that zsh's preexec sets names the command, and not the line that was typed for it", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "zsh -f");
  await pane.run('preexec() { print -n -- "\\e]2;me: ${(q)1}\\a" }');
  const runs = { paneId: pane.paneId, command: "echo it\\'s on; cat", pattern: "it's on" };
  assertEquals((await client.ok("start-and-watch", runs)).event, "pattern:it's on");
  const { title } = await client.ok("get-pane-info", { paneId: pane.paneId });
  // tmux doubles a backslash from 3.7 on.
  assertEquals(title.replace("\\\\", "\\"), "me: echo it\\'s on; cat");
});

const fish = onOneServer("fish", (world) => world.serve({ args: ["--safety", "destructive"] }));

fish(
  "the title that fish gives its pane names the command, and not the line that was typed for it",
  async ({ client }) => {
    const { paneId } = await client.ok("create-session", { command: "fish" });
    const runs = { paneId, command: "echo it\\'s on; cat", pattern: "it's on" };
    assertEquals((await client.ok("start-and-watch", runs)).event, "pattern:it's on");
    const { title } = await client.ok("get-pane-info", { paneId });
    // tmux doubles a backslash from 3.7 on.
    assertMatch(title.replace("\\\\", "\\"), /^echo it\\'s on; cat /);
  },
);

fish(
  "a title that fish makes of a long command ends in a whole character, and holds no control character",
  async ({ client }) => {
    const titled = "fish --no-config -C 'function fish_title; echo $argv[1]; end'";
    const { paneId } = await client.ok("create-session", { command: titled });
    const begun = "echo on; cat; : \x1b\x07";
    const long = `${begun}${"x".repeat(199 - begun.length)}`;
    const runs = { paneId, command: `${long}\u{1f600}rest`, pattern: "^on$" };
    assertEquals((await client.ok("start-and-watch", runs)).event, "pattern:^on$");
    const shown = `${long.replace("\x1b\x07", "  ")}\u{1f600}`;
    assertEquals((await client.ok("get-pane-info", { paneId })).title, shown);
  },
);

fish("fish runs a command after its prompt was cleared away under it", async ({ client }) => {
  const { paneId } = await client.ok("create-session", {
    command: "fish --no-config -C 'function fish_prompt; echo -n \"here it is> \"; end'",
  });
  await client.ok("wait-for-text", { paneId, pattern: "here it is>", timeout: 60 });
  await client.ok("clear-pane", { paneId });
  assertEquals((await client.ok("execute-command", { paneId, command: "echo ran" })).output, "ran");
});
