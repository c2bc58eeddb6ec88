// Commands that are not run: what lacks its end, and panes that can take none.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ShellLine } from "../support/shell_lines.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { onOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { WAYS } from "../support/watching.ts";

const test = onOneServer("commands that are not run leave their shells as they were");
const unattached = onOneServer(
  "a pane that is scrolled, without attaching",
  (world) => world.serve({ args: WAYS["without attaching"]! }),
);

async function endsInSyntaxError(pane: ShellPane, shell: string, command: string): Promise<void> {
  const { status, exitCode, output } = await pane.run(command);
  assertEquals([shell, command, status, exitCode !== 0], [shell, command, "completed", true]);
  assertMatch(output, /error|expected|unknown condition/, `${shell}: ${command}`);
}

test("open quote, heredoc and the like are incomplete-command; a syntax error is the shell's own", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  for (
    const command of ["echo 'open", "echo $(", "cat <<END\nopen", "true |", "true &&", "echo \\", "if true"]
  ) {
    const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
    assertEquals(failure.code, "incomplete-command", command);
  }
  const wrong = await pane.run("echo )");
  assertEquals([wrong.status, wrong.exitCode], ["completed", 2]);
  assertMatch(wrong.output, /syntax error/);
  assertEquals((await pane.run("echo fine")).output, "fine");
});

test("a here-document with a quoted delimiter is incomplete-command while it is open", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "zsh -f", "dash -i", "ksh93"], async (pane, shell) => {
    for (const delimiter of ["<<'E'", '<<"E"', "<<\\E", "<<-'E'"]) {
      const command = `cat ${delimiter}\nimport os\n`;
      const { code } = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
      assertEquals([shell, command, code], [shell, command, "incomplete-command"]);
    }
    assertEquals((await pane.run("cat <<'E'\n$HOME\nE")).output, "$HOME", shell);
  }));

test("text to which no shell would ask for more is its own syntax error", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "zsh -f", "ksh93"], async (pane, shell) => {
    for (const command of ["echo >", "cat <<<"]) await endsInSyntaxError(pane, shell, command);
    assertEquals((await pane.run("echo fine")).output, "fine", shell);
    await endsInSyntaxError(pane, shell, "[[ -f ]] && echo");
  }));

test("zsh, which takes a trailing && for whole, answers incomplete-command too", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "zsh -f");
  for (const command of ["true &&", "true ||", "echo 'open", "cat <<END\nopen", "echo \\"]) {
    const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
    assertEquals(failure.code, "incomplete-command", command);
  }
  assertEquals((await pane.run("echo 'a &&'")).output, "a &&");
});

test("an unfinished command does not end a shell that ends at failures, and is incomplete-command", (served) =>
  ShellPane.forEachOf(
    served,
    ["bash --norc", "zsh -f", "dash -i", "ksh93", "mksh", "busybox ash"],
    async (pane, shell) => {
      await pane.run("set -e");
      for (const command of ["echo 'open", "echo $(", "if true"]) {
        const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
        assertEquals([shell, command, failure.code], [shell, command, "incomplete-command"]);
      }
      const { output } = await pane.run('case $- in *e*) echo "still -e";; esac');
      assertEquals([shell, output], [shell, "still -e"]);
      assertEquals((await pane.run("false")).paneAlive, false, shell);
    },
  ));

test("an open parenthesis in fish is incomplete-command", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "fish --no-config");
  for (const command of ["echo (date", "echo (echo (date)", "set x (ls", "begin; echo (date; end"]) {
    const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
    assertEquals([command, failure.code], [command, "incomplete-command"]);
  }
  assertEquals((await pane.run("echo '(' (echo a)")).output, "( a");
});

test("lines that end in CR LF are run as lines", (served) =>
  ShellPane.forEachOf(
    served,
    ["bash --norc", "zsh -f", "fish --no-config", "dash -i"],
    async (pane, shell) => {
      const { output } = await pane.run("echo one | od -An -c\r\necho two\r\n");
      assertEquals([shell, output], [shell, "   o   n   e  \\n\ntwo"]);
    },
  ));

test("a command that ends in an operator leaves nothing of ours on the screen", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "dash -i"], async (pane, shell) => {
    await pane.run("true");
    for (const command of ["ls &&", "true |\n", "true ||  "]) {
      const { code, text } = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
      assertEquals([shell, command, code], [shell, command, "incomplete-command"]);
      assertMatch(text, /(?:&&|\|\|?) must be followed by a statement/);
    }
    assertEquals((await pane.run("echo fine # &&")).output, "fine", shell);
    const screen = await pane.screen();
    assert(!/syntax error|unexpected/i.test(screen), screen);
  }));

test("a pane where a program runs is busy, and nothing is typed into it", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "cat");
  const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "echo typed" });
  assertEquals(failure.code, "busy");
  assertMatch(failure.text, /cat runs there/);
  assertEquals(await pane.screen(), "");
});

test("a shell that is starting is busy, with the program that it waits for", async ({ world, client }) => {
  const rc = `${world.folder}/slow.bashrc`;
  await Deno.writeTextFile(rc, "sleep 1000");
  const { paneId } = await client.ok("create-session", { command: `bash --rcfile ${rc}` });
  const { code, text } = await client.fails("execute-command", { paneId, command: "true", timeout: 1 });
  assertEquals(code, "busy");
  assertMatch(text, /bash runs there: bash \(\d+\) wait4 for sleep \(\d+\)\. A shell that is starting/);
});

test("a nested tmux is busy", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  await pane.world.tmux("send-keys", "-t", pane.paneId, "TMUX= tmux -f /dev/null -L inner new", "Enter");
  await pane.untilScreen(/^\[(0|inner)\]/m);
  try {
    const failure = await pane.client.fails("execute-command", {
      paneId: pane.paneId,
      command: "true",
      shell: "bash",
    });
    assertEquals(failure.code, "busy");
    assertMatch(failure.text, /tmux/);
  } finally {
    await pane.world.tmux("send-keys", "-t", pane.paneId, "exit", "Enter");
  }
});

test("a subshell keeps text with a parenthesis too many, and gets none that lacks its end", (served) =>
  ShellPane.forEachOf(
    served,
    [
      "bash --norc",
      "zsh -f",
      "fish --no-config",
      "dash -i",
      "busybox ash",
      "ksh93",
      "mksh",
      "yash --norcfile",
    ],
    async (pane, shell) => {
      const apart = { subshell: true };
      await pane.run("cd /usr");
      const second = shell.startsWith("fish") ? "echo (echo b" : "(echo b";
      const left = await pane.run(`echo a); cd /; ${second}`, apart);
      assertEquals([shell, left.status, left.exitCode !== 0], [shell, "completed", true]);
      assertEquals([shell, (await pane.run("pwd")).output], [shell, "/usr"]);
      for (const command of ["echo 'open", "echo $(", "if true\necho x"]) {
        const call = { paneId: pane.paneId, command, ...apart };
        assertEquals([shell, (await pane.client.fails("execute-command", call)).code], [
          shell,
          "incomplete-command",
        ]);
      }
      const { output, exitCode } = await pane.run("echo 'it'\"'s\"\nexit 4 # over", apart);
      assertEquals([shell, output, exitCode], [shell, "it's", 4]);
      assertEquals([shell, (await pane.run("echo hi # in C:\\", apart)).output], [shell, "hi"]);
    },
  ));

test("text a person has typed at the prompt is left alone", (served) =>
  ShellPane.forEachOf(
    served,
    ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "busybox ash"],
    async (pane, shell) => {
      await pane.run("true");
      await pane.untilScreen(/[#$%>]$/);
      await pane.world.tmux("send-keys", "-t", pane.paneId, "-l", "echo half");
      await pane.untilScreen(/echo half$/);
      const failure = await pane.client.fails("execute-command", {
        paneId: pane.paneId,
        command: "rm -rf x",
      });
      assertEquals(failure.code, "busy", shell);
      await pane.world.tmux("send-keys", "-t", pane.paneId, "-l", " way");
      await pane.untilScreen(/echo half way$/);
    },
  ));

for (const eachWay of [test, unattached]) {
  eachWay(
    "nothing is typed into a pane where somebody begins to scroll meanwhile",
    async ({ world, client }) => {
      const pane = await ShellPane.add(world, client, "bash --norc");
      const { paneId } = pane;
      await pane.run("true");
      // The look at the prompt is what comes just before typing. A session's hook does not see other panes.
      await world.tmux("set-hook", "-t", paneId, "after-capture-pane", `copy-mode -t ${paneId}`);
      const failure = await client.fails("execute-command", { paneId, command: "echo typed" });
      await world.tmux("set-hook", "-u", "-t", paneId, "after-capture-pane");
      assertEquals([failure.code, failure.hint], ["busy", "Leave it with exit-copy-mode"]);
      await client.ok("exit-copy-mode", { paneId });
      assertEquals((await pane.run("echo next")).output, "next");
    },
  );
}

test("commandId of nobody is not-found, NUL is refused", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const unknown = await pane.client.fails("get-command-result", { commandId: "c9-1-2" });
  assertEquals(unknown.code, "not-found");
  const nul = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "echo \0" });
  assertEquals(nul.code, "invalid-argument");
});

test("a shell that reads a password is busy, and no letter of ours gets into it", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "zsh -f"], async (pane, shell) => {
    const { client, paneId } = pane;
    await pane.run("true");
    await client.ok("send-keys", { paneId, keys: "read -s word", enter: true });
    for (let kind = ""; kind !== "password";) {
      kind = (await client.ok("pane-state", { paneId })).inputKind;
    }
    const { code, hint } = await client.fails("execute-command", { paneId, command: "echo typed" });
    assertEquals([shell, code], [shell, "busy"]);
    assertMatch(hint ?? "", /ask-person/);
    assertEquals((await client.fails("start-and-watch", { paneId, command: "echo typed" })).code, "busy");
    await client.ok("send-keys", { paneId, keys: "hunter2", enter: true });
    assertEquals((await pane.run("echo $word")).output, "hunter2", shell);
  }));

test("a shell in a read of its own is busy, and at its prompt without a line editor it is not", (served) =>
  ShellPane.forEachOf(served, ["bash --norc", "bash --norc --noediting", "dash"], async (pane, shell) => {
    const { client, paneId } = pane;
    await client.ok("send-keys", { paneId, keys: "echo now; read word", enter: true });
    await pane.untilScreen(/now$/m);
    const { code } = await client.fails("execute-command", { paneId, command: "echo typed" });
    assertEquals([shell, code], [shell, "busy"]);
    await client.ok("send-keys", { paneId, keys: "mine", enter: true });
    assertEquals((await pane.run("echo $word")).output, "mine", shell);
  }));

/** Redirects of a shell that take its prompt away from the terminal, and those that do not. */
const REDIRECTS: Readonly<Record<string, { hidden: readonly string[]; shown: readonly string[] }>> = {
  "bash --norc": {
    hidden: ["2>/dev/null", "2>&-", "2>LOG"],
    shown: [">/dev/null", "2>/dev/tty", "2> >(cat >/dev/tty)"],
  },
  "zsh -f": { hidden: [], shown: ["2>/dev/null", "2>&-", ">/dev/null"] },
  "dash": { hidden: ["2>/dev/null", "2>&-", "2>LOG"], shown: [">/dev/null"] },
  "ksh93": { hidden: ["2>/dev/null"], shown: [">/dev/null"] },
  "mksh": { hidden: ["2>/dev/null"], shown: [">/dev/null"] },
  "yash --norcfile": { hidden: ["2>/dev/null"], shown: [">/dev/null"] },
  "busybox ash": { hidden: ["2>/dev/null", ">/dev/null"], shown: [] },
};

const redirected = Deno.build.os !== "linux"
  ? []
  : Object.entries(REDIRECTS).flatMap(([command, { hidden, shown }]) =>
    [...hidden, ...shown].map((redirect) => ({ command, redirect, isShown: shown.includes(redirect) }))
  );

for (const { command, redirect, isShown } of redirected) {
  const takes = isShown ? "a command" : "no command, and the error says why";
  test(`a shell takes ${takes}, after a redirect: ${command}: ${redirect}`, async ({ world, client }) => {
    const file = redirect.replace("LOG", `${world.folder}/log`);
    const { paneId } = await ShellLine.open(world, client, { command, first: `exec ${file}` });
    const next = { paneId, command: `: >>${world.folder}/ran-${paneId}; sh -c 'exit 3'` };
    if (isShown) {
      assertEquals((await client.ok("execute-command", next)).exitCode, 3);
      return;
    }
    const { code, text } = await client.fails("execute-command", next);
    assertEquals(code, "unsupported");
    assertMatch(text, /does not write its prompt to the terminal/);
    await world.tmux("send-keys", "-t", paneId, "exec 2>/dev/tty >/dev/tty", "Enter");
    await until(async () => !(await client.call("execute-command", next)).isError);
  });
}

test("a synchronized pane takes commands while it is alone in its window", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "bash --norc");
  const { paneId } = pane;
  await world.tmux("set-option", "-w", "-t", paneId, "synchronize-panes", "on");
  assertEquals((await pane.run("echo alone")).output, "alone");
  await world.tmux("split-window", "-d", "-t", paneId, "cat");
  const failure = await pane.client.fails("execute-command", { paneId, command: "echo both" });
  assertEquals(failure.code, "busy");
  assertMatch(failure.text, /goes to other panes too/);
});
