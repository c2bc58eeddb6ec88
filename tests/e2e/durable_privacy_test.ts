// Records on disk hold nothing that the screen did not show, and nothing at all where masks are set.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { launch } from "../support/launched.ts";
import { World } from "../support/world.ts";

/** Never in a command, so that only what was typed can be found. */
const TYPED = ["umbra", "vesper", "7719"].join("-");
const ASKED = ["cobalt", "heron", "5280"].join("-");
/** The mark that ends an output, with the secret that proves it. */
const MARK = "\x1b]133;D;";

/** Names and contents of all that is in a folder. */
async function all(folder: string): Promise<string> {
  const texts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    texts.push(name, isDirectory ? await all(path) : await Deno.readTextFile(path).catch(() => ""));
  }
  return texts.join("\n");
}

Deno.test("the folder of records has no hidden input and no secret of the loader", async () => {
  await using world = await World.create();
  const root = join(world.folder, ".local/state/tmux-mcp");
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const command = "read -rs x; sleep 0.6; echo ${#x} characters; seq 3";
  const asked = await client.ok("execute-command", { paneId, command });
  assertEquals(asked.status, "waiting");
  await client.ok("send-keys", { paneId, keys: TYPED, literal: true });
  await client.ok("send-enter", { paneId });
  const { commandId } = asked;
  const ended = await client.ok("get-command-result", { commandId, waitSeconds: 30, fold: false });
  assertEquals([ended.status, ended.output], ["completed", `${TYPED.length} characters\n1\n2\n3`]);

  const python = "python3 -qc 'import getpass; print(len(getpass.getpass()), \"characters\")'";
  const hidden = await client.ok("execute-command", { paneId, command: python });
  assertEquals(hidden.status, "waiting");
  await client.ok("run-in-repl", { paneId, input: ASKED });
  const wait = { commandId: hidden.commandId, waitSeconds: 30 };
  assertMatch((await client.ok("get-command-result", wait)).output, /17 characters/);

  const text = await all(root);
  assert(text.includes(`${TYPED.length} characters`) && text.includes("getpass"), "the records are there");
  for (const secret of [TYPED, ASKED]) assert(!text.includes(secret), text);
  const until = Date.now() + 30_000;
  // The pipe is cut after the output once it has ended.
  while ((await all(root)).includes(MARK)) {
    assert(Date.now() < until, "a mark is still there");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

Deno.test("with masks nothing is kept on disk, and doctor says why", async () => {
  await using world = await World.create();
  const root = join(world.folder, ".local/state/tmux-mcp");
  const args = ["--mask", `literal:${TYPED}`];
  const client = await world.serve({ args });
  const { paneId } = await client.ok("create-session", {});
  await client.ok("execute-command", { paneId, command: `echo ${TYPED}; sleep 0.6` });
  await client.ok("watch-pane", { paneId, triggers: ["pattern:never"], background: true });
  assertEquals(await Deno.lstat(root).catch(() => undefined), undefined);
  const { stdout } = await launch(["doctor", "--socket", world.socket, ...args], world);
  assertMatch(stdout, /works +records +kept only in memory.*: security\.mask is set/);
});

Deno.test("without a home records are kept in memory, and stderr and doctor say so", async () => {
  await using world = await World.create();
  const home = join(world.folder, "no-folder");
  await Deno.writeTextFile(home, "");
  for (const env of [{ HOME: home }, { HOME: "relative", XDG_STATE_HOME: "state" }]) {
    const client = await world.serve({ env });
    const { paneId } = await client.ok("create-session", { command: "bash --norc --noprofile" });
    const { commandId } = await client.ok("execute-command", { paneId, command: "echo kept" });
    assertEquals((await client.ok("get-command-result", { commandId })).output, "kept");
    assertMatch(client.stderr, /^tmux-mcp: Records of commands .*HOME is not a folder\n$/);
  }
  const { stdout } = await launch(["doctor", "--socket", world.socket], {
    env: { ...world.env, HOME: home },
  });
  assertMatch(stdout, /partly +records +kept only in memory.*HOME is not a folder/);
});

Deno.test("a command on another socket is out of scope, though a pane in scope has the same id", async () => {
  await using world = await World.create();
  await using other = await World.create();
  const first = await world.serve();
  const seen = await first.ok("create-session", { name: "public", command: "bash --norc" });
  const place = { socket: other.socket };
  const hidden = await first.ok("create-session", { name: "private", command: "bash --norc", ...place });
  assertEquals(hidden.paneId, seen.paneId);
  const { paneId } = hidden;
  const { commandId } = await first.ok("execute-command", { paneId, command: "echo private", ...place });
  await first.client.close();
  const client = await world.serve({ args: ["--allowed-sessions", "public"] });
  for (const where of [{}, place]) {
    assertEquals((await client.fails("get-command-result", { commandId, ...where })).code, "not-found");
  }
});
