// The life of the server's own clients: a stopped server, a killed one, a closed stdin, one that died stalled.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ProcessStamp } from "../../src/durable/process_stamp.ts";
import { openLibc } from "../../src/ffi/libc.ts";
import { RawClient } from "../support/raw_client.ts";
import { Panes } from "../support/watching.ts";
import { World } from "../support/world.ts";
import { findLibcPath } from "../tmux/private_tmux.ts";

/** A server with a background watch on a pane that prints for some time once told to. */
async function watched(
  world: World,
  script: string,
): Promise<{ raw: RawClient; panes: Panes; paneId: string }> {
  const panes = new Panes(world);
  const paneId = await panes.waitingPane(script);
  const raw = new RawClient(world);
  await raw.initialize();
  const started = await raw.call(2, "watch-pane", {
    paneId,
    triggers: "pattern:^never$",
    timeout: 600,
    background: true,
  });
  assert(started.result.structuredContent.watchId, JSON.stringify(started));
  return { raw, panes, paneId };
}

/** Lines of 41 bytes. */
const flood = (lines: number): string =>
  `yes 0123456789012345678901234567890123456789 | head -n ${lines}; echo flood over; exec cat`;
const FLOOD_LINES = 300_000;

Deno.test("a stalled server holds up no program, and recovers", async () => {
  await using world = await World.create();
  const { raw, panes, paneId } = await watched(world, flood(FLOOD_LINES));
  const longer = await panes.waitingPane(flood(4 * FLOOD_LINES));
  const isOver = async (pane: string) => (await panes.screen(pane)).includes("flood over");
  try {
    raw.child.kill("SIGSTOP");
    await panes.go(longer);
    await panes.go(paneId);
    await panes.until(() => isOver(paneId));
    assertEquals(await isOver(longer), false, "one that nobody watches printed four times as much meanwhile");
    await world.tmux("kill-pane", "-t", longer);
  } finally {
    raw.child.kill("SIGCONT");
  }
  const listed = (await raw.call(3, "watch-events")).result.structuredContent;
  assertEquals(listed.active.length, 1);
  // Output that is printed while tmux has the pane paused for us is lost, and flagged.
  let events: { event: string; outputTruncated?: boolean }[] = [];
  for (let id = 4; events.length === 0; id++) {
    await panes.type(paneId, "never");
    ({ events } = (await raw.call(id, "watch-events", { waitSeconds: 2 })).result.structuredContent);
  }
  assertEquals([events[0]?.event, events[0]?.outputTruncated], ["pattern:^never$", true]);
  await raw.hangUp();
  await panes.noClients();
});

Deno.test("when stdin closes, every client of the server is gone with it, and the program continues", async () => {
  await using world = await World.create();
  const { raw, panes, paneId } = await watched(world, "while echo line; do :; done");
  await panes.go(paneId);
  const { code } = await raw.hangUp();
  assertEquals(code, 0);
  assertEquals(await panes.clients(), []);
  assertEquals(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_dead}"), "0\n");
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`${signal} ends the server and its clients in order`, async () => {
    await using world = await World.create();
    const { raw, panes } = await watched(world, "exec cat");
    await using _ = raw;
    assert((await world.readers()).length > 0);
    raw.child.kill(signal);
    assertEquals((await raw.child.status).code, 0);
    assertEquals(await panes.clients(), []);
  });
}

Deno.test("a killed server leaves no client behind", async () => {
  await using world = await World.create();
  const { raw, panes } = await watched(world, "exec cat");
  await using _ = raw;
  await panes.untilRead();
  await raw.call(3, "watch-events");
  raw.child.kill("SIGKILL");
  await raw.child.status;
  await panes.noClients();
});

Deno.test("the clients of a server that died stalled are ended by the next one", async () => {
  await using world = await World.create();
  const { raw, panes, paneId } = await watched(world, flood(FLOOD_LINES / 3));
  await using _ = raw;
  raw.child.kill("SIGSTOP");
  await panes.go(paneId);
  await panes.until(async () => (await panes.screen(paneId)).includes("flood over"));
  const stalled: string[] = [];
  for (const row of await panes.clients()) if (await isOf(raw.child.pid, row)) stalled.push(row);
  assertEquals(stalled.length > 0, await world.attaches());
  raw.child.kill("SIGKILL");
  await raw.child.status;
  const next = await world.serve();
  await next.ok("list-sessions");
  // The next server takes the watch over, with a client of its own.
  await panes.until(async () => !(await panes.clients()).some((row) => stalled.includes(row)));
});

/** True for a control client that a server is, or has started. */
async function isOf(server: number, row: string): Promise<boolean> {
  const [pid] = row.split(" ");
  if (pid === `${server}`) return true;
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")")).split(" ")[2] === `${server}`;
}

Deno.test("the panes that a killed server held while a command ran are let go by the next one", async () => {
  await using world = await World.create();
  const panes = new Panes(world);
  const shells = [await panes.pane("exec bash --norc"), await panes.pane("exec bash --norc")];
  for (const paneId of shells) await panes.until(async () => /[#$] ?$/m.test(await panes.screen(paneId)));
  const [kept = "", dying = ""] = shells;
  await world.tmux("set-option", "-p", "-t", kept, "remain-on-exit", "failed");
  await using raw = new RawClient(world);
  await raw.initialize();
  for (const [id, paneId] of shells.entries()) {
    await raw.send({
      id,
      method: "tools/call",
      params: { name: "execute-command", arguments: { paneId, command: "cat" } },
    });
  }
  const options = (paneId: string): Promise<string> => world.tmux("show-options", "-p", "-t", paneId);
  const runs = async (paneId: string): Promise<boolean> =>
    await world.tmux("display-message", "-p", "-t", paneId, "#{pane_current_command}") === "cat\n";
  for (const paneId of shells) await panes.until(() => runs(paneId));
  raw.child.kill("SIGKILL");
  await raw.child.status;
  for (const paneId of shells) assertMatch(await options(paneId), /remain-on-exit on/);
  await world.tmux("respawn-pane", "-k", "-t", dying, "true");
  const livesAndDead = (): Promise<string> => world.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_dead}");
  await panes.until(async () => (await livesAndDead()).includes(`${dying} 1`));
  await (await world.serve()).ok("list-sessions");
  await panes.until(async () => (await livesAndDead()) === `${kept} 0\n`);
  // Its command still runs: the next server holds the pane until that has ended.
  await world.tmux("send-keys", "-t", kept, "C-d");
  await panes.until(async () => (await options(kept)).trim() === "remain-on-exit failed");
});

Deno.test("only clients that are provably a dead server's of ours are ended", async () => {
  await using world = await World.create();
  const libc = openLibc(findLibcPath());
  const own = Object.entries(new ProcessStamp(libc, Deno.pid).environment)[0];
  libc.unload();
  assert(own, "this system shows no environment");
  const [name, mark] = own;
  const [pid, startTime, namespace] = mark.split(" ");
  const panes = new Panes(world);
  await world.tmux("new-session", "-d", "-s", "keep", "cat");

  const marks: Record<string, string | undefined> = {
    "a dead owner": `999999999 1 ${namespace}`,
    "an owner's pid taken by another": `${pid} 1 ${namespace}`,
    "a live owner": `${pid} ${startTime} ${namespace}`,
    "an owner in another container": "999999999 1 pid:[1]",
    "a mark cut short": "999999999",
    "no mark": undefined,
  };
  const clients = Object.entries(marks).map(([what, value]) => ({
    what,
    child: new Deno.Command("tmux", {
      args: ["-u", "-S", world.socket, "-C", "attach-session", "-t", "=keep"],
      env: { ...world.env, ...(value === undefined ? {} : { [name]: value }) },
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
    }).spawn(),
  }));
  try {
    await panes.until(async () => (await panes.clients()).length === clients.length);
    await (await world.serve()).ok("list-sessions");
    await panes.until(async () => (await panes.clients()).length <= clients.length - 2);
    const left = (await panes.clients()).map((row) => Number(row.split(" ")[0]));
    assertEquals(clients.filter(({ child }) => left.includes(child.pid)).map(({ what }) => what), [
      "a live owner",
      "an owner in another container",
      "a mark cut short",
      "no mark",
    ]);
  } finally {
    for (const { child } of clients) {
      await child.stdin.close().catch(() => {});
      await child.status;
    }
  }
});
