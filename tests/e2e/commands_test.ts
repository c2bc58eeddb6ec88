import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { WAYS } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

interface Bench extends AsyncDisposable {
  world: World;
  client: TestClient;
  paneId: string;
  run(command: string, args?: Record<string, unknown>): Promise<CommandAnswer>;
  screen(): Promise<string>;
}

interface CommandAnswer {
  commandId: string;
  status: string;
  exitCode?: number;
  output: string;
  outputTruncated?: boolean;
  nextOffset?: number;
  totalLines: number;
  totalBytes: number;
  paneAlive: boolean;
}

/** A server, and a pane with a shell in it. */
async function bench(shell = "bash --norc", args: readonly string[] = []): Promise<Bench> {
  const world = await World.create();
  const client = await world.serve({ args });
  await client.ok("create-session", { name: "keep", command: "cat" });
  const { paneId } = await client.ok("create-session", {
    command: shell,
    width: 100,
    height: 30,
    environment: { PS1: "$ ", ENV: "/dev/null" },
  });
  return {
    world,
    client,
    paneId,
    run: (command, args = {}) => client.ok("execute-command", { paneId, command, ...args }),
    screen: async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).trimEnd(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function eachWay(name: string, test: (pane: Bench) => Promise<void>): void {
  for (const [way, args] of Object.entries(WAYS)) {
    Deno.test(`${name}, ${way}`, async () => {
      await using pane = await bench(undefined, args);
      await test(pane);
    });
  }
}

eachWay(
  "execute-command answers output and exit code, and what it changes in the shell stays",
  async (pane) => {
    const failed = await pane.run("echo hi; sh -c 'exit 42'");
    assertEquals([failed.status, failed.exitCode, failed.output], ["completed", 42, "hi"]);
    assertEquals((await pane.run("echo $?")).output, "42");
    await pane.run("cd /usr/share; export KEPT=yes");
    assertEquals((await pane.run("echo $PWD $KEPT; test -t 1 && echo tty")).output, "/usr/share yes\ntty");
    await pane.run("cd /", { subshell: true });
    assertEquals((await pane.run("pwd")).output, "/usr/share");
    assertMatch(await pane.screen(), /^\S+ echo hi; sh -c 'exit 42'\nhi\n\S+ echo \$\?\n42\n/);
  },
);

eachWay("output comes whole, beyond any history limit, and is read on by offset", async (pane) => {
  const all = await pane.run("seq 1 200000", { maxLines: 100 });
  assertEquals([all.totalLines, all.totalBytes, all.outputTruncated], [200_000, 1_288_894, true]);
  const lines = all.output.split("\n");
  assertEquals([lines[0], lines[24], lines.at(-1)], ["1", "25", "200000"]);
  assertEquals(all.nextOffset, 25);
  const { commandId } = all;
  const more = await pane.client.ok("get-command-result", { commandId, offset: 25, maxLines: 2 });
  assertEquals([more.output, more.nextOffset], ["26\n27", 27]);
  const last = await pane.client.ok("get-command-result", { commandId, offset: 199_999 });
  assertEquals([last.output, last.nextOffset], ["200000", undefined]);
  const cut = await pane.run("printf '%0500d\\n' 0; seq 1 1000", { maxBytes: 400 });
  assertMatch(
    cut.output,
    /^0{100}\n\[400 bytes of this line left out here; a larger maxBytes holds it\]\n\[\d+ lines left out here; offset 1 /,
  );
});

eachWay("a progress bar is one line, colours go, cleared text stays", async (pane) => {
  const bar = await pane.run(
    "for i in 1 2 3; do printf '\\r%d%%' $i; done; echo; printf '\\033[31mred\\033[m\\n'",
  );
  assertEquals(bar.output, "3%\nred");
  assertEquals((await pane.run("echo kept; clear; echo after")).output, "kept\nafter");
});

eachWay(
  "a command that outlives the timeout goes on and is read later; a second one is busy",
  async (pane) => {
    const first = await pane.run("echo early; read x; echo got $x", { timeout: 0.2 });
    assertEquals([first.status, first.output, first.exitCode], ["running", "early", undefined]);
    const busy = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "true" });
    assertEquals(busy.code, "busy");
    assert(busy.text.includes(first.commandId));
    await pane.world.tmux("send-keys", "-t", pane.paneId, "it", "Enter");
    const { commandId } = first;
    const done = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
    assertEquals([done.status, done.exitCode, done.output], ["completed", 0, "early\nit\ngot it"]);
  },
);

Deno.test("background answers at once, and two calls never mix", async () => {
  await using pane = await bench();
  const { commandId, status } = await pane.run("sleep 0.3; echo done", { background: true });
  assertEquals(status, "running");
  const calls = ["a", "b"].map((word) =>
    pane.client.call("execute-command", { paneId: pane.paneId, command: `echo ${word}` })
  );
  assertEquals((await Promise.all(calls)).map((call) => call.isError), [true, true]);
  const result = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
  assertEquals(result.output, "done");
});

eachWay("exit in the pane's shell answers its code at once", async (pane) => {
  const result = await pane.run("echo bye; exit 3");
  assertEquals([result.status, result.exitCode, result.paneAlive], ["completed", 3, false]);
  assertMatch(result.output, /^bye/);
});

Deno.test("open quote, heredoc and the like are incomplete-command; a syntax error is the shell's own", async () => {
  await using pane = await bench();
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

Deno.test("zsh, which takes a trailing && for whole, answers incomplete-command too", async () => {
  await using pane = await bench("zsh -f");
  for (const command of ["true &&", "true ||", "echo 'open", "cat <<END\nopen", "echo \\"]) {
    const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
    assertEquals(failure.code, "incomplete-command", command);
  }
  assertEquals((await pane.run("echo 'a &&'")).output, "a &&");
});

Deno.test("a command that ends in an operator leaves nothing of ours on the screen", async () => {
  for (const shell of ["bash --norc", "dash -i"]) {
    await using pane = await bench(shell);
    await pane.run("true");
    for (const command of ["ls &&", "true |\n", "true ||  "]) {
      const { code, text } = await pane.client.fails("execute-command", { paneId: pane.paneId, command });
      assertEquals([shell, command, code], [shell, command, "incomplete-command"]);
      assertMatch(text, /(?:&&|\|\|?) must be followed by a statement/);
    }
    assertEquals((await pane.run("echo fine # &&")).output, "fine", shell);
    const screen = await pane.screen();
    assert(!/syntax error|unexpected/i.test(screen), screen);
  }
});

Deno.test("a pane where a program runs is busy, and nothing is typed into it", async () => {
  await using pane = await bench("cat");
  const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "echo typed" });
  assertEquals(failure.code, "busy");
  assertMatch(failure.text, /cat runs there/);
  assertEquals(await pane.screen(), "");
});

Deno.test("a nested tmux is busy", async () => {
  await using pane = await bench();
  await pane.world.tmux("send-keys", "-t", pane.paneId, "TMUX= tmux -f /dev/null -L inner new", "Enter");
  const args = { paneId: pane.paneId, triggers: "pattern:\\[0\\]", timeout: 10 };
  await pane.client.ok("watch-pane", args);
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

Deno.test("text a person has typed at the prompt is left alone", async () => {
  for (const shell of ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "busybox ash"]) {
    await using pane = await bench(shell);
    await pane.run("true");
    await untilScreen(pane, /[#$%>]$/);
    await pane.world.tmux("send-keys", "-t", pane.paneId, "-l", "echo half");
    await untilScreen(pane, /echo half$/);
    const failure = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "rm -rf x" });
    assertEquals(failure.code, "busy", shell);
    await pane.world.tmux("send-keys", "-t", pane.paneId, "-l", " way");
    await untilScreen(pane, /echo half way$/);
  }
});

Deno.test("vi's command mode is no trap", async () => {
  for (const shell of ["bash --norc", "zsh -f"]) {
    await using pane = await bench(shell);
    await pane.run(shell.startsWith("bash") ? "set -o vi" : "bindkey -v");
    assertEquals((await pane.run("echo insert")).output, "insert", shell);
    await pane.world.tmux("send-keys", "-t", pane.paneId, "Escape");
    assertEquals((await pane.run("echo command")).output, "command", shell);
    assertMatch(await pane.screen(), /\$? ?echo insert\ninsert\n.*echo command\ncommand\n/);
  }
});

Deno.test("Ctrl-C ends a command in every shell, with its code, and leaves a usable pane", async () => {
  for (const shell of ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "busybox ash", "mksh"]) {
    await using pane = await bench(shell);
    const { commandId } = await pane.run("/bin/sleep 60", { background: true });
    await untilRunning(pane, "sleep");
    await pane.world.tmux("send-keys", "-t", pane.paneId, "C-c");
    const result = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
    assertEquals([shell, result.status, result.exitCode], [shell, "completed", 130]);
    // zsh marks the unfinished line itself.
    assertMatch(result.output, shell.startsWith("zsh") ? /^\^C[%#] +$/ : /^\^C$/, shell);
    assertEquals((await pane.run("echo next")).output, "next", shell);
  }
});

Deno.test("a shell that replaces itself is done when the new one waits", async () => {
  await using pane = await bench();
  const result = await pane.run("echo before; exec bash --norc");
  assertEquals([result.status, result.exitCode], ["completed", 0]);
  assertMatch(result.output, /^before/);
  const other = await pane.run("exec zsh -f");
  assertEquals(other.status, "completed");
  assertEquals((await pane.run("echo $ZSH_NAME")).output, "zsh");
});

Deno.test("no program can end a command by printing marks", async () => {
  await using pane = await bench();
  const forged = "printf '\\033]133;D;0\\007\\033]133;D;9;1234\\007'; env | grep -c 133; sh -c 'exit 6'";
  const result = await pane.run(forged);
  assertEquals([result.exitCode, result.output], [6, "0"]);
});

Deno.test("suppressHistory false enters the command as written", async () => {
  await using pane = await bench();
  await pane.run("echo hidden");
  await pane.run("echo 'kept  as'  written", { suppressHistory: false });
  const { output } = await pane.run("history");
  assertMatch(output, /echo 'kept {2}as' {2}written/);
  assert(!output.includes("hidden") && !output.includes("133"), output);
});

Deno.test("rawMode types into what is no shell, noEnter only types", async () => {
  await using pane = await bench("cat");
  const raw = await pane.run("over there", { rawMode: true });
  assertEquals([raw.status, raw.exitCode, raw.output], ["completed", undefined, "over there\nover there"]);
  const typed = await pane.run("not yet", { noEnter: true, delayMs: 1 });
  assertEquals([typed.status, typed.output], ["completed", ""]);
  await untilScreen(pane, /not yet$/);
  const failure = await pane.client.fails("execute-command", {
    paneId: pane.paneId,
    command: "x",
    delayMs: 5,
  });
  assertEquals(failure.code, "invalid-argument");
});

Deno.test("a commandId outlives its tmux server, and is gone once another runs in its place", async () => {
  await using pane = await bench();
  const { world, client, paneId } = pane;
  const { commandId } = await client.ok("execute-command", { paneId, command: "echo kept" });
  await world.tmux("kill-server");
  assertEquals((await client.ok("get-command-result", { commandId })).output, "kept");
  while ((await client.call("get-server-info")).structuredContent?.alive !== false);
  await client.ok("create-session", {});
  const { code, text } = await client.fails("get-command-result", { commandId });
  assertEquals(code, "gone");
  assert(text.includes(commandId));
  await assertRejects(
    () => client.client.readResource({ uri: `tmux://command/${commandId}/result` }),
    Error,
    commandId,
  );
});

Deno.test("commandId of nobody is not-found, NUL is refused", async () => {
  await using pane = await bench();
  const unknown = await pane.client.fails("get-command-result", { commandId: "c9-1-2" });
  assertEquals(unknown.code, "not-found");
  const nul = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "echo \0" });
  assertEquals(nul.code, "invalid-argument");
});

/** A key pressed between a shell's fork and the program's start is the shell's. */
async function untilRunning({ world, paneId }: Bench, name: string): Promise<void> {
  const until = performance.now() + 5000;
  const running = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_current_command}");
  while ((await running()).trim() !== name) {
    if (performance.now() > until) throw new Error(`never saw ${name} run`);
  }
}

async function untilScreen({ screen }: Bench, pattern: RegExp): Promise<void> {
  const until = performance.now() + 5000;
  for (;;) {
    const text = await screen();
    if (pattern.test(text)) return;
    if (performance.now() > until) throw new Error(`never saw ${pattern} in:\n${text}`);
  }
}

eachWay(
  "remain-on-exit is as it was after a command, and a pane that its owner wants to keep stays",
  async (pane) => {
    const option = () => pane.world.tmux("show-options", "-p", "-t", pane.paneId, "remain-on-exit");
    await pane.run("true");
    assertEquals(await option(), "");
    await pane.world.tmux("set-option", "-p", "-t", pane.paneId, "remain-on-exit", "failed");
    await pane.run("true");
    assertEquals((await option()).trim(), "remain-on-exit failed");
    assertEquals((await pane.run("exit 4")).exitCode, 4);
    const dead = await pane.world.tmux("display-message", "-p", "-t", pane.paneId, "#{pane_dead}");
    assertEquals(dead.trim(), "1");
  },
);

Deno.test("a cancelled call leaves the command running, and its record", async () => {
  await using pane = await bench();
  const abort = new AbortController();
  const args = { paneId: pane.paneId, command: "echo begun; sleep 1; echo over" };
  const call = pane.client.call("execute-command", args, { signal: abort.signal });
  await untilScreen(pane, /begun\n?$/);
  abort.abort();
  assert(await call.then(() => false, () => true));
  const busy = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "true" });
  const commandId = /"(c\d[^"]*)"/.exec(busy.text)?.[1];
  const result = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
  assertEquals([result.status, result.output], ["completed", "begun\nover"]);
});

Deno.test("progress tells the last line", async () => {
  await using pane = await bench();
  const told: string[] = [];
  const args = { paneId: pane.paneId, command: "echo compiled 41 of 90; sleep 2.5" };
  await pane.client.ok("execute-command", args, { onprogress: ({ message }) => told.push(message ?? "") });
  assertMatch(told[0] ?? "", /^\[%\d+ \+\d\.\ds\] compiled 41 of 90$/);
});

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
