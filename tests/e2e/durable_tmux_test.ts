// The tmux server is killed while commands run in it: their records say so, also where another one has its socket and pane ids.
import { assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import { type Lives, throughDeathsInTurn } from "../support/killed_server.ts";
import { read } from "../support/read_resources.ts";
import { testSideBySide } from "../support/side_by_side.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const apart = testSideBySide("a killed tmux server, and servers of its own each");

/** Ends the tmux server of a world as the kernel would for want of memory. */
async function killTmux(world: World): Promise<void> {
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  Deno.kill(pid, "SIGKILL");
  // Its socket is open until it is a zombie: a client would connect to it.
  await until(async () => / Z |^$/.test(await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "")));
}

/** Begins a command that continues until its pane ends. */
async function begin(client: TestClient): Promise<{ paneId: string; commandId: string }> {
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const { commandId } = await client.begin({ paneId, command: "echo before; sleep 1000" }, 0.6);
  return { paneId, commandId };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

async function shellOf(client: TestClient): Promise<string> {
  return (await client.ok("create-session", { command: "bash --norc" })).paneId;
}

/** The file that names the process responsible for the only records of commands. */
async function ownerOf(world: World): Promise<string> {
  const root = join(world.folder, ".local/state/tmux-mcp");
  for await (const { name: key } of Deno.readDir(root)) {
    if (key === "0-0") continue;
    for await (const { name: token } of Deno.readDir(join(root, key))) {
      return join(root, key, token, "owner.1");
    }
  }
  throw new Error("No records");
}

const inTurn = throughDeathsInTurn("a tmux server is killed, and so may be the server of a command in it");

/** The next pane is then the first of its tmux server. */
async function withoutTmux(lives: Lives): Promise<Lives> {
  await killTmux(lives.world).catch(() => {});
  return lives;
}

inTurn(
  "a later server finds a command lost whose tmux server was killed, though another has its socket and pane id",
  async (lives) => {
    const { world, server: first } = await withoutTmux(lives);
    const { paneId, commandId } = await begin(first);
    await lives.kill();
    await killTmux(world);
    const second = await lives.serve();
    const before = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([before.status, before.paneAlive, before.exitCode], ["lost", false, undefined]);
    assertStringIncludes(before.reason, "tmux server");
    const other = await begin(second);
    assertEquals(other.paneId, paneId);
    assertNotEquals(other.commandId, commandId);
    const after = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([after.status, after.output], ["lost", "before"]);
    const { commands } = await second.ok("list-commands", {});
    const own = [other.commandId, commandId];
    const listed = commands.filter((each: { commandId: string }) => own.includes(each.commandId)).map((
      each: { commandId: string; status: string; reason?: string },
    ) => [each.commandId, each.status, each.reason?.includes("tmux server")]);
    assertEquals(listed, [[other.commandId, "running", undefined], [commandId, "lost", true]]);
    // Its pane's id is another pane's now.
    assertEquals((await second.ok("list-commands", { paneId })).total, 1);
  },
);

inTurn(
  "a client with a cursor reads the events of a server that was killed before its tmux server, and the end of others",
  async (lives) => {
    const { world, server: first } = await withoutTmux(lives);
    const watch = { paneId: await shellOf(first), timeout: 100, background: true };
    const { watchId: fired, cursor } = await first.ok("start-and-watch", {
      ...watch,
      command: "echo REA''DY",
      pattern: "READY",
    });
    const { watchId: running } = await first.ok("watch-pane", { ...watch, triggers: "pattern:never" });
    const results = () => first.ok("watch-events", { cursor, waitSeconds: 5 });
    await until(async () => (await results()).events.length > 0);
    await lives.kill();
    await killTmux(world);
    const second = await lives.serve();
    const { events } = await second.ok("watch-events", { cursor, waitSeconds: 5 });
    const seen = events.map((each: { watchId: string; event: string }) => [each.watchId, each.event]);
    assertEquals(seen, [[fired, "pattern:READY"], [running, "gone"]]);
  },
);

inTurn(
  "commands of a tmux server that was killed are listed as lost before anyone asks for one, and where none runs",
  async (lives) => {
    const { world, server: first } = await withoutTmux(lives);
    const { paneId, commandId } = await begin(first);
    const exit = { paneId: await shellOf(first), command: "exit 3", subshell: true };
    const { commandId: ended } = await first.ok("execute-command", exit);
    await lives.kill();
    await killTmux(world);
    const second = await lives.serve();
    const { commands } = await second.ok("list-commands", {});
    const lost = commands.find((each: { commandId: string }) => each.commandId === commandId);
    assertEquals([lost.paneId, lost.status, lost.exitCode], [paneId, "lost", undefined]);
    assertStringIncludes(lost.reason, "tmux server");
    const over = commands.find((each: { commandId: string }) => each.commandId === ended);
    assertEquals([over.status, over.exitCode], ["completed", 3]);
  },
);

apart("a server that reaches its socket through a link lists the commands of one that does not", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { commandId } = await begin(first);
  const link = join(world.folder, "link");
  await Deno.symlink(dirname(world.socket), link);
  const linked = await world.serve({ args: ["--socket", join(link, basename(world.socket))] });
  const listed = async () =>
    (await linked.ok("list-commands", {})).commands.map((
      each: { commandId: string; status: string },
    ) => [each.commandId, each.status]);
  assertEquals(await listed(), [[commandId, "running"]]);
  await first.kill();
  assertEquals(await listed(), [[commandId, "running"]]);
  await killTmux(world);
  assertEquals(await listed(), [[commandId, "lost"]]);
});

apart(
  "a pane id of the next tmux server shows a limited server nothing of the pane that had it before",
  async () => {
    await using world = await World.create();
    await world.tmux("new-session", "-d", "-s", "private", "bash --norc");
    const first = await world.serve();
    const { commandId } = await first.begin({ paneId: "%0", command: "echo secret; sleep 1000" }, 0.6);
    await first.kill();
    await killTmux(world);
    await world.tmux("new-session", "-d", "-s", "public", "exec cat");
    const limited = await world.serve({ args: ["--allowed-sessions", "public"] });
    assertEquals((await limited.ok("list-panes", {})).panes.map((pane: { id: string }) => pane.id), ["%0"]);
    assertEquals((await limited.ok("list-commands", {})).commands, []);
    assertEquals((await limited.fails("get-command-result", { commandId })).code, "not-found");
  },
);

apart(
  "a record whose owner can't be seen stays as it is: lost once its tmux server is not there",
  async () => {
    await using world = await World.create();
    const first = await world.serve();
    const { commandId } = await begin(first);
    await first.kill();
    const owner = await ownerOf(world);
    const [pid, start, namespace, server] = (await Deno.readTextFile(owner)).split(" ");
    const otherBoot = namespace!.replace(/@.*/, "@00000000-0000-4000-8000-000000000000");
    await Deno.writeTextFile(owner, [pid, start, otherBoot, server].join(" "));
    const second = await world.serve();
    // As in a container: the tmux server is there, so the process responsible for it may be too.
    assertEquals((await second.ok("get-command-result", { commandId, waitSeconds: 2 })).status, "running");
    await killTmux(world);
    const third = await world.serve();
    // The first answer says so: nobody waits for a second one.
    const { json } = await read(third, `tmux://command/${commandId}/result`);
    assertEquals(json.status, "lost");
    const after = await third.ok("get-command-result", { commandId, onInput: "wait" });
    assertEquals([after.status, after.output], ["lost", "before"]);
    assertStringIncludes(after.reason, "rebooted");
    const { commands: [listed] } = await third.ok("list-commands", {});
    assertEquals([listed.status, listed.reason], ["lost", after.reason]);
    const folder = join(owner, "..");
    assertEquals((await namesIn(folder)).filter((name) => name.startsWith("owner.")), ["owner.1"]);
  },
);

apart("a process that has an owner's pid is not the owner, unless it began then", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { commandId } = await begin(first);
  const owner = await ownerOf(world);
  const [, , namespace, server] = (await Deno.readTextFile(owner)).split(" ");
  await first.kill();
  const owners = async (): Promise<string[]> =>
    (await namesIn(join(owner, ".."))).filter((name) => name.startsWith("owner."));
  const stat = await Deno.readTextFile("/proc/self/stat");
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  await Deno.writeTextFile(owner, [Deno.pid, start, namespace, server].join(" "));
  const second = await world.serve();
  assertEquals((await second.ok("get-command-result", { commandId, waitSeconds: 1.5 })).status, "running");
  assertEquals(await owners(), ["owner.1"]);
  await Deno.writeTextFile(owner, [Deno.pid, Number(start) + 1, namespace, server].join(" "));
  await second.ok("get-command-result", { commandId });
  assertEquals((await owners()).sort(), ["owner.1", "owner.2"]);
});

inTurn(
  "a later server takes no pane of the next tmux server for the one of a command that ran on",
  async (lives) => {
    const { world, server: first } = await withoutTmux(lives);
    const { paneId, commandId } = await begin(first);
    const watch = { paneId, triggers: "pattern:needle", background: true, timeout: 3600 };
    const { watchId } = await first.ok("watch-pane", watch);
    await lives.kill();
    await killTmux(world);
    await world.tmux("new-session", "-d", "echo needle; exec sleep 1000");
    const second = await lives.serve();
    const { status, reason } = await second.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals(status, "lost");
    assertStringIncludes(reason, "tmux server");
    const events = await lives.eventsOf([watchId]);
    const seen = events.map((each) => [each.watchId, each.event]);
    assertEquals(seen, [[watchId, "gone"]]);
  },
);

inTurn("a server that lives loses its command with the tmux server, and says why", async (lives) => {
  const { world, server: client } = await withoutTmux(lives);
  const { commandId } = await begin(client);
  await killTmux(world);
  const { status, reason, output } = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([status, output.split("\n")[0]], ["lost", "before"]);
  assertStringIncludes(reason, "tmux server");
});

apart("what another server leaves in a pane out of scope is denied to every tool that names it", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const { paneId } = await first.ok("create-session", { name: "private" });
  await first.ok("create-session", { name: "public" });
  const { commandId } = await first.ok("execute-command", {
    paneId,
    command: "sleep 1000",
    background: true,
  });
  const watch = { paneId, triggers: "pattern:needle", background: true, timeout: 3600 };
  const { watchId } = await first.ok("watch-pane", watch);
  const config = join(world.folder, "limited.toml");
  await Deno.writeTextFile(config, '[security]\nallowed_sessions = ["public"]\n');
  const limited = await world.serve({ args: ["--config", config] });
  const read = async (): Promise<unknown[]> => [
    (await limited.ok("list-commands", {})).commands,
    (await limited.fails("get-command-result", { commandId })).code,
    (await limited.ok("watch-events", {})).active,
  ];
  const nothing = [[], "not-found", []];
  assertEquals(await read(), nothing);
  assertEquals((await limited.fails("stop-watch", { watchId })).code, "denied");
  await first.kill();
  // It may not take that watch over either, and cannot stop it.
  assertEquals(await read(), nothing);
  await limited.fails("stop-watch", { watchId });
  await limited.kill();
  const last = await world.serve();
  await last.ok("list-panes", {});
  const { status } = await last.ok("get-command-result", { commandId, waitSeconds: 0 });
  assertEquals(status, "running");
});
