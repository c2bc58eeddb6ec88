// Records that older and newer versions wrote, and what is no record: read, or skipped with a word on stderr.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { launch, LAUNCHER } from "../support/launched.ts";
import { testSideBySide } from "../support/side_by_side.ts";
import { type TestClient, World } from "../support/world.ts";

const test = testSideBySide("records that are older, broken or in the way");

/** Records of killed servers: the first folder's write a record whole, the second's a line for each change. */
const OLDER = fromFileUrl(new URL("../records/older", import.meta.url));

/** A world in which a server has run a command and been killed, with the folders where its records are. */
class Killed implements AsyncDisposable {
  private constructor(
    readonly world: World,
    readonly panes: { id: string; pid: string }[],
    readonly done: { commandId: string; output: string },
    /** The folder of the tmux server's records. */
    readonly root: string,
    readonly key: string,
  ) {}

  static async create(): Promise<Killed> {
    const world = await World.create();
    const client = await world.serve();
    const { paneId } = await client.ok("create-session", {});
    await client.ok("create-session", {});
    const done = await client.ok("execute-command", { paneId, command: "echo kept" });
    await client.kill();
    const rows = await world.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}");
    const panes = rows.trim().split("\n").map((row) => row.split(" "))
      .map(([id = "", pid = ""]) => ({ id, pid }));
    const [, token = "", key = ""] = /^c\d+-([0-9a-f]+)-(.*)$/.exec(done.commandId)!;
    return new Killed(world, panes, done, join(world.folder, ".local/state/tmux-mcp", key), token);
  }

  /** The folder of the killed server's records. */
  get folder(): string {
    return join(this.root, this.key);
  }

  /** Another folder that the killed server is responsible for. */
  async folderOf(token: string): Promise<string> {
    const folder = join(this.root, token);
    await Deno.mkdir(folder, { mode: 0o700 });
    await Deno.copyFile(join(this.folder, "owner.1"), join(folder, "owner.1"));
    return folder;
  }

  get serverKey(): string {
    return this.done.commandId.split("-").slice(-2).join("-");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

async function placeOlder(killed: Killed, token: string): Promise<void> {
  const folder = await killed.folderOf(token);
  const [first, second] = killed.panes;
  for await (const { name } of Deno.readDir(join(OLDER, token))) {
    const text = await Deno.readTextFile(join(OLDER, token, name));
    const here = text.replaceAll("KEY", killed.serverKey).replaceAll("SOCKET", killed.world.socket)
      .replaceAll("PID0", first!.pid).replaceAll("PID1", second!.pid).replaceAll("NOW", String(Date.now()));
    await Deno.writeTextFile(join(folder, name.replace("record", "json")), here, { mode: 0o600 });
  }
}

// deno-lint-ignore no-explicit-any -- fields of many shapes
async function read(client: TestClient, commandId: string, waitSeconds = 0): Promise<any> {
  return await client.ok("get-command-result", { commandId, waitSeconds, onInput: "wait", fold: false });
}

test("records of older versions are read, and their watches continue", async () => {
  await using killed = await Killed.create();
  for (const token of ["039af969", "ba45af81"]) await placeOlder(killed, token);
  const client = await killed.world.serve();
  const { commands } = await client.ok("list-commands", {});
  assertEquals(commands.length, 6);
  for (const token of ["039af969", "ba45af81"]) {
    const [one, two] = await Promise.all(
      ["c1", "c2"].map((name) => read(client, `${name}-${token}-${killed.serverKey}`)),
    );
    assertEquals([one.status, one.exitCode, one.output], ["completed", 3, "one\ntwo"]);
    assertEquals([two.status, two.exitCode, two.output], ["completed", 4, "1\n2\n3\n4\n5\n6\n7\n8\n9"]);
  }
  const lost = await read(client, `c3-ba45af81-${killed.serverKey}`, 20);
  assertEquals([lost.status, lost.output], ["lost", "begun"]);
  const { events, cursor } = await client.ok("watch-events", {});
  assertEquals(events.map(({ event }: { event: string }) => event), ["pattern:fired"]);
  await killed.world.tmux("send-keys", "-t", "%1", "echo ne''ver", "Enter");
  const later = await client.ok("watch-events", { cursor, waitSeconds: 20 });
  assertEquals(later.events[0].watchId, `w3-ba45af81-${killed.serverKey}`);
  assertEquals(client.stderr, "");
});

test("what is no whole record of this user is skipped, said once, and no link is followed", async () => {
  await using killed = await Killed.create();
  const { folder, world, root, serverKey } = killed;
  const outside = join(world.folder, "outside");
  await Deno.mkdir(outside);
  const record = await Deno.readTextFile(join(folder, "c1.json"));
  const named = (name: string, more: object = {}): string =>
    JSON.stringify({
      ...JSON.parse(record.trim().split("\n").at(-1)!),
      id: `${name}-${killed.key}-${serverKey}`,
      ...more,
    });
  const write = (name: string, text: string | Uint8Array<ArrayBuffer>): Promise<void> =>
    Deno.writeFile(join(folder, name), typeof text === "string" ? new TextEncoder().encode(text) : text);
  await write("c2.json", "");
  await write("c3.json", named("c3").slice(0, 40));
  await write("c4.json", crypto.getRandomValues(new Uint8Array(5000)));
  await write("c5.json", named("c9"));
  const odd = [{ paneId: 5 }, { columns: 1e9 }, { status: "odd" }, { exitCode: "1" }, { socket: null }, {
    reason: [],
  }];
  for (const [index, more] of odd.entries()) await write(`c2${index}.json`, named(`c2${index}`, more));
  await write("c6.json", "");
  await Deno.truncate(join(folder, "c6.json"), 1 << 30);
  await Deno.writeTextFile(join(outside, "c7.json"), named("c7"));
  await Deno.symlink(join(outside, "c7.json"), join(folder, "c7.json"));
  await new Deno.Command("mkfifo", { args: [join(folder, "c8.json")] }).output();
  await Deno.writeTextFile(join(outside, "secret"), "sesame");
  await write("c10.json", named("c10"));
  await Deno.symlink(join(outside, "secret"), join(folder, "c10.0"));
  await Deno.symlink(outside, join(root, "0123abcd"));
  await Deno.mkdir(join(folder, "c11.json"));
  await write("w1.json", named("w1", { paneIds: ["%0"], triggers: [5], timeout: 9, cursors: {} }));
  await write("c12.json", named("c12", { format: 99 }));

  const client = await world.serve();
  const { commands } = await client.ok("list-commands", {});
  assertEquals(commands.map(({ commandId }: { commandId: string }) => commandId).sort(), [
    `c1-${killed.key}-${serverKey}`,
    `c10-${killed.key}-${serverKey}`,
  ]);
  assertEquals((await read(client, killed.done.commandId)).output, "kept");
  assertEquals((await read(client, `c10-${killed.key}-${serverKey}`)).output, "");
  assertEquals(
    (await client.fails("get-command-result", { commandId: `c7-${killed.key}-${serverKey}` })).code,
    "not-found",
  );
  assertEquals((await client.ok("execute-command", { paneId: "%0", command: "echo on" })).output, "on");
  const said = client.stderr.trim().split("\n");
  assertEquals(said.length, 3, client.stderr);
  for (const word of ["broken", "not a file of this user", "newer"]) {
    assertStringIncludes(client.stderr, word);
  }
  assertEquals(await Deno.readTextFile(join(folder, "c12.json")), named("c12", { format: 99 }));
  assertEquals((await Array.fromAsync(Deno.readDir(outside))).length, 2);
});

test("the folder of records is not used where others can write to it, or as a link", async () => {
  await using world = await World.create();
  const path = join(world.folder, "records");
  const open = join(world.folder, "open");
  await Deno.mkdir(open);
  await Deno.chmod(open, 0o777);
  await Deno.mkdir(join(world.folder, "target"), { mode: 0o700 });
  await Deno.symlink(join(world.folder, "target"), path);
  for (
    const [folder, why] of [[open, /others can write to .*Set durable\.path/], [path, /is a link/]] as const
  ) {
    const client = await world.serve({ args: ["--durable-path", folder] });
    const { paneId } = await client.ok("create-session", {});
    const { commandId } = await client.ok("execute-command", { paneId, command: "echo kept" });
    assertEquals((await read(client, commandId)).output, "kept");
    assertEquals((await client.ok("list-commands", {})).commands[0].commandId, commandId);
    assertMatch(client.stderr, why);
    assertEquals(client.stderr.trim().split("\n").length, 1, client.stderr);
    assertEquals(await Array.fromAsync(Deno.readDir(folder)), []);
  }
  assert(((await Deno.stat(open)).mode ?? 0) & 0o002, "left as it was");
});

test("output that its file could not take is flagged in a later server, and kept in memory until then", async () => {
  await using world = await World.create();
  const args = ["--durable-max-bytes", "40000"];
  const first = await world.serve({ args });
  const { paneId } = await first.ok("create-session", {});
  const command = "echo first; sleep 0.6; seq 1 9999; (exit 3)";
  const before = await first.ok("execute-command", { paneId, command, onInput: "wait" });
  assertEquals([before.exitCode, before.totalLines], [3, 10_000]);
  const whole = { commandId: before.commandId, offset: 9998, fold: false };
  assertEquals((await first.ok("get-command-result", whole)).output, "9998\n9999");
  await first.kill();
  const all = { commandId: before.commandId, view: "full", maxBytes: 30_000, maxLines: 10_000, fold: false };
  const after = await (await world.serve({ args })).ok("get-command-result", all);
  assertEquals([after.status, after.exitCode], ["completed", 3]);
  assert(after.totalLines < 10_000, `${after.totalLines} lines were copied`);
  assertEquals([after.output.split("\n").length >= after.totalLines, after.outputTruncated], [true, true]);
});

test("a folder of records that is removed while the server runs is made again", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  await client.ok("execute-command", { paneId, command: "echo lost" });
  await Deno.remove(`${world.folder}/.local/state`, { recursive: true });
  const { commandId } = await client.ok("execute-command", { paneId, command: "echo kept" });
  assertEquals(client.stderr, "");
  await client.kill();
  const later = await (await world.serve()).ok("get-command-result", { commandId });
  assertEquals([later.status, later.exitCode, later.output], ["completed", 0, "kept"]);
});

test("a server that writes nothing prunes what earlier ones have left", async () => {
  await using killed = await Killed.create();
  const path = join(killed.folder, "c1.json");
  const old = new Date(Date.now() - 2 * 3_600_000);
  for (const name of ["c1.json", "c1.0"]) await Deno.utime(join(killed.folder, name), old, old);
  const client = await killed.world.serve({ args: ["--durable-keep-hours", "1"] });
  const until = Date.now() + 60_000;
  while (await Deno.lstat(path).then(() => true, () => false)) {
    assert(Date.now() < until, "it is still there");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assertEquals(client.stderr, "");
});

test("commands that print a lot leave the folder within its bounds, and the last one whole", async () => {
  await using world = await World.create();
  const maxBytes = 100_000;
  const client = await world.serve({ args: ["--durable-max-bytes", `${maxBytes}`] });
  const { paneId } = await client.ok("create-session", {});
  for (let count = 0; count < 12; count++) {
    await client.ok("execute-command", { paneId, command: "seq 1 3000" });
  }
  const size = async (path: string): Promise<number> => {
    const { isDirectory, size: bytes } = await Deno.lstat(path).catch(() => ({
      isDirectory: false,
      size: 0,
    }));
    if (!isDirectory) return bytes;
    const names = (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
    return (await Promise.all(names.map((name) => size(join(path, name))))).reduce(
      (sum, each) => sum + each,
      0,
    );
  };
  const until = Date.now() + 30_000;
  const root = join(world.folder, ".local/state/tmux-mcp");
  // It is pruned again after each sixteenth of its bounds; the marks of its owners are no records.
  while (await size(root) > maxBytes * 17 / 16 + 4096) {
    assert(Date.now() < until, `${await size(root)} bytes`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const last = await client.ok("execute-command", { paneId, command: "seq 1 3000" });
  await client.kill();
  const found = await read(await world.serve(), last.commandId);
  assertEquals([found.exitCode, found.totalLines], [0, 3000]);
});

test("doctor says when no record can be written", async () => {
  await using world = await World.create();
  const path = join(world.folder, "file");
  await Deno.writeTextFile(path, "");
  const { stdout } = await launch(["doctor", "--socket", world.socket, "--durable-path", path], world);
  assertMatch(
    stdout,
    /partly +records +kept in memory: nothing can be written to .*\n +fix: Make it a folder that you can write to, with space/,
  );
  assertEquals((await launch(["doctor", "--socket", world.socket], world)).code, 0);
  const left = await Deno.lstat(join(world.folder, ".local/state/tmux-mcp")).catch(() => undefined);
  assertEquals(left, undefined);
});

test("a folder that others can read is closed, and files are for this user alone under any umask", async () => {
  await using world = await World.create();
  const root = join(world.folder, ".local/state/tmux-mcp");
  await Deno.mkdir(root, { recursive: true });
  await Deno.chmod(root, 0o755);
  const client = await world.serve({
    command: "bash",
    args: ["-c", 'umask 0; exec "$@"', "-", LAUNCHER, "--socket", world.socket, "--scope", "all"],
  });
  const { paneId } = await client.ok("create-session", {});
  await client.ok("execute-command", { paneId, command: "echo one; sleep 0.6; echo two" });
  const watch = { paneId, triggers: ["pattern:never"], background: true };
  await client.ok("watch-pane", watch);
  const files: string[] = [];
  const checkModes = async (path: string): Promise<void> => {
    const { mode, isDirectory } = await Deno.lstat(path);
    assertEquals((mode ?? 0) & 0o777, isDirectory ? 0o700 : 0o600, path);
    if (!isDirectory) return void files.push(path);
    for await (const { name } of Deno.readDir(path)) await checkModes(join(path, name));
  };
  await checkModes(root);
  // A pane that is read through its pipe from the first byte on has one piece of output.
  const pieces = await world.attaches() ? 2 : 1;
  assert(files.length >= 3 + pieces, `owner, two records, ${pieces} of output: ${files}`);
});
