// Calls that are cancelled, and servers that are killed, while they type a command: the pane stays usable.
import { assertEquals } from "@std/assert";
import { findLibc } from "../../src/ffi/libc.ts";
import { openLibc } from "../../src/ffi/libc.ts";
import { DIALECTS } from "../../src/shell/dialects.ts";
import { ProcessStamp } from "../../src/durable/process_stamp.ts";
import { CLIENT_OF } from "../../src/watch/protocol.ts";
import { inPanesOfOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

/** Runs a command as soon as the last one of the pane is over; what it printed. */
async function runNext(client: TestClient, paneId: string, command: string): Promise<string> {
  const until = performance.now() + 20_000;
  for (;;) {
    const answer = await client.call("execute-command", { paneId, command, timeout: 10 });
    if (!answer.isError) return answer.structuredContent.output;
    const said = answer.content[0]?.text ?? "";
    const runs = /command "(c\d[^"]*)" runs there/.exec(said)?.[1];
    if (runs === undefined || performance.now() > until) throw new Error(said);
    // One whose call was cancelled before it was typed leaves no record.
    await client.call("get-command-result", { commandId: runs, waitSeconds: 10 });
  }
}

/** Sets the lock on typing into a pane, as its holder would. */
async function lock({ world, paneId }: { world: World; paneId: string }, holder: string): Promise<void> {
  const value = `${Math.floor(Date.now() / 1000)} ${crypto.randomUUID()} ${holder}`;
  await world.tmux("set-option", "-p", "-t", paneId, "@tmux_mcp_typing_since", value);
}

/** Stamps of a living server, this process, and of one that was killed. */
function holders(): { living: string; killed: string } {
  const libc = openLibc(findLibc());
  const { environment } = new ProcessStamp(libc, Deno.pid);
  libc.unload();
  const living = environment[CLIENT_OF]!;
  const [pid, , ...place] = living.split(" ");
  return { living, killed: [pid, "1", ...place].join(" ") };
}

const test = inPanesOfOneServer("a pane that another call types into");

test("a killed server's lock on a pane is taken over at once, a living one's is not", async (pane) => {
  const { client, paneId } = pane;
  const { living, killed } = holders();
  await lock(pane, living);
  const { code, text } = await client.fails("execute-command", { paneId, command: "true" });
  assertEquals([code, /one is being typed there/.test(text)], ["busy", true]);
  await lock(pane, killed);
  assertEquals((await pane.run("echo taken")).output, "taken");
});

Deno.test("no key is typed into a pane out of scope to end the loader of a killed server", async () => {
  await using world = await World.create();
  const open = async (name: string, command: string) =>
    (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", name, command)).trim();
  const loader = `${world.folder}/loader`;
  await Deno.writeTextFile(loader, DIALECTS[0]!.loader);
  // Listed after the others, and released after them.
  const last = await open("zz", "cat");
  for (const [at, scope] of ["--allowed-sessions=zz", `--allowed-panes=${last}`].entries()) {
    const paneId = await open(`theirs${at}`, `cat ${loader}; exec cat`);
    await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).trim() !== "");
    for (const each of [paneId, last]) await lock({ world, paneId: each }, holders().killed);
    const client = await world.serve({ args: [scope] });
    await client.ok("list-panes");
    await until(async () => await world.tmux("show-options", "-p", "-t", last) === "");
    assertEquals((await world.tmux("list-panes", "-t", `=theirs${at}`, "-F", "#{pane_id}")).trim(), paneId);
  }
});

test("a pane takes the next command however soon the calls before it were cancelled", async (pane) => {
  const { client } = pane;
  const panes = [pane.paneId];
  while (panes.length < 6) {
    panes.push((await client.ok("create-session", { command: "bash --norc" })).paneId);
  }
  for (const paneId of panes) await client.ok("execute-command", { paneId, command: "true" });
  for (let round = 0; round < sized({ gate: 15, soak: 50 }); round++) {
    const calls = panes.map(async (paneId, at) => {
      const abort = new AbortController();
      const call = client.call("execute-command", { paneId, command: "true" }, { signal: abort.signal });
      call.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, (round + at) % 5));
      abort.abort();
      await call.catch(() => {});
    });
    await Promise.all(calls);
  }
  for (const paneId of panes) assertEquals(await runNext(client, paneId, "echo next"), "next");
});

/** Moments of a start at which its server is killed (ms): each shell has its share of them. Four start at once. */
const MOMENTS = Array.from({ length: 16 }, (_, at) => 4 * at);
const SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash -i"];

Deno.test("a server killed at any moment of a command's start leaves the pane to the next", async (t) => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "cat");
  let client = await world.serve();
  const panes = await Promise.all(SHELLS.map((shell) => ShellPane.add(world, client, shell)));
  const answers: string[][] = SHELLS.map(() => []);
  for (let round = 0; round < MOMENTS.length; round += SHELLS.length) {
    for (const { paneId } of panes) await runNext(client, paneId, "true");
    // Each start is as old as its moment says when the server dies, the last pane's the oldest.
    for (let at = SHELLS.length - 1; at >= 0; at--) {
      const { paneId } = panes[at]!;
      client.call("execute-command", { paneId, command: "sleep 0.1" }).catch(() => {});
      const older = MOMENTS[round + at]! - (at === 0 ? 0 : MOMENTS[round + at - 1]!);
      await new Promise((resolve) => setTimeout(resolve, older));
    }
    // The next one may start before the kernel has ended this one, which still holds its lock then.
    const ended = new Promise<void>((resolve) => client.client.onclose = resolve);
    Deno.kill(client.transport.pid!, "SIGKILL");
    await ended;
    client = await world.serve();
    for (const [index, { paneId }] of panes.entries()) {
      const output = await runNext(client, paneId, "echo next").catch(String);
      if (output !== "next") answers[index]!.push(output);
      // A key that was tried alone, of which nobody can say that a person did not press it.
      if (/text typed at its prompt/.test(output)) await world.tmux("send-keys", "-t", paneId, "C-u");
    }
  }
  for (const [index, shell] of SHELLS.entries()) {
    await t.step(shell, () => {
      assertEquals(answers[index]!.filter((answer) => !/text typed at its prompt/.test(answer)), []);
    });
  }
});
