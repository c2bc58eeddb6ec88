// run-in-repl against real programs; each test is named after the trap it stands for.
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { serveUnderYama } from "../support/hidden_memory.ts";
import { onOneServer } from "../support/one_server.ts";
import { inRepl, inReplOf, PYTHON, type Repl } from "../support/repl.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { WAYS } from "../support/watching.ts";
import { World } from "../support/world.ts";

const PYTHON_SAYS: [input: string, output: string][] = [
  ["1+1", "2"],
  ["x = 'ü日本'", ""],
  ["x", "'ü日本'"],
  ["def f(n):\n    return n * 2\n\nf(4)", "8"],
  ["def h(n):\n    return n * 3", ""],
  ["h(4)", "12"],
  ["class A:\n    x = 1\n\n    def f(self):\n        return self.x\n\nA().f()", "1"],
  ["def g():\n    return '''a\n\n    b'''\n\ng()", "'a\\n\\n    b'"],
  ["for i in range(3): print(i)", "0\n1\n2"],
  ["def d(n):\n    return n\nd(7)", "7"],
  ["if True:\n    7\n8", "7\n8"],
  ["try:\n    1/0\n\nexcept ZeroDivisionError:\n    print('no')", "no"],
  ["def o(n): return n + 1\no(1)", "2"],
  ["def c(n):\n    return n\n# ends here\nc(9)", "9"],
  ["if True:\n    10\n  \n11", "10\n11"],
  ["class B:\n    x = 12\n\n# more\n    y = 13\nB.y", "13"],
  ["def q():\n    '''a\n    \"\"\"b\n    '''\n    return 14\nq()", "14"],
  ["@staticmethod\ndef s():\n    return 15\ns()", "15"],
  ["'a\tb'", "'a\\tb'"],
  ["def t():\n\treturn '\t'\nt()", "'\\t'"],
  ["'" + "a".repeat(200) + "'", "'" + "a".repeat(200) + "'"],
];

/** Programs by command: what is typed, and what it answers. */
const CONVERSATIONS: Record<string, { command: string; says: [input: string, output: string][] }> = {
  python: { command: PYTHON, says: PYTHON_SAYS },
  // A runner before Python changes how it is seen, and not the answers.
  "python behind a runner": {
    command: `sh -c '${PYTHON}; :'`,
    says: sized({ gate: PYTHON_SAYS.slice(3, 6), soak: PYTHON_SAYS }),
  },
  node: {
    command: "node",
    says: [
      ["1+1", "2"],
      ["var x = 1", "undefined"],
      ["function f() {\n  return 42\n}", "undefined"],
      ["f()", "42"],
      ["await new Promise((r) => setTimeout(() => r('slow'), 400))", "'slow'"],
      [
        "for (const i of [1, 2]) { process.stdout.write(`${i} `); await new Promise((r) => setTimeout(r, 400)) }",
        "1 2 undefined",
      ],
    ],
  },
  sqlite3: {
    command: "sqlite3",
    says: [["select 1;", "1"], ["create table t(a);", ""], ["select\n2;", "2"], [
      ".mode line\nselect 3 as\ta;",
      "    a = 3",
    ]],
  },
  bc: {
    command: "bc -q",
    says: [["1+1", "2"], ["x=1", ""], ["define f(n) {\n return n*2\n}\nf(4)", "8"]],
  },
  gdb: {
    command: "gdb -nx -q",
    says: [["print 6*7", "$1 = 42"], ["set confirm off", ""], ["shell echo sub", "sub"], [
      "print 1\nprint 2",
      "$2 = 1\n$3 = 2",
    ]],
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

const yama = onOneServer("run-in-repl talks to programs whose calls are hidden", serveUnderYama);

for (const [name, { command, says: all }] of Object.entries(CONVERSATIONS)) {
  for (const [each, says] of [[test, all], [yama, sized({ gate: all.slice(0, 3), soak: all })]] as const) {
    each(
      `returns what each program prints: ${name}`,
      (served) =>
        inReplOf(served, command, async ({ run }) => {
          const ask = async (input: string) => (await run(input, { allowShell: true })).output;
          for (const [input, output] of says) assertEquals([input, await ask(input)], [input, output]);
        }),
    );
  }
}

test("REPL: Python is known by its prompt, whatever its process is called", async (served) => {
  const flask = `${served.world.folder}/flask`;
  await Deno.symlink("/usr/bin/python3", flask);
  await inReplOf(served, `${flask} -q`, async ({ run }) => {
    for (const [input, output] of sized({ gate: PYTHON_SAYS.slice(3, 6), soak: PYTHON_SAYS })) {
      assertEquals([input, (await run(input)).output], [input, output]);
    }
    const block = "def e(n):\n    return n";
    assertEquals(await run(block, { promptPattern: "^>>> $" }), { output: "" });
  });
});

test("REPL: a block of Python behind a client of containers is ended", async (served) => {
  const docker = `${served.world.folder}/docker`;
  await Deno.symlink("/usr/bin/python3", docker);
  await inReplOf(served, `${docker} -q`, async ({ run }) => {
    assertEquals(await run("for i in range(3): print(i)"), { output: "0\n1\n2" });
    assertEquals(await run("import time; time.sleep(0.1); print(1)\nprint(2)\n3"), { output: "1\n2\n3" });
  });
});

test("REPL: a full screen and what scrolled off it are answered whole", (served) =>
  inReplOf(served, PYTHON, wholeAnswers));

Deno.test("REPL: a full screen and what scrolled off it are answered whole, without attaching", () =>
  inRepl(PYTHON, wholeAnswers, WAYS["without attaching"]));

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

/** Reads a file that each line names, as a slow program without a line editor. */
const READS_FILES = `
import sys
while True:
    print("? ", end="", flush=True)
    name = sys.stdin.readline().strip()
    print(open(name).read() if name else "none")
`;

test("REPL: a slow answer behind a program that edits the lines is waited for", async (served) => {
  const { folder } = served.world;
  const [fifo, script] = [`${folder}/behind`, `${folder}/reads.py`];
  await Deno.writeTextFile(script, READS_FILES);
  await new Deno.Command("mkfifo", { args: [fifo] }).output();
  await inReplOf(served, `rlwrap python3 ${script}`, async ({ run, client, paneId }) => {
    assertEquals(await run(""), { output: "none" });
    assertEquals(await run(fifo, { timeout: 1 }), { output: "", timedOut: true });
    const { waitingForInput, evidence } = await client.ok("pane-state", { paneId });
    assertEquals([waitingForInput, /python3 .* behind rlwrap/.test(evidence)], [false, true], evidence);
    await Deno.writeTextFile(fifo, "late");
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
    assertEquals(await run(""), { output: "none" });
  });
});

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

Deno.test("REPL: clients of ours end with their call, and nothing is left with the server", async (t) => {
  await using world = await World.create();
  const served = { world, client: await world.serve() };
  await served.client.ok("create-session", { name: "stays" });

  await t.step(
    "a cancelled call ends its clients at once, and the program continues",
    () =>
      inReplOf(served, PYTHON, async ({ client, paneId, run }) => {
        await run("import time");
        const stop = new AbortController();
        const input = "time.sleep(1); print('went on')";
        const call = client.call("run-in-repl", { paneId, input, timeout: 60 }, { signal: stop.signal });
        await until(async () => !(await client.ok("pane-state", { paneId })).waitingForInput);
        stop.abort();
        await call.catch(() => {});
        await until(async () => await world.tmux("list-clients") === "");
        await client.ok("wait-for-text", { paneId, pattern: "went on", timeout: 10 });
      }),
  );

  await t.step(
    "nothing of ours is left in the pane's session afterwards",
    () =>
      inReplOf(served, "cat", async ({ client, run }) => {
        await run("a\nb");
        await client.client.close();
        assertEquals(await world.tmux("list-buffers"), "");
        assertEquals(await world.tmux("list-clients"), "");
      }),
  );
});

/** Asks for bracketed pastes, or not, and prints back the bytes of each input. */
function byteReader(pastes: boolean, begin = "read()"): string {
  const prompt = pastes ? "b'\\x1b[?2004h> '" : "b'> '";
  return `python3 -c "
import os, threading, tty
tty.setraw(0)
def read():
  while True:
    os.write(1, ${prompt})
    data = b''
    while not data.endswith(b'\\r') or data.count(b'[200~') > data.count(b'[201~'): data += os.read(0, 1000)
    os.write(1, b'\\r\\n' + repr(data).encode() + b'\\r\\n')
${begin}
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
  "os.write(1, b'> ')",
  "threading.Thread(target=keys, daemon=True).start()",
  "while True:",
  "  line = lines.get()",
  "  time.sleep(0.5)",
  "  os.write(1, line.upper() + b'\\r\\n> ')",
];

/** As octave's readline: looks at the terminal for a moment at each closing bracket, to show where that opens. */
const BLINKING = [
  "import os, select, tty",
  "tty.setraw(0)",
  "while True:",
  "  os.write(1, b'> ')",
  "  line = b''",
  "  while not line.endswith(b'\\r'):",
  "    for key in os.read(0, 99):",
  "      line += bytes([key])",
  "      os.write(1, bytes([key]) if key != 13 else b'\\r\\n')",
  "      if key == 41: select.select([0], [], [], 0.5)",
  "  os.write(1, line.upper() + b'\\n')",
];

test("REPL: a program that shows where a bracket opens is waited for", async (served) => {
  const script = `${served.world.folder}/blinking.py`;
  await Deno.writeTextFile(script, BLINKING.join("\n"));
  await inReplOf(served, `python3 ${script}`, async ({ run }) => {
    for (const input of ["f(1)", "g(h(2))"]) assertEquals(await run(input), { output: input.toUpperCase() });
  });
});

/** As lua and ocaml: prompts for more lines that end like the first one, or are blank. */
const MORE_PROMPTS = [
  "while True:",
  "  lines = [input('# ')]",
  "  while lines[-1].endswith('+'): lines.append(input('## ' if len(lines) < 2 else '  '))",
  "  if lines == ['quit']: break",
  "  print(' '.join(lines))",
];

test("REPL: a prompt for more lines is no output, nor is the shell's that ends like the program's", (served) =>
  inReplOf(served, "PS1='sh-1# ' bash --norc --noprofile", async ({ run, world }) => {
    const script = `${world.folder}/more.py`;
    await Deno.writeTextFile(script, MORE_PROMPTS.join("\n"));
    await run(`python3 ${script}`, { allowShell: true });
    assertEquals(await run("a +\nb +\nc"), { output: "a + b + c" });
    assertEquals(await run("a +"), { output: "", prompt: "## " });
    assertEquals(await run("b"), { output: "a + b", prompt: "# " });
    assertEquals(await run("quit"), { output: "", exited: true });
  }));

test("REPL: a program in Python that reads lines itself gets them as they are", (served) =>
  inReplOf(served, `python3 -c "while True: print(repr(input('> ')))"`, async ({ run }) => {
    assertEquals(await run("a\n  b\nc"), { output: "'a'\n'  b'\n'c'" });
    assertEquals(await run("d:\n  e\n\n  f\ng"), { output: "'d:'\n'  e'\n''\n'  f'\n'g'" });
  }));

test("REPL: a program whose thread reads keys while it works is waited for", (served) =>
  inReplOf(served, `exec python3 -c "${KEY_THREAD.join("\n")}"`, async ({ run }) => {
    for (const word of ["one", "two"]) assertEquals(await run(word), { output: word.toUpperCase() });
  }));

test("REPL: a program in the process group of its shell is not that shell", (served) =>
  inReplOf(served, "dash +m -i", async ({ run }) => {
    await run(PYTHON, { allowShell: true });
    assertEquals(await run("1 + 1"), { output: "2" });
  }));

test("REPL: a question at a shell's prompt has ended once the shell is back there, and later lines are not run", (served) =>
  inReplOf(served, "bash --norc", async ({ run, world }) => {
    for (const question of ["read -p 'Name? '", "x=$(bash -c 'read -p \"Name? \"')"]) {
      for (const lines of ["me", `me\ntouch ${world.folder}/touched`]) {
        await run(question, { allowShell: true });
        const { output, exited } = await run(lines);
        assertEquals({ output, exited }, { output: "", exited: true });
      }
    }
    await assertRejects(() => Deno.stat(`${world.folder}/touched`), Deno.errors.NotFound);
  }));

test("REPL: an answer that ends a program says which one it leaves at the terminal", (served) =>
  inReplOf(
    served,
    `bash -mc 'while :; do python3 -c "input()"; read -p "Next? " x; done'`,
    async ({ run }) => {
      // It is said if that program waits soon.
      await until(async () => {
        const { exited, hint } = await run("me").catch((): Record<string, unknown> => ({}));
        return exited === true && hint === "bash waits for input now";
      });
    },
  ));

test("REPL: lines for a program that ends before they are typed are not run by the shell behind it", (served) =>
  inReplOf(served, "bash --norc", async ({ client, paneId, world }) => {
    await client.ok("send-keys", { paneId, keys: PYTHON, enter: true });
    const state = () => client.ok("pane-state", { paneId });
    await until(async () => (await state()).foregroundCmd === "python3" && (await state()).waitingForInput);
    const { foregroundPid: pid } = await state();
    // The prompt is captured once the program was found to wait.
    const kill = `kill -9 ${pid}; timeout 20 sh -c "while kill -0 ${pid}; do sleep 0.01; done"`;
    await world.tmux(
      "set-hook",
      "-t",
      paneId,
      "after-capture-pane",
      `run-shell '{ ${kill}; } 2>/dev/null; true'`,
    );
    const input = `touch ${world.folder}/first\ntouch ${world.folder}/second`;
    const { code, text } = await client.fails("run-in-repl", { paneId, input });
    assertEquals(code, "gone");
    assertMatch(text, /python3 has ended/);
    await world.tmux("set-hook", "-u", "-t", paneId, "after-capture-pane");
    assertEquals((await client.ok("execute-command", { paneId, command: "true" })).status, "completed");
    await assertRejects(() => Deno.stat(`${world.folder}/first`), Deno.errors.NotFound);
  }));

test("REPL: several lines are one paste where the program asked for pastes", (served) =>
  inReplOf(served, byteReader(true), async ({ run }) => {
    const { output } = await run("a\n\tb");
    assertMatch(output as string, /\[200~a\\r\\tb\\x1b\[201~\\r'$/);
    assertEquals((await run("c")).output, "b'c\\r'");
  }));

test("REPL: several lines are one paste where a thread that reads asked for pastes", (served) =>
  inReplOf(served, byteReader(true, "threading.Thread(target=read).start()"), async ({ run }) => {
    assertMatch((await run("a\nb")).output as string, /\[200~a\\rb\\x1b\[201~\\r'$/);
  }));

test("REPL: several lines are typed one by one where it did not", (served) =>
  inReplOf(served, byteReader(false), async ({ run }) => {
    assertEquals((await run("a\n\tb")).output, "b'a\\r'\nb'\\tb\\r'");
  }));

/** First lines after which a question waits that is not the REPL's: of a password, of another program. */
const QUESTIONS = [
  { first: "import getpass; x = getpass.getpass()", inputKind: "password", foregroundCmd: "python3" },
  {
    first: "for i in [1]: import getpass; x = getpass.getpass()",
    inputKind: "password",
    foregroundCmd: "python3",
  },
  { first: "import os; os.system('bash --norc')", inputKind: "raw", foregroundCmd: "bash" },
  { first: "import os; os.system('sqlite3')", inputKind: "raw", foregroundCmd: "sqlite3" },
];

test("REPL: later lines answer no question for a password and no other program", async (served) => {
  for (const { first, ...expected } of QUESTIONS) {
    await inReplOf(served, PYTHON, async ({ run, world, paneId }) => {
      const { status, waiting, hint } = await run(`${first}\ntouch ${world.folder}/touched\nprint('got', x)`);
      const { inputKind, foregroundCmd } = waiting as typeof expected;
      assertEquals([status, inputKind], ["waiting", expected.inputKind]);
      assertEquals(foregroundCmd.startsWith(expected.foregroundCmd), true, foregroundCmd);
      assertEquals(hint, "The last 2 lines of the input were not typed");
      assertEquals((await world.tmux("capture-pane", "-p", "-t", paneId)).includes("got"), false);
    });
  }
});

test('REPL: with onInput "wait" a password is awaited, not reported', (served) =>
  inReplOf(served, PYTHON, async ({ run, client, paneId }) => {
    const call = run("import getpass; x = getpass.getpass(); x", { onInput: "wait", timeout: 30 });
    await until(async () => (await client.ok("pane-state", { paneId })).inputKind === "password");
    await client.ok("watch-pane", { paneId, triggers: "idle:1", timeout: 20 });
    await client.ok("send-keys", { paneId, keys: "secret", enter: true });
    const { status, output } = await call;
    assertEquals({ status, output }, { status: undefined, output: "Password: \n'secret'" });
  }));
