// A command whose program asks: the call returns with the question, and the answer lets the command continue.
import { assertEquals, assertMatch } from "@std/assert";
import { shellWord } from "../../src/shell/quoting.ts";
import { inPanesOfOneServer, onOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";

const test = inPanesOfOneServer("a command whose program asks");

const ASKING: [what: string, command: string, inputKind: string, foregroundCmd: RegExp, prompt: RegExp][] = [
  ["a program that reads a line", `python3 -c 'input("Name? ")'`, "line", /^python3$/, /^Name\? $/],
  ["the shell's own read", "read -p 'Which? ' word", "line", /^bash$/, /^Which\? $/],
  [
    "the shell's own read below a ^C",
    "echo 'Press ^C to abort'; read -p 'Which? ' word",
    "line",
    /^bash$/,
    /^Which\? $/,
  ],
  [
    "a question that the pane wraps",
    `seq -s= 200 | cut -c1-$COLUMNS; read -p '${"long ".repeat(60)}? ' word`,
    "line",
    /^bash$/,
    /^(long ){60}\? $/,
  ],
  ["a password", "read -s -p 'Secret: ' word", "password", /^bash$/, /^Secret: $/],
  ["a pager", "seq 1000 | less", "raw", /^less$/, /:$/],
  [
    "a dialog",
    "dialog --yesno 'Really delete it?' 8 40",
    "raw",
    /^dialog$/,
    /^Really delete it\?\n +< Yes > +< No +>$/,
  ],
  [
    "a menu without a cursor",
    `node -e "process.stdin.setRawMode(true).once('data',()=>{console.log('\\x1b[?25h');process.exit()});` +
    `console.log('Which colour?\\n> red\\n  green\\x1b[?25l')"`,
    "raw",
    /^node$/,
    /^Which colour\?\n> red\n {2}green$/,
  ],
  [
    "a marked menu",
    `node -e "process.stdin.setRawMode(true).once('data',()=>{console.log('\\x1b[?25h');process.exit()});` +
    `console.log('Setting up\\n? Which\\n> red\\n  green\\x1b[?25l')"`,
    "raw",
    /^node$/,
    /^\? Which\n> red\n {2}green$/,
  ],
  ["a shell within", "PS1='inner> ' bash --norc", "raw", /^bash$/, /^inner> $/],
];

for (const [what, command, inputKind, foregroundCmd, prompt] of ASKING) {
  test(`execute-command returns when its program waits for input: ${what}`, async (pane) => {
    const { client, paneId } = pane;
    // deno-lint-ignore no-explicit-any -- read below
    const asked: any = await pane.run(command, { timeout: 40 });
    assertEquals([asked.status, asked.waiting.inputKind], ["waiting", inputKind]);
    assertMatch(asked.waiting.foregroundCmd, foregroundCmd);
    assertMatch(asked.waiting.prompt, prompt);
    const { commandId } = asked;
    const still = await client.ok("get-command-result", { commandId, waitSeconds: 40 });
    assertEquals([still.status, still.waiting], ["waiting", asked.waiting]);
    const isOneKey = inputKind === "raw" && what !== "a shell within";
    const keys = inputKind !== "raw" ? "answer" : what === "a pager" ? "q" : isOneKey ? "y" : "exit";
    await client.ok("send-keys", {
      paneId,
      keys,
      literal: true,
      enter: !isOneKey,
    });
    const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([done.status, done.exitCode, done.waiting], ["completed", 0, undefined]);
  });
}

const TAKES_KEYS = `import os, select, termios, threading, time
mode = termios.tcgetattr(0)
keys = mode[:3] + [mode[3] & ~(termios.ICANON | termios.ECHO)] + mode[4:]
termios.tcsetattr(0, termios.TCSANOW, keys)
def take():
    poll = select.epoll()
    for fd in 0, os.pipe()[0]: poll.register(fd, select.EPOLLIN)
    poll.poll()
threading.Thread(target=take, daemon=True).start()
for _ in range(60):
    print(".", end="", flush=True)
    time.sleep(0.03)
termios.tcsetattr(0, termios.TCSANOW, mode)
`;

test("a program that draws while a thread of its own takes keys does not ask", async (pane) => {
  const { status, output } = await pane.run(`python3 -c ${shellWord(TAKES_KEYS)}`, { timeout: 40 });
  assertEquals([status, output], ["completed", ".".repeat(60)]);
});

const REPLACING_SHELL: readonly (readonly [program: string, inputKind: string, foregroundCmd: string])[] = [
  [`python3 -c 'input("Name? ")'`, "line", "python3"],
  [`sh -c 'printf "Name? "; read x'`, "line", "sh"],
  ["sh ./ask.sh", "line", "sh"],
  ["./ask.sh", "line", "ask.sh"],
  [`bash -c 'read -s -p "Name? " x'`, "password", "bash"],
  ["python3 -q", "raw", "python3"],
  ["cat", "line", "cat"],
];

const replacing = onOneServer("a command whose shell becomes the program that asks");

for (
  const [at, shell] of ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "mksh", "ksh93"].entries()
) {
  // How a program asks is its own, how it gets there its shell's: bash becomes each, the others one, or every second one.
  const isOthers = (index: number) => sized({ gate: index === at, soak: (index + at) % 2 === 0 });
  const programs = REPLACING_SHELL.filter((_, index) => at === 0 || isOthers(index));
  replacing(shell, async ({ world, client }) => {
    const folder = await Deno.makeTempDir({ dir: world.folder });
    await Deno.writeTextFile(`${folder}/ask.sh`, "#!/bin/sh\nprintf 'Name? '\nread x\n", { mode: 0o755 });
    for (const [program, inputKind, foregroundCmd] of programs) {
      const pane = await ShellPane.add(world, client, shell);
      const command = `exec ${program.replace("./", `${folder}/`)}`;
      // deno-lint-ignore no-explicit-any -- read below
      const asked: any = await pane.run(command, { timeout: 10 });
      assertEquals(
        [program, asked.status, asked.waiting?.inputKind, asked.waiting?.foregroundCmd],
        [program, "waiting", inputKind, foregroundCmd],
      );
    }
  });
}

const IN_THE_WAY: [command: string, busy: RegExp][] = [
  ["python3 -q", /runs there: python3 is waiting for a keypress\. Use run-in-repl/],
  ["cat", /runs there: cat is waiting for a line of input\. Use run-in-repl/],
  ["read -p 'Which? ' word", /runs there: bash is waiting for a line of input\. Answer it with send-keys/],
  ["read -e -p 'Which? ' word", /runs there: bash is waiting for a keypress\. Answer it with send-keys/],
  ["read -s -p 'Secret: ' word", /runs there: bash is waiting for a password\. Have a person .*: ask-person/],
  ["vi -u NONE", /runs there: vim?\S* is waiting for a keypress\. Press its keys with send-keys/],
  ["sleep 1000", /runs there\. Wait for it with get-command-result/],
];

for (const [command, busy] of IN_THE_WAY) {
  test(`a command is refused with what stands in its way, and the tool for that: ${command}`, async (pane) => {
    const { client, paneId } = pane;
    const { commandId } = await pane.run(command, { timeout: command.startsWith("sleep") ? 0 : 40 });
    for (
      const [tool, more] of [["execute-command", {}], ["execute-command", { rawMode: true }], [
        "start-and-watch",
        {},
      ]] as const
    ) {
      const { code, text } = await client.fails(tool, { paneId, command: "print(1)", ...more });
      assertEquals([tool, code, text.includes(`command "${commandId}" runs there`)], [tool, "busy", true]);
      assertMatch(text, busy);
    }
  });
}

test("a shell that takes a command's text asks nothing of another command's caller", async (pane) => {
  const { client, paneId } = pane;
  const call = { paneId, command: "sleep 0.3" };
  const answers = await Promise.all(Array.from({ length: 4 }, () => client.call("execute-command", call)));
  const refused = answers.filter(({ isError }) => isError).map(({ content }) => content[0]!.text!);
  assertEquals(refused.length, 3);
  for (const text of refused) assertMatch(text, /runs there\. Wait for it with get-command-result/);
});

test("a REPL that refused a command takes it through run-in-repl", async (pane) => {
  const { client, paneId } = pane;
  await pane.run("python3 -q", { timeout: 40 });
  assertEquals((await client.fails("execute-command", { paneId, command: "print(1)" })).code, "busy");
  assertEquals((await client.ok("run-in-repl", { paneId, input: "print(1)" })).output, "1");
});

test("a command that works, sleeps or reads a pipe is running, not waiting", async (pane) => {
  for (const command of ["sleep 1.2", "for i in 1 2 3 4; do sleep 0.3; done", "sleep 1.2 | cat"]) {
    assertEquals([command, (await pane.run(command)).status], [command, "completed"]);
  }
});

test("a command that can read keys while it works is running, not waiting", async (pane) => {
  const js = (code: string) => `node -e "setTimeout(()=>process.exit(),1500);${code}"`;
  const working = [
    js("process.stdin.setRawMode(true).on('data',()=>{});setInterval(()=>process.stdout.write('-'),80)"),
    js("process.stdin.on('data',()=>{});require('http').createServer(()=>{}).listen(0,'127.0.0.1')"),
    js("process.stdin.on('data',()=>{});setTimeout(()=>require('child_process').execSync('sleep 1'),400)"),
    // As a bundler in its first build.
    js(
      "process.stdin.setRawMode(true).on('data',()=>{});new (require('worker_threads').Worker)('for(;;);',{eval:true})",
    ),
    // As apt-get while dpkg works: it copies keys to a terminal of its own.
    `python3 -c 'import pty; pty.spawn(["sleep", "1.5"])'`,
  ];
  for (const command of working) {
    assertEquals([command, (await pane.run(command)).status], [command, "completed"]);
  }
});

/** A thread passes lines on while the job on the far side runs: that is how `docker exec -i` works. */
const CLIENT = "import sys,threading,time;threading.Thread(target=sys.stdin.readline,daemon=True).start();" +
  "time.sleep(1.5);print(42,flush=True);__import__('os')._exit(0)";

test("a container client that passes on lines while its job runs is running, not waiting", async (pane) => {
  const docker = `${pane.world.folder}/docker`;
  await Deno.symlink("/usr/bin/python3", docker);
  const { status, output } = await pane.run(`${docker} -c ${shellWord(CLIENT)}`);
  assertEquals([status, output], ["completed", "42"]);
});

test("a node program that was answered and works on is running, not waiting", async (pane) => {
  const question = "io.question('Name? ',()=>{io.close();setTimeout(()=>{},1500)})";
  // deno-lint-ignore no-explicit-any -- read below
  const asked: any = await pane.run(
    `node -e "const io=require('readline').createInterface(process.stdin,process.stdout);${question}"`,
  );
  assertEquals([asked.status, asked.waiting?.prompt], ["waiting", "Name? "]);
  await pane.client.ok("send-keys", { paneId: pane.paneId, keys: "it", literal: true, enter: true });
  const done = await pane.client.ok("get-command-result", { commandId: asked.commandId, waitSeconds: 20 });
  assertEquals(done.status, "completed");
});

test("with onInput wait the call lasts until the command is over", async (pane) => {
  const { client, paneId } = pane;
  const call = pane.run("read -p 'Which? ' word; echo $word", { onInput: "wait" });
  await pane.untilScreen(/Which\? ?$/);
  await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  const beside = await client.ok("execute-command", {
    paneId: (await client.ok("create-session", {})).paneId,
    command: "sleep 0.6",
  });
  assertEquals(beside.status, "completed");
  await client.ok("send-keys", { paneId, keys: "this", literal: true, enter: true });
  const { status, output } = await call;
  assertEquals([status, output], ["completed", "Which? this\nthis"]);
});

test("a shell that Ctrl-C brings back to its prompt is no question", async (pane) => {
  const call = pane.run("sleep 30; echo over");
  await pane.untilRunning("sleep");
  await pane.world.tmux("send-keys", "-t", pane.paneId, "C-c");
  assertEquals([(await call).status, (await call).exitCode], ["completed", 130]);
});
