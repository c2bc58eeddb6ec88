// run-in-repl against real programs; each test is named after the trap it stands for.
import { onOneServer, type Served } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { WAYS } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

interface Repl {
  world: World;
  client: TestClient;
  paneId: string;
  run(input: string, more?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

const PYTHON = "python3 -q";

async function inRepl(
  command: string,
  test: (repl: Repl) => Promise<void>,
  args: readonly string[] = [],
): Promise<void> {
  await using world = await World.create();
  const client = await world.serve({ args });
  await client.ok("create-session", { name: "stays" });
  await inReplOf({ world, client }, command, test);
}

async function inReplOf(
  { world, client }: Served,
  command: string,
  test: (repl: Repl) => Promise<void>,
): Promise<void> {
  const { paneId } = await client.ok("create-session", { command, width: 80, height: 24 });
  const ready = await client.ok("watch-pane", { paneId, triggers: "user_input,exit", timeout: 20 });
  assertEquals(ready.event, "user_input");
  await test({
    world,
    client,
    paneId,
    async run(input, more = {}) {
      const { paneId: _, ...answer } = await client.ok("run-in-repl", { paneId, input, ...more });
      return answer;
    },
  });
}

/** Programs by command: what is typed, and what it answers. */
const CONVERSATIONS: Record<string, { command: string; says: [input: string, output: string][] }> = {
  python: {
    command: PYTHON,
    says: [
      ["1+1", "2"],
      ["x = 'ü日本'", ""],
      ["x", "'ü日本'"],
      ["def f(n):\n    return n * 2\n\nf(4)", "8"],
      ["for i in range(3): print(i)", "0\n1\n2"],
      ["'" + "a".repeat(200) + "'", "'" + "a".repeat(200) + "'"],
    ],
  },
  node: {
    command: "node",
    says: [
      ["1+1", "2"],
      ["var x = 1", "undefined"],
      ["function f() {\n  return 42\n}", "undefined"],
      ["f()", "42"],
      ["await new Promise((r) => setTimeout(() => r('slow'), 400))", "'slow'"],
    ],
  },
  sqlite3: {
    command: "sqlite3",
    says: [["select 1;", "1"], ["create table t(a);", ""], ["select\n2;", "2"]],
  },
  bc: {
    command: "bc -q",
    says: [["1+1", "2"], ["x=1", ""], ["define f(n) {\n return n*2\n}\nf(4)", "8"]],
  },
  gdb: {
    command: "gdb -nx -q",
    says: [["print 6*7", "$1 = 42"], ["set confirm off", ""], ["shell echo sub", "sub"]],
  },
  bash: {
    command: "bash --norc --noprofile",
    says: [
      ["echo hi", "hi"],
      ["x=5", ""],
      ["for i in 1 2\ndo echo $i\ndone", "1\n2"],
      ["cat <<E\na\nb\nE", "a\nb"],
      ["printf abc", "abc"],
      ["clear", ""],
      ["sleep 0.3; echo $x", "5"],
    ],
  },
  "dash, which has no line editor": {
    command: "dash",
    says: [["echo hi", "hi"], ["cd /", ""], ["for i in 1 2\ndo echo $i\ndone", "1\n2"]],
  },
  "a program without a prompt": { command: "cat", says: [["hello", "hello"], ["a\nb", "a\nb"]] },
};

const test = onOneServer("run-in-repl talks to programs of every kind");

for (const [name, { command, says }] of Object.entries(CONVERSATIONS)) {
  test(`returns what each program prints: ${name}`, (served) =>
    inReplOf(served, command, async ({ run }) => {
      const ask = async (input: string) => (await run(input, { allowShell: true })).output;
      for (const [input, output] of says) assertEquals([input, await ask(input)], [input, output]);
    }));
}

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

for (const [way, args] of Object.entries(WAYS)) {
  Deno.test(`REPL: a full screen and what scrolled off it are answered whole, ${way}`, () =>
    inRepl(PYTHON, wholeAnswers, args));
}

async function wholeAnswers({ run }: Repl): Promise<void> {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `${from + index}`).join("\n");
  assertEquals((await run("for i in range(60): print(i)")).output, numbers(0, 60));
  assertEquals((await run("for i in range(60, 5000): print(i)")).output, numbers(60, 5000));
  assertEquals((await run("1")).output, "1");
  assertEquals((await run("2")).output, "2");
}

test("REPL: a child process is not an exit, a real exit is", (served) =>
  inReplOf(served, PYTHON, async ({ run, client, paneId }) => {
    await run("import subprocess, os, time");
    const child = await run("subprocess.run(['sleep', '0.3']).returncode");
    assertEquals(child, { output: "0" });
    assertEquals(await run("os.system('sleep 0.2; echo hi')"), { output: "hi\n0" });
    // tmux 3.3a may lose what is printed right before a pane dies.
    assertEquals(await run("print('bye'); time.sleep(0.2); exit()"), { output: "bye", exited: true });
    const after = await client.fails("run-in-repl", { paneId, input: "1" });
    assertEquals(after.code, "not-found");
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

test("REPL: a slow answer is waited for, and time that is up is said with what there is", (served) =>
  inReplOf(served, PYTHON, async ({ run, client, paneId }) => {
    await run("import time");
    assertEquals(await run("time.sleep(0.5); 7"), { output: "7" });
    const cut = await run("print('part', flush=True); time.sleep(1000)", { timeout: 0.5 });
    assertEquals(cut, { output: "part", timedOut: true });
    const busy = await client.fails("run-in-repl", { paneId, input: "1" });
    assertEquals(busy.code, "busy");
    assertMatch(busy.text, /python3 is not waiting for input/);
    await client.ok("send-cancel", { paneId });
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
    assertEquals((await run("3")).output, "3");
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

test("REPL: a pager or an editor is no REPL", (served) =>
  inReplOf(served, "bash --norc --noprofile", async ({ run, client, paneId }) => {
    const paged = await run("less /etc/passwd", { allowShell: true });
    assertMatch(paged["hint"] as string, /full-screen/);
    const refused = await client.fails("run-in-repl", { paneId, input: "q" });
    assertEquals(refused.code, "busy");
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

test("REPL: the size of the pane may change while it answers", (served) =>
  inReplOf(served, PYTHON, async ({ world, run, paneId }) => {
    await run("import subprocess, time");
    const resize = `tmux -S ${world.socket} resize-window -t ${paneId} -x 60 -y 10`;
    const answer = await run(
      `x = subprocess.run('${resize}', shell=True); time.sleep(0.5); print('z' * 70 + '\\ry')`,
    );
    assertEquals(answer["output"], `${"z".repeat(60)}y${"z".repeat(9)}`);
    assertEquals((await run("5")).output, "5");
  }));

test("REPL: on a full screen each answer is its own, equal or not", (served) =>
  inReplOf(served, PYTHON, async ({ world, run, paneId }) => {
    await world.tmux("resize-window", "-t", paneId, "-x", "30", "-y", "4");
    for (const number of [1, 2, 2, 2, 3, 30_000]) {
      assertEquals((await run(`${number} + ${number}`)).output, `${2 * number}`);
    }
    assertEquals((await run("print('x' * 100)")).output, "x".repeat(100));
  }));

Deno.test("REPL: nothing of ours is left in the pane's session afterwards", () =>
  inRepl("cat", async ({ world, client, run }) => {
    await run("a\nb");
    await client.client.close();
    assertEquals(await world.tmux("list-buffers"), "");
    assertEquals(await world.tmux("list-clients"), "");
  }));

Deno.test("REPL: a cancelled call ends its clients at once, and the program continues", () =>
  inRepl(PYTHON, async ({ world, client, paneId, run }) => {
    await run("import time");
    const stop = new AbortController();
    const input = "time.sleep(1); print('went on')";
    const call = client.call("run-in-repl", { paneId, input, timeout: 60 }, { signal: stop.signal });
    await until(async () => !(await client.ok("pane-state", { paneId })).waitingForInput);
    stop.abort();
    await call.catch(() => {});
    const at = performance.now();
    while (await world.tmux("list-clients") !== "") assert(performance.now() - at < 2000);
    await client.ok("wait-for-text", { paneId, pattern: "went on", timeout: 10 });
  }));

/** Asks for bracketed pastes, or not, and prints back the bytes of each input. */
function byteReader(pastes: boolean): string {
  const prompt = pastes ? "b'\\x1b[?2004h> '" : "b'> '";
  return `python3 -c "
import os, tty
tty.setraw(0)
while True:
  os.write(1, ${prompt})
  data = b''
  while not data.endswith(b'\\r') or data.count(b'[200~') > data.count(b'[201~'): data += os.read(0, 1000)
  os.write(1, b'\\r\\n' + repr(data).encode() + b'\\r\\n')
"`;
}

/** As jshell: one thread reads keys all the time, another works and shows the prompt when it is done. */
const KEY_THREAD = [
  "import os, queue, threading, time, tty",
  "tty.setraw(0)",
  "lines = queue.Queue()",
  "def keys():",
  "  line = b''",
  "  while True:",
  "    key = os.read(0, 1)",
  "    os.write(1, b'\\r\\n' if key == b'\\r' else key)",
  "    if key == b'\\r': lines.put(line); line = b''",
  "    else: line += key",
  "threading.Thread(target=keys, daemon=True).start()",
  "while True:",
  "  os.write(1, b'> ')",
  "  line = lines.get()",
  "  time.sleep(0.5)",
  "  os.write(1, line.upper() + b'\\r\\n')",
];

test("REPL: a program whose thread reads keys while it works is waited for", (served) =>
  inReplOf(served, `exec python3 -c "${KEY_THREAD.join("\n")}"`, async ({ run }) => {
    for (const word of ["one", "two"]) assertEquals(await run(word), { output: word.toUpperCase() });
  }));

test("REPL: several lines are one paste where the program asked for pastes", (served) =>
  inReplOf(served, byteReader(true), async ({ run }) => {
    const { output } = await run("a\n\tb");
    assertMatch(output as string, /\[200~a\\r\\tb\\x1b\[201~\\r'$/);
    assertEquals((await run("c")).output, "b'c\\r'");
  }));

test("REPL: several lines are typed one by one where it did not", (served) =>
  inReplOf(served, byteReader(false), async ({ run }) => {
    assertEquals((await run("a\n\tb")).output, "b'a\\r'\nb'\\tb\\r'");
  }));
