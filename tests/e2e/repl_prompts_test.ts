// run-in-repl and prompts: where an answer ends, what a program asks, and where nothing may be typed.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { inReplOf, PYTHON } from "../support/repl.ts";

const test = onOneServer("run-in-repl types at prompts, and nowhere else");

test("REPL: a pattern with a trailing space matches, and one without it", (served) =>
  inReplOf(served, PYTHON, async ({ run }) => {
    for (const promptPattern of [">>> $", ">>> ", "^>>>$", "(>>>|\\.\\.\\.) ?$"]) {
      assertEquals(await run("print(3)", { promptPattern }), { output: "3" });
    }
    assertEquals(await run("def f():\n    return 5\n", { promptPattern: "^>>> $" }), { output: "" });
    assertEquals(await run("f()", { promptPattern: "^nothing$", timeout: 0.3 }), {
      output: "5",
      timedOut: true,
    });
  }));

test("REPL: an exit to the shell leaves the shell's prompt out", (served) =>
  inReplOf(served, "bash --norc --noprofile", async ({ run }) => {
    const started = await run(PYTHON, { allowShell: true });
    assertEquals([started["prompt"], started["output"]], [">>> ", ""]);
    assertEquals(await run("print('bye'); exit()"), { output: "bye", exited: true });
    assertEquals(await run("sleep 0.3; echo back", { allowShell: true }), { output: "back" });
  }));

test("REPL: an answer that contains the prompt is not its end", (served) =>
  inReplOf(served, PYTHON, async ({ run }) => {
    await run("import time");
    const input = "print('>>> ', end='', flush=True); time.sleep(0.4); print('done')";
    assertEquals(await run(input), { output: ">>> done" });
    assertEquals(await run(input, { promptPattern: ">>> $" }), { output: ">>> done" });
    assertEquals(await run("print('>>> ')"), { output: ">>> " });
    assertEquals(await run("print(1, end='')"), { output: "1" });
    assertEquals(await run("2"), { output: "2" });
  }));

test("REPL: what it waits at is said where it is another prompt", (served) =>
  inReplOf(served, PYTHON, async ({ run }) => {
    assertEquals(await run("input('Name? ')"), { output: "", prompt: "Name? " });
    assertEquals(await run("bob"), { output: "'bob'", prompt: ">>> " });
    assertEquals(await run("def f():"), { output: "", prompt: "... " });
    assertEquals(await run("    return 1"), { output: "" });
    assertEquals(await run(""), { output: "", prompt: ">>> " });
    assertEquals(await run("f()"), { output: "1" });
  }));

test("REPL: the prompt after a question without text is no output", async (served) => {
  await inReplOf(served, PYTHON, async ({ run }) => {
    assertEquals(await run("x = input()"), { output: "" });
    assertEquals(await run("bob"), { output: "", prompt: ">>> " });
    assertEquals(await run("int(input())"), { output: "" });
    assertEquals(await run("12"), { output: "12", prompt: ">>> " });
    assertEquals(await run("x"), { output: "'bob'" });
  });
  await inReplOf(served, "perl -de0", async ({ run }) => {
    assertEquals((await run("$x = <STDIN>"))["output"], "");
    assertEquals((await run("hey"))["output"], "");
    assertMatch((await run("print $x"))["output"] as string, /^hey/);
  });
});

test("REPL: a password prompt is said, and what is typed at it is not in the answer", (served) =>
  inReplOf(served, PYTHON, async ({ run }) => {
    const asks = await run("import getpass; getpass.getpass() == 'secret'");
    assertMatch(asks["hint"] as string, /password/);
    assertEquals((await run("secret"))["output"], "True");
  }));

test("REPL: a program that reads without echo and answers nothing is done all the same", (served) =>
  inReplOf(served, "stty -echo; while read x; do :; done", async ({ run }) => {
    assertEquals((await run("quiet"))["output"], "");
  }));

test("REPL: a shell at its prompt is refused unless it is allowed, one that asks takes the answer", async (served) => {
  for (const shell of ["bash --norc --noprofile", "zsh -f", "fish --no-config", "dash -i"]) {
    await inReplOf(served, shell, async ({ run, client, paneId }) => {
      const { code, text, hint } = await client.fails("run-in-repl", { paneId, input: "echo typed" });
      assertEquals([shell, code], [shell, "invalid-argument"]);
      assertMatch(`${text} ${hint}`, /at its prompt.*execute-command.*allowShell/s);
      assertEquals((await run("echo typed", { allowShell: true })).output, "typed");
    });
  }
  await inReplOf(served, "bash --norc --noprofile", async ({ run, client, paneId }) => {
    const call = client.call("execute-command", { paneId, command: "read -p 'Which? ' word; echo $word" });
    assertEquals((await call).structuredContent.status, "waiting");
    assertMatch((await run("this"))["output"] as string, /^this/);
  });
});

test("REPL: with a promptPattern another question ends the wait too", (served) =>
  inReplOf(served, PYTHON, async ({ run }) => {
    const asked = await run("input('Name? ')", { promptPattern: ">>> $", timeout: 40 });
    assertEquals([asked["status"], asked["waiting"]], [
      "waiting",
      { inputKind: "raw", foregroundCmd: "python3", prompt: "Name? " },
    ]);
    assertEquals(await run("bob", { promptPattern: ">>> $" }), { output: "'bob'", prompt: ">>> " });
  }));

test("REPL: what a person has begun to type after a known prompt is neither sent nor lost", (served) =>
  inReplOf(served, PYTHON, async ({ run, client, paneId, world }) => {
    await run("a = 1");
    await world.tmux("send-keys", "-t", paneId, "-l", "del a,");
    await client.ok("wait-for-text", { paneId, pattern: "del a," });
    const refused = await client.fails("run-in-repl", { paneId, input: "print(2)" });
    assertEquals([refused.code, /text typed after its prompt/.test(refused.text)], ["busy", true]);
    await client.ok("send-enter", { paneId });
    await client.ok("wait-for-text", { paneId, pattern: "^>>> $", regex: true, timeout: 20 });
    assertMatch((await run("a"))["output"] as string, /NameError/);
  }));

test("REPL: a pager or an editor is no REPL", (served) =>
  inReplOf(served, "bash --norc --noprofile", async ({ run, client, paneId }) => {
    const paged = await run("sh -c 'less /etc/passwd; :'", { allowShell: true });
    assertMatch(paged["hint"] as string, /full-screen/);
    const refused = await client.fails("run-in-repl", { paneId, input: "q" });
    assertEquals([refused.code, /as a REPL: less is using/.test(refused.text)], ["busy", true]);
    await client.ok("send-keys", { paneId, keys: "q" });
    await client.ok("watch-pane", { paneId, triggers: "shell,user_input", timeout: 10 });
  }));

test("REPL: two calls in one pane do not mix: the second is busy", (served) =>
  inReplOf(served, PYTHON, async ({ client, paneId }) => {
    const calls = await Promise.all(
      [1, 2].map((n) => client.call("run-in-repl", { paneId, input: `import time; time.sleep(0.3); ${n}` })),
    );
    assertEquals(calls.filter(({ isError }) => isError).length, 1);
    const refused = calls.find(({ isError }) => isError)!;
    assertEquals(refused._meta!["tmux-mcp/error"]!.code, "busy");
    const answered = calls.find(({ isError }) => !isError)!;
    assert(["1", "2"].includes(answered.structuredContent.output));
  }));

test("REPL: copy mode, synchronized panes and dead panes are refused before anything is typed", (served) =>
  inReplOf(served, "cat", async ({ world, client, paneId }) => {
    const refusal = async () => (await client.fails("run-in-repl", { paneId, input: "x" })).code;
    await world.tmux("copy-mode", "-t", paneId);
    assertEquals(await refusal(), "busy");
    await world.tmux("copy-mode", "-q", "-t", paneId);
    await world.tmux("split-window", "-d", "-t", paneId, "cat");
    await world.tmux("set-option", "-w", "-t", paneId, "synchronize-panes", "on");
    assertEquals(await refusal(), "busy");
    await world.tmux("set-option", "-w", "-t", paneId, "synchronize-panes", "off");
    assertEquals((await world.tmux("capture-pane", "-p", "-t", paneId)).trim(), "");
    await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
    const ended = client.ok("watch-pane", { paneId, triggers: "exit", timeout: 10 });
    await client.untilWatching();
    await client.ok("send-eof", { paneId });
    await ended;
    assertEquals(await refusal(), "gone");
  }));

test("REPL: a pattern that RE2 cannot take, and a line its terminal would cut, are refused", (served) =>
  inReplOf(served, "cat", async ({ client, paneId }) => {
    const pattern = await client.fails("run-in-repl", { paneId, input: "x", promptPattern: "(?=x)" });
    assertEquals(pattern.code, "invalid-argument");
    const long = await client.fails("run-in-repl", { paneId, input: "x".repeat(5000) });
    assertEquals(long.code, "invalid-argument");
  }));

/** Programs that show their first prompt some time after their start. */
const STARTING = [
  { what: "takes no input yet", command: `python3 -c 'import code, time; time.sleep(1); code.interact()'` },
  {
    what: "reads keys before its prompt",
    command:
      `node -e 'process.stdin.setRawMode(true).resume(); setTimeout(() => require("repl").start("> "), 300)'`,
  },
];

for (const { what, command } of STARTING) {
  test(`REPL: one that has just started and ${what} is given time to show its prompt`, async ({ client }) => {
    const { paneId } = await client.ok("create-session", { command });
    assertEquals((await client.ok("run-in-repl", { paneId, input: "1 + 1", timeout: 20 })).output, "2");
  });
}
