// Background watches whose server was killed: a later one reports what they saw, and what happened meanwhile.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { throughDeathsInTurn, throughOneDeath, type WatchEvent } from "../support/killed_server.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const test = throughOneDeath("a background watch whose server is killed");
const inTurn = throughDeathsInTurn("a background watch whose server is killed at once");
const beside = throughDeathsInTurn("a background watch whose server is killed beside another");

interface SeenEvent {
  watchId: string;
  at: number;
  event: string;
  detail: string;
  commandId?: string;
  exitCode?: number;
}

async function eventsOf(client: TestClient, count: number): Promise<SeenEvent[]> {
  const events: SeenEvent[] = [];
  for (const late = performance.now() + 30_000; events.length < count && performance.now() < late;) {
    events.push(...(await client.ok("watch-events", { waitSeconds: 5 })).events);
  }
  return events;
}

test("an event that nobody has read is read by a later server, once", async (lives) => {
  const { server: first } = lives;
  const { paneId } = await first.ok("create-session", {});
  const { watchId } = await first.ok("watch-pane", { paneId, triggers: "pattern:^over$", background: true });
  await first.ok("execute-command", { paneId, command: "echo over" });
  await until(async () => {
    await first.ok("list-commands", {});
    const { active } = await first.ok("watch-events", { limit: 0 });
    return !active.some((each: WatchEvent) => each.watchId === watchId);
  });
  await lives.kill();
  const killed = Date.now() / 1000;
  const second = await lives.serve();
  const [event, ...more] = await lives.eventsOf([watchId]);
  assertEquals([event?.watchId, event?.event, more.length], [watchId, "pattern:^over$", 0]);
  assert(event!.at <= killed, `${event!.at} is after ${killed}`);
  await second.ok("list-panes", {});
  await lives.kill();
  const third = await lives.serve();
  await third.ok("list-panes", {});
  const { events } = await third.ok("watch-events", { waitSeconds: 1 });
  assertEquals(events.filter((each: WatchEvent) => each.watchId === watchId), []);
});

inTurn(
  "an event in the last answer of a server that is killed is read again by a later one",
  async (lives) => {
    const { world, server: first } = lives;
    const { paneId } = await first.ok("create-session", { command: "cat" });
    const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
    const { watchId } = await first.ok("watch-pane", watch);
    await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
    assertEquals((await lives.eventsOf([watchId])).map((each) => each.watchId), [watchId]);
    // It can't know that its client has read the answer.
    await lives.kill();
    await lives.serve();
    assertEquals((await lives.eventsOf([watchId])).map((each) => each.watchId), [watchId]);
  },
);

test("what a pane printed while no server ran fires late in the next, under the same id", async (lives) => {
  const { world, server: first } = lives;
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
  const { watchId } = await first.ok("watch-pane", watch);
  await lives.kill();
  const line = `needle in the dark ${"of a haystack ".repeat(20)}`;
  await world.tmux("send-keys", "-t", paneId, "-l", line);
  await world.tmux("send-keys", "-t", paneId, "Enter");
  await lives.serve();
  const [event, ...more] = await lives.eventsOf([watchId]);
  assertEquals([event?.watchId, event?.event, more.length], [watchId, "pattern:^needle", 0]);
  assertEquals(event!.detail, `Printed while no server watched: ${line.slice(0, 200)}…`);
});

test("what counts as an error is the same for what was printed while no server ran", async (lives) => {
  const { world, server: first } = lives;
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const { watchId } = await first.ok("watch-pane", {
    paneId,
    triggers: "error",
    background: true,
    timeout: 3600,
  });
  await lives.kill();
  const warning = "a.c:3:5: warning: an error: no, only said to be one [-Wcomment]";
  for (const line of [warning, "bad/bad.go:4:44: too many return values"]) {
    await world.tmux("send-keys", "-t", paneId, "-l", line);
    await world.tmux("send-keys", "-t", paneId, "Enter");
  }
  await lives.serve();
  const [event] = await lives.eventsOf([watchId]);
  assertEquals([event?.watchId, event?.event], [watchId, "error"]);
  assertStringIncludes(event!.detail, "too many return values");
});

test("a watch goes on in the next server, and may be stopped there", async (lives) => {
  const { server: first } = lives;
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
  const { watchId } = await first.ok("watch-pane", watch);
  const stopped = await first.ok("watch-pane", { ...watch, triggers: "exit" });
  await lives.kill();
  const second = await lives.serve();
  const own = [watchId, stopped.watchId];
  await until(async () => {
    const { active } = await second.ok("watch-events", { limit: 0 });
    return own.every((id) => active.some((each: WatchEvent) => each.watchId === id));
  });
  assertEquals(await second.ok("stop-watch", { watchId: stopped.watchId }), {
    watchId: stopped.watchId,
    stopped: true,
  });
  await second.ok("send-keys", { paneId, keys: "needle", enter: true });
  const events = await lives.eventsOf(own);
  assertEquals(events.map((each) => [each.watchId, each.event]), [
    [stopped.watchId, "cancelled"],
    [watchId, "pattern:^needle"],
  ]);
});

beside("a command that was started and watched ends in the next server with its exit code", async (lives) => {
  const { world, server: first } = lives;
  const { paneId } = await first.ok("create-session", {});
  const gate = join(world.folder, "gate");
  const { watchId, commandId } = await first.ok("start-and-watch", {
    paneId,
    command: `echo begun; while [ ! -e ${gate} ]; do sleep 0.3; done; (exit 6)`,
    triggers: "exit",
    background: true,
  });
  const isPiped = async () =>
    await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}") === "1\n";
  await until(isPiped);
  const second = await lives.beside();
  const { commands: [running] } = await second.ok("list-commands", { paneId });
  assertEquals([running.commandId, running.watchIds], [commandId, [watchId]]);
  await lives.kill();
  const { active: [going] } = await second.ok("watch-events", { limit: 0 });
  assertEquals([going.watchId, going.commandId, going.triggers], [watchId, commandId, ["exit"]]);
  const { commands: [listed] } = await second.ok("list-commands", { paneId });
  assertEquals([listed.commandId, listed.watchIds], [commandId, [watchId]]);
  await Deno.writeTextFile(gate, "");
  const { events: [event] } = await second.ok("watch-events", { waitSeconds: 20 });
  const { watchId: ended, commandId: command, ...end } = event!;
  assertEquals([ended, command, end.event, end.exitCode], [watchId, commandId, "exit", 6]);
});

inTurn(
  "a watch whose server can't be seen is listed at its command until its time is over",
  async (lives) => {
    const { world, server: first } = lives;
    const { paneId } = await first.ok("create-session", {});
    const { watchId, commandId } = await first.ok("start-and-watch", {
      paneId,
      command: "sleep 1000",
      triggers: "exit",
      background: true,
      timeout: 3600,
    });
    await lives.kill();
    const [name, token, ...key] = watchId.split("-");
    const folder = join(world.folder, ".local/state/tmux-mcp", key.join("-"), token!);
    const owner = join(folder, "owner.1");
    const otherBoot = "@00000000-0000-4000-8000-000000000000";
    await Deno.writeTextFile(owner, (await Deno.readTextFile(owner)).replace(/@\S+/, otherBoot));
    const listed = async () => (await (await lives.serve()).ok("list-commands", { paneId })).commands[0];
    const before = await listed();
    await lives.kill();
    assertEquals([before.commandId, before.status, before.watchIds], [commandId, "running", [watchId]]);
    const record = join(folder, `${name}.json`);
    const stored = JSON.parse(await Deno.readTextFile(record));
    await Deno.writeTextFile(
      record,
      `${JSON.stringify({ ...stored, started: stored.started - 3_620_000 })}\n`,
    );
    const after = await listed();
    assertEquals([after.commandId, after.status, after.watchIds], [commandId, "running", undefined]);
  },
);

beside(
  "a server that runs already continues with what another has left: its events, its commands, its watches",
  async (lives) => {
    const { world, server: first } = lives;
    const second = await lives.beside();
    const { paneId } = await first.ok("create-session", { command: "cat" });
    // It has looked at this tmux server long before.
    await second.ok("watch-events", {});
    const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
    const { watchId, cursor } = await first.ok("watch-pane", watch);
    const refused = await second.fails("stop-watch", { watchId });
    assertEquals(refused.code, "denied");
    const waiting = second.ok("watch-events", { waitSeconds: 20 });
    await lives.kill();
    await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
    const { events } = await waiting;
    assertEquals(events.map((each: SeenEvent) => [each.watchId, each.event]), [[watchId, "pattern:^needle"]]);
    // The cursor of the server that is gone is as good as any.
    const since = (await second.ok("watch-events", { cursor })).events;
    assertEquals(since.filter((each: SeenEvent) => each.watchId === watchId).length, 1);
  },
);

inTurn("a cursor of a server that is gone reads on in the next", async (lives) => {
  const { world, server: first } = lives;
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
  const { watchId, cursor } = await first.ok("watch-pane", watch);
  await lives.kill();
  await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
  const second = await lives.serve();
  const { events } = await second.ok("watch-events", { cursor, waitSeconds: 20 });
  assertEquals(events.map((each: SeenEvent) => each.watchId), [watchId]);
  assertEquals((await second.fails("watch-events", { cursor: "00000000-3" })).code, "gone");
});

Deno.test("a cursor of a server that is gone reads its watches though another server that runs has taken them over", async () => {
  await using world = await World.create();
  const [first, other] = [await world.serve(), await world.serve()];
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, background: true, timeout: 3600 };
  const one = await first.ok("watch-pane", { ...watch, triggers: "pattern:^one" });
  const two = await first.ok("watch-pane", { ...watch, triggers: "pattern:^two" });
  const early = await world.serve();
  // Its server lives.
  assertEquals((await early.fails("watch-events", { cursor: one.cursor })).code, "gone");
  // A takeover that a call has begun may outlive it, and these watches are for the other server.
  await early.kill();
  await first.kill();
  await other.untilWatching();
  const later = await world.serve();
  const { active, cursor } = await later.ok("watch-events", { cursor: one.cursor });
  assertEquals(active.map((each: SeenEvent) => each.watchId), [one.watchId, two.watchId]);
  await world.tmux("send-keys", "-t", paneId, "one", "Enter");
  assertEquals((await eventsOf(other, 1)).map((each) => each.watchId), [one.watchId]);
  const read = Date.now() / 1000;
  await other.ok("list-panes", {});
  const heard = await later.ok("watch-events", { cursor, waitSeconds: 20 });
  assertEquals(heard.events.map((each: SeenEvent) => [each.watchId, each.at <= read]), [[one.watchId, true]]);
  await other.kill();
  await world.tmux("send-keys", "-t", paneId, "two", "Enter");
  const rest = await later.ok("watch-events", { cursor: heard.cursor, waitSeconds: 20 });
  assertEquals(rest.events.map((each: SeenEvent) => each.watchId), [two.watchId]);
  assertEquals(rest.active, []);
});

Deno.test("damaged records are skipped, or read as far as they can be, and harm no others", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { command: "cat" });
  const watch = { paneId, background: true, timeout: 3600 };
  const needle = await first.ok("watch-pane", { ...watch, triggers: "pattern:^needle" });
  const going = await first.ok("watch-pane", { ...watch, triggers: "pattern:^never" });
  await world.tmux("send-keys", "-t", paneId, "needle", "Enter");
  await until(async () => (await first.ok("watch-events", { limit: 0 })).active.length === 1);
  const shell = await first.ok("create-session", {});
  const done = await first.ok("execute-command", { paneId: shell.paneId, command: "echo done" });
  await first.kill();
  const [, token, ...key] = needle.watchId.split("-");
  const folder = join(world.folder, ".local/state/tmux-mcp", key.join("-"), token!);
  let copies = 100;
  /** Adds a record that differs from one of these. */
  const add = async (id: string, change: (record: Record<string, unknown>) => object): Promise<string> => {
    const [name] = id.split("-");
    const text = await Deno.readTextFile(join(folder, `${name}.json`));
    const record = JSON.parse(text.trimEnd().split("\n").at(-1)!);
    const copy = `${name![0]}${copies++}`;
    const changed = { ...record, id: id.replace(name!, copy), ...change(record) };
    await Deno.writeTextFile(join(folder, `${copy}.json`), `${JSON.stringify(changed)}\n`, { mode: 0o600 });
    return changed.id;
  };
  const addResult = (change: object): Promise<string> =>
    add(needle.watchId, ({ result }) => ({ result: { ...result as object, ...change } }));
  const kept = [
    needle.watchId,
    await addResult({ paneState: "none", exitCode: 2 ** 60 }),
    await addResult({ fieldOfLaterVersion: true }),
  ];
  for (const change of [{ detail: null }, { totalLines: 2 ** 60 }]) await addResult(change);
  await add(needle.watchId, () => ({ result: null }));
  await add(going.watchId, () => ({ paneIds: [[paneId]] }));
  await add(going.watchId, () => ({ triggers: [{ kind: "of a later version", event: "later" }] }));
  const changes = [{ paneId: [shell.paneId] }, { piece: 2 ** 53 - 1 }, { promptLine: 1 }, {
    paneAlive: "no",
  }];
  const commands = await Promise.all(changes.map((change) => add(done.commandId, () => change)));
  const second = await world.serve();
  const { events, active } = await second.ok("watch-events", { waitSeconds: 20 });
  assertEquals(events.map((each: SeenEvent) => each.watchId).sort(), kept.sort());
  assertEquals(active.map((each: SeenEvent) => each.watchId), [going.watchId]);
  const listed = await second.ok("list-commands", {});
  assertEquals(listed.commands.map((each: SeenEvent) => each.commandId), [done.commandId]);
  for (const commandId of commands) {
    assertEquals((await second.fails("get-command-result", { commandId })).code, "not-found");
  }
});

Deno.test("a server that may not see a pane shows nothing of what another ran there", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { name: "private" });
  await first.ok("create-session", { name: "public" });
  const done = await first.ok("execute-command", { paneId, command: "echo private" });
  const watch = { paneId, triggers: "pattern:needle", background: true, timeout: 3600 };
  const { watchId, cursor } = await first.ok("watch-pane", watch);
  const config = join(world.folder, "limited.toml");
  await Deno.writeTextFile(config, '[security]\nallowed_sessions = ["public"]\n');
  const limited = await world.serve({ args: ["--config", config] });
  const checkHidden = async (): Promise<void> => {
    assertEquals((await limited.ok("list-commands", {})).commands, []);
    const { commandId } = done;
    assertEquals((await limited.fails("get-command-result", { commandId })).code, "not-found");
    const { events, active } = await limited.ok("watch-events", {});
    assertEquals([events, active], [[], []]);
  };
  await checkHidden();
  await first.kill();
  await world.tmux("send-keys", "-t", paneId, "echo needle", "Enter");
  await checkHidden();
  assertEquals((await limited.ok("watch-events", { cursor, waitSeconds: 2 })).events, []);
  await limited.kill();
  const [event] = await eventsOf(await world.serve(), 1);
  assertEquals([event?.watchId, event?.event], [watchId, "pattern:needle"]);
});

// By the time the first server is killed, a pipe has begun to copy the earlier command; the later one is too young.
for (const [unread, age] of ["earlier", "later"].entries()) {
  inTurn(
    `the ${age} of two commands, whose output can't be read, keeps nothing else from a later server`,
    async (lives) => {
      const { world, server: first } = lives;
      const commands: { paneId: string; commandId: string }[] = [];
      for (const word of ["one", "two"]) {
        const { paneId } = await first.ok("create-session", { command: "bash --norc" });
        const command = `echo ${word}; read word; (exit 3)`;
        commands.push(await first.ok("execute-command", { paneId, command, timeout: 20 }));
      }
      const { paneId } = await first.ok("create-session", { command: "cat" });
      const { watchId } = await first.ok("watch-pane", {
        paneId,
        triggers: "pattern:^over$",
        background: true,
      });
      await lives.kill();
      const [name, token, ...key] = commands[unread]!.commandId.split("-");
      const folder = join(world.folder, ".local/state/tmux-mcp", key.join("-"), token!);
      for await (const { name: file } of Deno.readDir(folder)) {
        if (!/^\d+$/.test(file.slice(name!.length + 1)) || !file.startsWith(`${name}.`)) continue;
        await Deno.remove(join(folder, file));
        // Reading it fails, as it does for a file that is closed to this user.
        await Deno.mkdir(join(folder, file, "inside"), { recursive: true });
      }
      for (const { paneId } of commands) await world.tmux("send-keys", "-t", paneId, "more", "Enter");
      const second = await lives.serve();
      await world.tmux("send-keys", "-t", paneId, "over", "Enter");
      assertEquals((await lives.eventsOf([watchId])).map((each) => each.watchId), [watchId]);
      for (const [index, { commandId }] of commands.entries()) {
        // The record is read again for the second answer.
        await second.commandResult(commandId);
        const { status, exitCode, output, outputTruncated = false } = await second.commandResult(commandId);
        assertEquals([status, exitCode], ["completed", 3]);
        // The screen still shows what was not read.
        assertEquals([output, outputTruncated], [`${["one", "two"][index]}\nmore`, false]);
      }
      assertEquals(second.stderr.trim().split("\n").length, 1, second.stderr);
      assertStringIncludes(second.stderr, "is not a file of this user");
    },
  );
}
