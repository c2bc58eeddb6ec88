// A command from when it begins to when its record goes: waited for, cancelled, read later.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { descriptorsOf } from "../support/descriptors.ts";
import { inPanesOfOneServer, inTurnOnOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { WAYS } from "../support/watching.ts";
import type { World } from "../support/world.ts";

const test = inPanesOfOneServer("a command is waited for, cancelled, lost, or shares its pane");
const inTurn = inTurnOnOneServer("a command whose tmux, reader or pane ends");
const unattached = inTurnOnOneServer("commands without attaching", serveWith(WAYS["without attaching"]!));
const oneWatch = inTurnOnOneServer("commands where one watch may run", serveWith(["--max-watches=1"]));

function serveWith(args: readonly string[]) {
  return (world: World) => world.serve({ args });
}

/** Declares a test of a shell's pane in each of the ways in which panes are followed. */
function eachWay(name: string, run: (pane: ShellPane) => Promise<void>): void {
  test(name, run);
  unattached(name, async ({ world, client }) => {
    await client.ok("create-session", { name: "keep", command: "cat" });
    await run(await ShellPane.add(world, client, "bash --norc"));
  });
}

eachWay(
  "a command that outlives the timeout goes on and is read later; a second one is busy",
  async (pane) => {
    const first = await pane.run("echo early; read x; echo got $x", { timeout: 5 });
    assertEquals([first.status, first.exitCode], ["waiting", undefined]);
    const { commandId } = first;
    const outputSoFar = async () => (await pane.client.ok("get-command-result", { commandId })).output;
    await until(async () => await outputSoFar() !== "");
    assertEquals(await outputSoFar(), "early");
    const busy = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "true" });
    assertEquals(busy.code, "busy");
    assert(busy.text.includes(commandId));
    await pane.world.tmux("send-keys", "-t", pane.paneId, "it", "Enter");
    const done = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
    assertEquals([done.status, done.exitCode, done.output], ["completed", 0, "early\nit\ngot it"]);
  },
);

test("background answers at once, and two calls never mix", async (pane) => {
  const go = `${pane.world.folder}/go`;
  const command = `until [ -e ${go} ]; do sleep 0.05; done; echo done`;
  const { commandId, status } = await pane.run(command, { background: true });
  assertEquals(status, "running");
  const calls = ["a", "b"].map((word) =>
    pane.client.call("execute-command", { paneId: pane.paneId, command: `echo ${word}` })
  );
  assertEquals((await Promise.all(calls)).map((call) => call.isError), [true, true]);
  await Deno.writeTextFile(go, "");
  const result = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
  assertEquals(result.output, "done");
});

inTurn(
  "a commandId outlives its tmux server, and is gone once another runs in its place",
  async ({ world, client }) => {
    const { paneId } = await ShellPane.add(world, client, "bash --norc");
    const { commandId } = await client.ok("execute-command", { paneId, command: "echo kept" });
    await world.tmux("kill-server");
    assertEquals((await client.ok("get-command-result", { commandId })).output, "kept");
    await until(async () => (await client.call("get-server-info")).structuredContent?.alive === false);
    await client.ok("create-session", {});
    const { code, text } = await client.fails("get-command-result", { commandId });
    assertEquals(code, "gone");
    assert(text.includes(commandId));
    await assertRejects(
      () => client.client.readResource({ uri: `tmux://command/${commandId}/result` }),
      Error,
      commandId,
    );
  },
);

Deno.test("without records on disk an id of another server process names nothing of the next one", async (t) => {
  await using pane = await ShellPane.open(undefined, ["--no-durable"]);
  const { world, client, paneId } = pane;
  const { commandId } = await pane.run("echo earlier");
  const { watchId } = await client.ok("watch-pane", { paneId, triggers: "exit", background: true });
  const next = await world.serve({ args: ["--no-durable"] });
  const ran = await next.ok("execute-command", { paneId, command: "echo later" });
  const watched = await next.ok("watch-pane", { paneId, triggers: "exit", background: true });
  assert(ran.commandId !== commandId && watched.watchId !== watchId);
  const { code, hint } = await next.fails("get-command-result", { commandId });
  assertEquals([code, /run the command again/.test(hint ?? "")], ["not-found", false]);
  assertEquals((await next.fails("stop-watch", { watchId })).code, "not-found");
  await t.step(
    "and the end of a server gives the pane of a running command back as it was",
    async () => await givesBack(await ShellPane.add(world, next, "bash --norc")),
  );
});

Deno.test("the end of a server that masks gives the pane of a running command back as it was", async () => {
  await using pane = await ShellPane.open(undefined, ["--mask", "literal:secret"]);
  await givesBack(pane);
});

async function givesBack(pane: ShellPane): Promise<void> {
  const { world, client, paneId } = pane;
  const options = () => world.tmux("show-options", "-p", "-t", paneId);
  const before = await options();
  await pane.run("sleep 60", { background: true });
  await pane.untilRunning("sleep");
  assert(await options() !== before);
  await client.client.close();
  assertEquals(await options(), before);
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

test("a cancelled call leaves the command running, and its record", async (pane) => {
  const abort = new AbortController();
  const args = { paneId: pane.paneId, command: "echo begun; sleep 1; echo over" };
  const call = pane.client.call("execute-command", args, { signal: abort.signal });
  await pane.untilScreen(/begun\n?$/);
  abort.abort();
  assert(await call.then(() => false, () => true));
  const busy = await pane.client.fails("execute-command", { paneId: pane.paneId, command: "true" });
  const commandId = /"(c\d[^"]*)"/.exec(busy.text)?.[1];
  const result = await pane.client.ok("get-command-result", { commandId, waitSeconds: 10 });
  assertEquals([result.status, result.output], ["completed", "begun\nover"]);
});

/** Outputs that a server keeps on disk: the files are removed and open. */
async function openOutputs(pid: number): Promise<number> {
  return (await descriptorsOf(pid)).filter((target) => /\/tmux-mcp-.* \(deleted\)$/.test(target)).length;
}

Deno.test("finished commands beyond those kept are let go of when the next one is run, asked for or not", async () => {
  await using pane = await ShellPane.open(undefined, [
    "--max-output-bytes=1",
    "--completed-max-entries=2",
    "--no-durable",
  ]);
  const { client } = pane;
  const ids: string[] = [];
  for (let count = 1; count <= 5; count++) ids.push((await pane.run(`echo ${count}`)).commandId);
  assertEquals(await openOutputs(client.transport.pid ?? 0), 3);
  assertEquals((await client.fails("get-command-result", { commandId: ids[0] })).code, "not-found");
  assertEquals((await client.ok("get-command-result", { commandId: ids[4] })).output, "5");
});

test("a command for a pane that is killed meanwhile is answered, and says that the pane is gone", async (pane) => {
  const { client, world } = pane;
  const answers: string[] = [];
  for (let delay = 0; delay < 30; delay += sized({ gate: 5, soak: 2 })) {
    const { paneId } = await client.ok("create-session", { command: "bash --norc --noprofile" });
    const call = client.call("execute-command", { paneId, command: "true", timeout: 5 });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await world.tmux("kill-pane", "-t", paneId);
    const { isError, _meta, content, structuredContent } = await call;
    const said = `${_meta?.["tmux-mcp/error"]?.code}: ${content[0]?.text}`;
    answers.push(isError ? said : structuredContent.status);
  }
  assertEquals(answers.filter((answer) => !/^(gone:|not-found:|lost$|completed$)/.test(answer)), []);
});

test("the output of a command whose pane is killed claims no gap", async (pane) => {
  const { world, client, paneId } = pane;
  await client.ok("split-pane", { paneId });
  const { commandId } = await pane.run("echo printed; read x", { timeout: 20 });
  // Its output goes through a pipe by now, which ends with the pane.
  const pipe = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}");
  if (await world.attaches()) await until(async () => (await pipe()).trim() === "1");
  await world.tmux("kill-pane", "-t", paneId);
  const { status, output, outputTruncated } = await client.ok("get-command-result", {
    commandId,
    waitSeconds: 20,
  });
  assertEquals([status, output, outputTruncated], ["lost", "printed", undefined]);
});

test("a command right after a respawn runs in the new shell, whatever ran in the old one", async (pane) => {
  const { client, paneId } = pane;
  for (let round = 1; round <= sized({ gate: 3, soak: 8 }); round++) {
    await pane.run("read -s x", { background: true });
    await client.ok("respawn-pane", { paneId, kill: true });
    const { event, exitCode, output } = await client.ok("start-and-watch", { paneId, command: "echo new" });
    assertEquals([round, event, exitCode, output], [round, "exit", 0, "new"]);
  }
});

test("a command that ends its shell by a signal is lost, with the signal and what it printed", async (pane) => {
  await pane.client.ok("split-pane", { paneId: pane.paneId });
  const { status, output, reason } = await pane.run("echo printed; kill -9 $$");
  assertEquals([status, output, reason], ["lost", "printed", "Its shell was ended by SIGKILL"]);
});

test("of two servers that type into one pane at once each command runs as it is, or is refused", async (pane) => {
  const { world, paneId } = pane;
  const clients = [pane.client, await world.serve()];
  const answers: string[] = [];
  for (let round = 0; round < sized({ gate: 4, soak: 10 }); round++) {
    const calls = clients.map((client, at) =>
      client.call("execute-command", { paneId, command: `echo of ${at}`, timeout: 10 })
    );
    for (const [at, { isError, _meta, structuredContent }] of (await Promise.all(calls)).entries()) {
      if (isError) answers.push(`${_meta?.["tmux-mcp/error"]?.code}`);
      else {answers.push(
          structuredContent.output === `of ${at}` ? "whole" : JSON.stringify(structuredContent),
        );}
    }
  }
  assertEquals(answers.filter((answer) => !/^(busy|whole)$/.test(answer)), []);
  assert(answers.includes("whole"));
});

test("a shell is not asked for a status while another server types there", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "mksh");
  const { paneId } = pane;
  const option = ["-p", "-t", paneId, "@tmux_mcp_typing_since"];
  // An error that makes mksh forget the rest of what it runs, and so the end of it.
  const { commandId } = await pane.run("tmux wait-for go; shift 50", { background: true });
  await pane.untilRunning("tmux");
  await world.tmux("set-option", ...option, `${Math.floor(Date.now() / 1000)}`, ";", "wait-for", "-S", "go");
  const waited = await client.ok("get-command-result", { commandId, waitSeconds: 2, onInput: "wait" });
  assertEquals(waited.status, "running");
  await world.tmux("set-option", "-u", ...option);
  const result = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([result.status, result.exitCode], ["completed", 1]);
  assertEquals(await world.tmux("show-options", "-qv", ...option), "");
});

inTurn(
  "a command whose end was lost with its pipe is over once its shell shows the prompt",
  async ({ world, client }) => {
    const pane = await ShellPane.add(world, client, "bash --norc");
    const { paneId } = pane;
    const server = client.transport.pid!;
    const command = "tmux wait-for begin; echo seen; tmux wait-for end; echo unseen; (exit 7)";
    const { commandId } = await pane.run(command, { background: true });
    const read = (waitSeconds: number) => client.ok("get-command-result", { commandId, waitSeconds });
    await until(async () =>
      await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}") === "1\n"
    );
    await world.tmux("wait-for", "-S", "begin");
    await until(async () => (await read(0)).output === "seen");
    Deno.kill(server, "SIGSTOP");
    try {
      await world.tmux("pipe-pane", "-t", paneId, ";", "wait-for", "-S", "end");
      await until(async () => /unseen\n\S/.test(await pane.screen()));
    } finally {
      Deno.kill(server, "SIGCONT");
    }
    const { status, exitCode, output, outputTruncated = false } = await read(20);
    assertEquals([status, exitCode], ["completed", 7]);
    assertEquals(output.includes("unseen"), !outputTruncated);
    assertEquals((await pane.run("echo next")).output, "next");
  },
);

unattached(
  "the next command waits for the end of one whose shell is at its prompt, but not for long",
  async ({ world, client }) => {
    const pane = await ShellPane.add(world, client, "bash --norc");
    const { paneId } = pane;
    const { commandId } = await pane.begin("sleep 1000", 0);
    await pane.untilRunning("sleep");
    const pipe = await pipeOf(pane);
    Deno.kill(pipe, "SIGSTOP");
    await world.tmux("send-keys", "-t", paneId, "C-c");
    await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
    const { code, text } = await client.fails("execute-command", { paneId, command: "echo never" });
    assertEquals([code, text.includes(`command "${commandId}" runs there`)], ["busy", true]);
    const next = pane.run("echo next");
    await client.ok("pane-state", { paneId });
    Deno.kill(pipe, "SIGCONT");
    assertEquals((await next).output, "next");
    assertEquals((await client.commandResult(commandId)).exitCode, 130);
  },
);

test("a command that ends its shell and prints nothing has no missing output", async ({ world, client }) => {
  for (const shell of ["zsh -f", "dash", "bash --norc"]) {
    for (const command of Array(sized({ gate: 2, soak: 4 })).fill("exec true")) {
      const pane = await ShellPane.add(world, client, shell);
      const { status, output, outputTruncated = false } = await pane.run(command);
      assertEquals([shell, status, output, outputTruncated], [shell, "completed", "", false]);
    }
  }
});

/** Waits for a pane's pipe, and returns its program: tmux's only other child processes are those of panes. */
async function pipeOf({ world, paneId }: ShellPane): Promise<number> {
  const read = async (format: string) =>
    (await world.tmux("display-message", "-p", "-t", paneId, format)).trim();
  await until(async () => await read("#{pane_pipe}") === "1");
  const server = await read("#{pid}");
  const children = (await Deno.readTextFile(`/proc/${server}/task/${server}/children`)).trim().split(" ");
  const panes = (await world.tmux("list-panes", "-a", "-F", "#{pane_pid}")).split("\n");
  const [pipe, ...others] = children.filter((pid) => !panes.includes(pid));
  assertEquals([/^\d+$/.test(`${pipe}`), others], [true, []]);
  return Number(pipe);
}

test("a mark R that comes before the loader is typed is not this command's", async (pane) => {
  // The first blank shows the mark, as the loader of a server does that had the pane before.
  const show = String.raw`early() { printf '\033]133;R;0 himBHs\007' >/dev/tty; bind '" ": self-insert'; }`;
  await pane.run(`${show}; bind -x '"\\C-x\\C-r": early'`);
  await pane.run(String.raw`bind '" ": "\C-v \C-x\C-r"'`);
  assertEquals((await pane.run("echo whole")).output, "whole");
  assertEquals((await pane.run("bind -X; bind -s")).output.includes('" "'), false);
});

test("a lock whose owner nobody can ask about is taken over after two minutes", async (pane) => {
  const { world, client, paneId } = pane;
  const option = ["-p", "-t", paneId, "@tmux_mcp_typing_since"];
  const since = (seconds: number) => `${Math.floor(Date.now() / 1000) - seconds}`;
  await world.tmux("set-option", ...option, since(60));
  const busy = await client.fails("execute-command", { paneId, command: "true" });
  assertEquals([busy.code, /one is being typed there/.test(busy.text)], ["busy", true]);
  await world.tmux("set-option", ...option, since(130));
  assertEquals((await pane.run("echo taken")).output, "taken");
  await until(async () => await world.tmux("show-options", "-qv", ...option) === "");
});

oneWatch(
  "commands and REPL calls go on beside as many watches as there may be",
  async ({ world, client }) => {
    const pane = await ShellPane.add(world, client, "bash --norc");
    const { paneId } = pane;
    const repl = (await client.ok("create-session", { command: "cat" })).paneId;
    await client.ok("watch-pane", { paneId: repl, triggers: "exit", background: true });
    assertEquals((await pane.run("echo beside")).output, "beside");
    assertEquals((await client.ok("run-in-repl", { paneId: repl, input: "twice" })).output, "twice");
    assertEquals((await client.fails("watch-pane", { paneId, triggers: "exit" })).code, "busy");
  },
);

oneWatch(
  "a command that runs on once its watch is over leaves room for another watch",
  async ({ world, client }) => {
    const { paneId } = await ShellPane.add(world, client, "bash --norc");
    const command = "echo ready; sleep 1000";
    const { event } = await client.ok("start-and-watch", { paneId, command, triggers: "pattern:^ready" });
    assertEquals(event, "pattern:^ready");
    const { paneId: other } = await client.ok("create-session", { command: "bash --norc" });
    const watched = { paneId: other, triggers: "pattern:^never", background: true };
    const { watchId } = await client.ok("start-and-watch", { ...watched, command });
    await client.ok("stop-watch", { watchId });
    await client.ok("watch-pane", { paneId, triggers: "exit", background: true });
  },
);

inTurn(
  "a watch whose pane is respawned says how its program ended, not that the pane is gone",
  async ({ client }) => {
    // A shell may read that its terminal is gone before it is signalled, and exits.
    const { paneId } = await client.ok("create-session", { command: "exec sleep 1000" });
    const { watchId } = await client.ok("watch-pane", { paneId, triggers: "bell", background: true });
    await client.ok("respawn-pane", { paneId });
    const { events } = await client.ok("watch-events", { waitSeconds: 20 });
    assertEquals([events[0].watchId, events[0].event], [watchId, "gone"]);
    assertEquals(events[0].detail.startsWith("The process was ended by SIGHUP"), true, events[0].detail);
  },
);
