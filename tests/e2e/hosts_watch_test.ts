// Commands, watches and what waits for input, on another machine.
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { Far, remoteTest } from "../support/remote.ts";
import type { TestClient } from "../support/world.ts";

const host = "far";

/** Tests that share a host, and a server that is connected to it. */
const shared: { name: string; run(client: TestClient): Promise<void> }[] = [];
const test = (name: string, run: (client: TestClient) => Promise<void>) => void shared.push({ name, run });

remoteTest("commands and questions on a host", async (t) => {
  await using remote = await Far.create();
  const client = await remote.serve();
  for (const { name, run } of shared) await t.step(name, () => run(client));
});

async function shellPane(client: TestClient, command = "exec bash --norc --noprofile"): Promise<string> {
  const { paneId } = await client.ok("create-session", { host, command });
  await client.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
  return paneId;
}

test("a command runs in a shell of a host, its exit code and whole output come back", async (client) => {
  const paneId = await shellPane(client);
  const run = async (command: string): Promise<unknown[]> => {
    const { status, exitCode, output } = await client.ok("execute-command", { host, paneId, command });
    return [status, exitCode, output];
  };
  assertEquals(await run("cd /usr/share; pwd; (exit 3)"), ["completed", 3, "/usr/share"]);
  assertEquals(await run("pwd; seq 1 3"), ["completed", 0, "/usr/share\n1\n2\n3"]);
  const { totalLines } = await client.ok("execute-command", { host, paneId, command: "seq 1 20000" });
  assertEquals(totalLines, 20000);
  const busy = await client.begin({ host, paneId, command: "read x; echo got $x" }, 0);
  assertMatch(busy.status, /^(running|waiting)$/);
  await client.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
  await client.ok("send-keys", { host, paneId, keys: "that", literal: true, enter: true });
  const result = await client.ok("get-command-result", { host, commandId: busy.commandId, waitSeconds: 100 });
  assertEquals([result.exitCode, result.output.includes("got that")], [0, true]);
});

test("a shell that a command on a host has begun is not its end, and what ends that shell is an end", async (client) => {
  const paneId = await shellPane(client);
  const watch = async (command: string): Promise<string> =>
    (await client.ok("start-and-watch", { host, paneId, command, timeout: 100 })).detail;
  assertEquals(await watch("dash -i"), "dash is at its prompt");
  assertEquals(await watch("mksh"), "mksh is at its prompt");
  assertEquals(await watch("exit 3"), "The command's shell has ended");
});

test("what waits for input on a host is seen there", async (client) => {
  const kinds = {
    "exec cat": ["line", "cat"],
    "exec bash --norc --noprofile": ["raw", "bash"],
    "exec sh -c 'stty -echo; read word'": ["password", "sh"],
  };
  for (const [command, [inputKind, foregroundCmd]] of Object.entries(kinds)) {
    const paneId = await shellPane(client, command);
    const state = await client.ok("pane-state", { host, paneId });
    assertEquals([state.waitingForInput, state.inputKind, state.foregroundCmd], [
      true,
      inputKind,
      foregroundCmd,
    ]);
    assertMatch(state.evidence, /on \/dev\/pts\/\d+/);
  }
  const { paneId } = await client.ok("create-session", { host, command: "exec sleep 1000" });
  const state = await client.ok("pane-state", { host, paneId });
  assertEquals([state.waitingForInput, state.isAlive], [false, true]);
});

test("what a program on a host waits for beside keys is seen there", async (client) => {
  const serve = "require('http').createServer(()=>{}).listen(0,'127.0.0.1')";
  const paneId = await shellPane(
    client,
    `exec node -e "${serve};process.stdin.setRawMode(true).on('data',()=>{})"`,
  );
  const { inputKind, evidence } = await client.ok("pane-state", { host, paneId });
  assertEquals(inputKind, "raw", evidence);
  assertMatch(evidence, /^epoll on \S+, beside a listening socket$/);
});

test("watches on a host tell of text, of a program's end, and of the pane's", async (client) => {
  const paneId = await shellPane(client);
  const told = async (triggers: string, act: string): Promise<Record<string, unknown>> => {
    const { cursor } = await client.ok("watch-events", {});
    const { watchId } = await client.ok("watch-pane", {
      host,
      paneId,
      triggers,
      background: true,
      timeout: 60,
    });
    await client.ok("send-keys", { host, paneId, keys: act, literal: true, enter: true });
    const { events } = await client.ok("watch-events", { cursor, waitSeconds: 100 });
    const found = events.find((event: { watchId: string }) => event.watchId === watchId);
    assert(found, `no event of ${watchId}: ${JSON.stringify(events)}`);
    return found;
  };
  assertEquals((await told("pattern:^rea[d]y", "echo ready")).event, "pattern:^rea[d]y");
  assertEquals((await told("shell", "sleep 0.3")).event, "shell");
  assertEquals((await told("exit", "exit 7")).event, "exit");
  assertEquals(await client.ok("list-clients", { host }), { clients: [] });
});

test("a question of a shell on a host that looks like its prompt is never answered", async (client) => {
  const paneId = await shellPane(client);
  await client.ok("execute-command", { host, paneId, command: "true" });
  await client.ok("send-keys", { host, paneId, keys: "read -e -p '$ ' name", literal: true, enter: true });
  const asked = { host, paneId, pattern: "^\\$", regex: true, timeout: 100 };
  assertEquals((await client.ok("wait-for-text", asked)).found, true);
  const refused = await client.fails("execute-command", { host, paneId, command: "echo typed" });
  assertEquals(refused.code, "busy");
  await client.ok("send-keys", { host, paneId, keys: "mine", literal: true, enter: true });
  const { output } = await client.ok("execute-command", { host, paneId, command: 'echo "$name"' });
  assertEquals(output, "mine");
});

test("a question of zsh without its line editor on a host is never answered", async (client) => {
  const paneId = await shellPane(client, "exec zsh -f -o no_zle");
  await client.ok("execute-command", { host, paneId, command: "true" });
  await client.ok("send-keys", {
    host,
    paneId,
    keys: "echo w'hich'; read -u0 -k1 x",
    literal: true,
    enter: true,
  });
  assertEquals(
    (await client.ok("wait-for-text", { host, paneId, pattern: "which", timeout: 100 })).found,
    true,
  );
  const refused = await client.fails("execute-command", { host, paneId, command: "echo typed" });
  assertEquals(refused.code, "busy");
  await client.ok("send-keys", { host, paneId, keys: "m", literal: true, enter: true });
  const { output } = await client.ok("execute-command", { host, paneId, command: 'echo "$x"' });
  assertEquals(output, "m");
});

test("a command that a shell on a host drops ends when the shell is back at its prompt", async (client) => {
  const paneId = await shellPane(client, "exec fish --no-config");
  await client.ok("execute-command", { host, paneId, command: "sleep 1000 &" });
  const exit = await client.ok("execute-command", { host, paneId, command: "exit 7", timeout: 100 });
  assertEquals([exit.status, exit.exitCode], ["completed", 7]);
  assertMatch(exit.output, /jobs active/);
});

test("a REPL on a host returns what it printed", async (client) => {
  const paneId = await shellPane(client, "exec python3 -q");
  const { output } = await client.ok("run-in-repl", { host, paneId, input: "6 * 7" });
  assertEquals(output, "42");
});

test("start-and-watch and a recording work on a host; nobody sees a client of ours", async (client) => {
  const paneId = await shellPane(client);
  const started = await client.ok("start-and-watch", {
    ...{ host, paneId, command: "printf 'one\\ntwo\\n'; sleep 0.2; (exit 4)" },
    ...{ triggers: "exit", timeout: 100 },
  });
  assertEquals([started.event, started.exitCode], ["exit", 4]);
  const { sessions } = await client.ok("list-sessions", { host });
  assertEquals(new Set(sessions.map(({ attached }: { attached: unknown }) => attached)), new Set([false]));
});

remoteTest("watches beyond the sessions that sshd grants to a connection tell as well", async () => {
  await using remote = await Far.create({ lines: ["MaxSessions 3"] });
  const names = ["a", "b", "c", "d", "e", "f"];
  for (const name of names) await remote.tmux("new-session", "-d", "-s", name, "cat");
  const client = await remote.serve();
  const { panes } = await client.ok("list-panes", { host });
  const { cursor } = await client.ok("watch-events", {});
  for (const { id: paneId } of panes) {
    const watch = { triggers: "pattern:^done", background: true, timeout: 600 };
    await client.ok("watch-pane", { host, paneId, ...watch });
  }
  for (const name of names) await remote.tmux("send-keys", "-t", `=${name}:`, "-l", "done\r");
  const told: string[] = [];
  for (let since = cursor; told.length < names.length;) {
    const { events, cursor: next } = await client.ok("watch-events", { cursor: since, waitSeconds: 100 });
    told.push(...events.map(({ event, paneId }: { event: string; paneId: string }) => `${paneId} ${event}`));
    since = next;
  }
  const wanted = panes.map(({ id }: { id: string }) => `${id} pattern:^done`);
  assertEquals(told.toSorted(), wanted.toSorted());
});

remoteTest("a pane of a host is followed although ssh did not start the client once", async () => {
  await using remote = await Far.create();
  await remote.tmux("new-session", "-d", "-s", "work", "cat");
  const { folder, env: { PATH = "" } } = remote.world;
  const [ssh, fails] = [`${folder}/bin/ssh`, `${folder}/fails`];
  // The command line of ssh contains the flag of the client that reads.
  const failing = `case "$*" in *pause-after*) if rm ${fails} 2>/dev/null; then exit 255; fi ;; esac`;
  const real = (await new Deno.Command("which", { args: ["ssh"] }).output()).stdout;
  await Deno.mkdir(`${folder}/bin`);
  await Deno.writeTextFile(
    ssh,
    `#!/bin/sh\n${failing}\nexec ${new TextDecoder().decode(real).trim()} "$@"\n`,
    { mode: 0o755 },
  );
  const client = await remote.serve([], { PATH: `${folder}/bin:${PATH}` });
  const { panes: [{ id: paneId }] } = await client.ok("list-panes", { host });
  await Deno.writeTextFile(fails, "");
  const { event } = await client.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
  assertEquals(event, "user_input");
  await assertRejects(() => Deno.stat(fails), Deno.errors.NotFound);
});
