// Prompts that do not stand as they usually do, and commands that a shell throws away.
import { assertEquals, assertMatch } from "@std/assert";
import { serveWithoutMemory } from "../support/hidden_memory.ts";
import { ShellLine } from "../support/shell_lines.ts";
import { onOneServer, type Served } from "../support/one_server.ts";
import type { TestClient } from "../support/world.ts";

const seen = onOneServer("odd prompts");
const hidden = onOneServer("odd prompts of shells whose memory is hidden", serveWithoutMemory);

/** Declares a test for both servers; `is` says for which shells the second one's result may differ. */
function test(name: string, run: (served: Served, is: (shell: string) => boolean) => Promise<void>): void {
  seen(name, (served) => run(served, () => true));
  hidden(name, (served) => run(served, isReadFromMemory));
}

/** False of shells that sleep in read(2) at their prompts: nothing about them is read from memory. */
const isReadFromMemory = (shell: string): boolean => !/^(dash|mksh)/.test(shell);

async function shellPane(client: TestClient, command: string): Promise<string> {
  const { paneId } = await client.ok("create-session", {
    command,
    width: 100,
    height: 30,
    environment: { PS1: "$ ", ENV: "/dev/null" },
  });
  return paneId;
}

test(
  "what a program left after the cursor is no typed text, and is gone once a command is typed over it",
  async ({ world, client }, is) => {
    for (const shell of ["bash --norc", "mksh", "dash -i"].filter(is)) {
      const paneId = await shellPane(client, shell);
      const run = (command: string) => client.ok("execute-command", { paneId, command });
      await run("printf 'left on the screen\\033[H'");
      assertEquals((await run("echo hi")).output, "hi", shell);
      const shown = (await world.tmux("capture-pane", "-p", "-t", paneId)).split("\n");
      assertMatch(shown[0]!, /[$#] echo hi$/, `${shell}: ${shown.join("\n")}`);
    }
  },
);

test("fish runs commands below a prompt that it cut to the width of its pane, and none below an open block", async ({ client }) => {
  const { paneId, windowId } = await client.ok("create-session", { command: "fish", width: 80, height: 24 });
  await client.ok("execute-command", {
    paneId,
    command: "function fish_prompt; echo -n 'a prompt of thirty columns -> '; end",
  });
  await client.ok("resize-window", { windowId, width: 20 });
  await client.ok("wait-for-text", { paneId, pattern: "^…", regex: true });
  assertEquals((await client.ok("execute-command", { paneId, command: "echo hi" })).output, "hi");
  await client.ok("send-keys", { paneId, keys: "for a in 1", enter: true });
  await client.ok("wait-for-text", { paneId, pattern: "for a in 1" });
  assertEquals((await client.fails("execute-command", { paneId, command: "echo ours" })).code, "busy");
});

const OPEN = ["for a in 1", "echo 'begun", `echo 'begun ${"x".repeat(100)}`, "if true; echo \"it's"];

for (const prompt of ["", 'echo -n "a > "', 'echo -n "   "']) {
  seen(
    `fish whose prompt shows nothing, or little, runs commands, and none below what a person has left open: ${prompt}`,
    async ({ world, client }) => {
      const command = `fish -C 'set fish_greeting; function fish_prompt; ${prompt}; end'`;
      const shell = await ShellLine.open(world, client, { command });
      const { paneId } = shell;
      const says = async (said: string) =>
        assertEquals((await client.ok("execute-command", { paneId, command: `echo ${said}` })).output, said);
      await says("one and more");
      for (const text of OPEN) {
        await shell.literal(text);
        await shell.keys("Enter");
        const before = await shell.settled();
        const { code } = await client.fails("execute-command", { paneId, command: "echo ours" });
        assertEquals([code, await shell.settled()], ["busy", before], text);
        await shell.keys("C-c");
        await shell.settled();
        await says("two");
      }
    },
  );
}

test("a pane of three columns is too narrow for fish alone, and the error says so", async ({ client }) => {
  for (const [shell, said] of [["fish", /its width is 3, too narrow/], ["zsh -f", /hi/]] as const) {
    const { paneId } = await client.ok("create-session", { command: shell, width: 3, height: 20 });
    const answer = await client.call("execute-command", { paneId, command: "echo hi" });
    assertMatch(answer.content[0]?.text ?? "", said);
  }
});

test("nothing is typed into a pane too narrow to show it", async ({ client }) => {
  const { paneId, windowId } = await client.ok("create-session", { command: "bash --norc", width: 80 });
  await client.ok("execute-command", { paneId, command: "PS1='$ '; clear" });
  for (const width of [2, 1]) {
    await client.ok("resize-window", { windowId, width });
    const { code, text } = await client.fails("execute-command", { paneId, command: "echo ours" });
    assertEquals(code, "busy");
    assertMatch(text, /its width is \d, too narrow/);
  }
  await client.ok("resize-window", { windowId, width: 80 });
  const { value } = await client.ok("expand-format", { paneId, format: "#{cursor_x}" });
  assertEquals(value, "2");
});

test("text after the cursor that a person typed stays as it is", async ({ world, client }) => {
  const paneId = await shellPane(client, "bash --norc");
  await client.ok("execute-command", { paneId, command: "true" });
  await client.ok("send-keys", { paneId, keys: "echo mine" });
  await client.ok("wait-for-text", { paneId, pattern: "mine" });
  await world.tmux("send-keys", "-t", paneId, "C-a");
  const failure = await client.fails("execute-command", { paneId, command: "echo ours" });
  assertEquals(failure.code, "busy");
  await client.ok("send-enter", { paneId });
  const { outcome } = await client.ok("wait-for-text", { paneId, pattern: "^mine$", regex: true });
  assertEquals(outcome, "matched", await world.tmux("capture-pane", "-p", "-t", paneId));
});

test("a prompt of one sign takes commands below a line whose quotes hold another", async ({ client }, is) => {
  for (const shell of ["bash --norc", "zsh -f", "dash -i"].filter(is)) {
    const paneId = await shellPane(client, shell);
    const run = (command: string) => client.ok("execute-command", { paneId, command });
    await run("PS1='❯ '");
    for (const command of ["awk '$1 > 5' /dev/null", 'true "Fix # of items"', "true # it's"]) {
      await run(command);
      assertEquals((await run("echo hi")).output, "hi", `${shell}: ${command}`);
    }
  }
});

seen("bash and zsh know themselves if they wait for the rest of a command", async ({ client }) => {
  for (const shell of ["bash --norc", "zsh -f"]) {
    const paneId = await shellPane(client, shell);
    const run = (command: string) => client.ok("execute-command", { paneId, command });
    await run("PS1='> ' PS2='and then? '");
    await run('echo "> it\'s"');
    assertEquals((await run("echo hi")).output, "hi", shell);
    await client.ok("send-keys", { paneId, keys: "(echo a", enter: true });
    await client.ok("wait-for-text", { paneId, pattern: "^and then\\?", regex: true });
    const { code } = await client.fails("execute-command", { paneId, command: "echo ours" });
    assertEquals(code, "busy", shell);
  }
});

seen("a line break that an editor of its own leaves in bash's line is no typed text", async ({ client }) => {
  const paneId = await shellPane(client, "bash --norc");
  const run = (command: string) => client.ok("execute-command", { paneId, command });
  await run(`bind -x '"\\C-g": READLINE_LINE=$'"'\\n'"' READLINE_POINT=0; echo pressed'`);
  for (const said of ["one", "two"]) {
    await client.ok("send-keys", { paneId, keys: "C-g", literal: false });
    await client.ok("wait-for-text", { paneId, pattern: "^pressed$", regex: true });
    assertEquals((await run(`clear; echo ${said}`)).output, said);
  }
});

test("a terminal left without echo takes commands", async ({ client }) => {
  const paneId = await shellPane(client, "bash --norc");
  const run = (command: string) => client.ok("execute-command", { paneId, command });
  await run("stty -echo");
  assertEquals((await run("echo hi; (exit 3)")).exitCode, 3);
});

test("a terminal that leaves CR as it is takes commands", async ({ client }, is) => {
  for (const shell of ["bash --norc", "dash -i"].filter(is)) {
    const paneId = await shellPane(client, shell);
    const run = (command: string) => client.ok("execute-command", { paneId, command });
    await run("stty -icrnl");
    const { exitCode, output } = await run("echo hi; (exit 3)");
    assertEquals([exitCode, output], [3, "hi"], shell);
  }
});

test("a terminal that ends a read at once takes commands", async ({ client }, is) => {
  for (const shell of ["bash --norc", "zsh -f"].filter(is)) {
    const paneId = await shellPane(client, shell);
    const run = (command: string) => client.ok("execute-command", { paneId, command });
    await run("stty -icanon min 0 time 0");
    for (const said of ["one", "two"]) {
      const { exitCode, output } = await run(`echo ${said}; (exit 3)`);
      assertEquals([exitCode, output], [3, said], shell);
    }
    await run("stty sane");
    assertEquals((await run("echo sane")).output, "sane", shell);
  }
});

test("zsh that traces shows its trace and no errors of ours", async ({ world, client }) => {
  const paneId = await shellPane(client, "zsh -f");
  const run = (command: string) => client.ok("execute-command", { paneId, command });
  await run("setopt xtrace; PS4=+");
  assertEquals((await run("echo hi")).output, "+echo hi\nhi");
  const shown = await world.tmux("capture-pane", "-p", "-t", paneId);
  assertEquals(shown.includes("write error"), false, shown);
});

test("a command that a shell throws away, unasked by Ctrl-C, is over", async ({ client }, is) => {
  const cases = [
    { shell: "mksh", command: "echo a; echo ${nothing:?is set}; echo b", code: 1, output: /^a\n.*is set$/ },
    { shell: "mksh", command: "shift 50", code: 1, output: /nothing to shift$/ },
    { shell: "dash -i", command: "echo a; kill -INT $$; echo b", code: 130, output: /^a\n?$/ },
    { shell: "dash -i", command: "cd /; kill -INT $$", code: 130, output: /^\n?$/ },
    { shell: "busybox ash", command: "sh -c 'kill -INT $$'; echo b", code: 130, output: /^\n?$/ },
    { shell: "zsh -f", command: "sh -c 'kill -INT $$'; echo b", code: 130, output: /^$/ },
    { shell: "zsh -f", command: "printf half; kill -INT $$; echo b", code: 130, output: /^half$/ },
  ];
  for (const { shell, command, code, output } of cases.filter(({ shell }) => is(shell))) {
    const paneId = await shellPane(client, shell);
    // The prompt changes with the folder.
    await client.ok("execute-command", { paneId, command: "PS1='in $PWD $ '" });
    const result = await client.ok("execute-command", { paneId, command });
    assertEquals([result.status, result.exitCode], ["completed", code], `${shell}: ${command}`);
    assertMatch(result.output, output, `${shell}: ${command}`);
    assertEquals((await client.ok("execute-command", { paneId, command: "echo next" })).output, "next");
  }
});

seen("a command that reads at something like a prompt is left alone", async ({ client }) => {
  const paneId = await shellPane(client, "dash -i");
  const asks = await client.ok("execute-command", {
    paneId,
    command: "printf 'name $ '; read x; echo got $x",
    timeout: 1.5,
  });
  assertEquals([asks.status, asks.output], ["waiting", "name $ "]);
  await client.ok("send-keys", { paneId, keys: "me", enter: true });
  const { exitCode, output } = await client.ok("get-command-result", {
    commandId: asks.commandId,
    waitSeconds: 10,
  });
  assertEquals([exitCode, output], [0, "name $ me\ngot me"]);
});

seen(
  "a prompt that shrinks when its line is done leaves nothing of the loader",
  async ({ world, client }) => {
    const rc = [
      "PROMPT=$'top\\n> '",
      "precmd() { PROMPT=$'top\\n> ' }",
      "zle-line-finish() { PROMPT='% '; zle .reset-prompt }",
      "zle -N zle-line-finish",
    ];
    // The zsh of other tests reads no such file.
    await Deno.writeTextFile(`${world.folder}/.zshrc`, rc.join("\n"));
    const paneId = await shellPane(client, "zsh");
    const run = (command: string) => client.ok("execute-command", { paneId, command });
    await run("true");
    await run("clear");
    for (const said of ["one", "two"]) assertEquals((await run(`echo ${said}`)).output, said);
    const shown = await world.tmux("capture-pane", "-p", "-t", paneId);
    assertEquals(shown.includes("__mcp"), false, shown);
  },
);
