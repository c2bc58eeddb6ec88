// A fault that keeps the server from starting is reported in one line; one that only keeps tmux from working is an error of each call.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { launch } from "../support/launched.ts";
import { RawClient } from "../support/raw_client.ts";
import { World } from "../support/world.ts";

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));

Deno.test("an audit log that cannot be written stops the start", async () => {
  await using world = await World.create();
  const path = join(world.folder, "no-such-folder", "audit.log");
  const { code, stdout, stderr } = await launch(["--audit-path", path], world);
  assertEquals([code, stdout], [2, ""]);
  assertMatch(stderr, /^tmux-mcp: Cannot write the audit log "[^\n]*audit\.log"[^\n]*\n$/);
  const closed = await launch(["--audit-path", "/proc/audit.log"], world);
  assertMatch(
    closed.stderr,
    /^tmux-mcp: Cannot write the audit log "\/proc\/audit\.log": this program has no permission/,
  );
});

Deno.test("a C library that may not be loaded stops the start", async () => {
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--cached-only", "--allow-read", "--allow-env", MAIN],
    stdin: "null",
  }).output();
  assertEquals([output.code, output.stdout.length], [1, 0]);
  const stderr = new TextDecoder().decode(output.stderr);
  assertMatch(stderr, /^tmux-mcp: Cannot load the C library "[^\n]*--allow-ffi=[^\n]*\n$/);
});

Deno.test("a misspelt TMUX_MCP_ variable stops the start and names the one that was meant", async () => {
  await using world = await World.create();
  const env = { ...world.env, TMUX_MCP_SAFTY: "readonly" };
  const { code, stdout, stderr } = await launch([], { env });
  assertEquals([code, stdout], [2, ""]);
  assertMatch(stderr, /^tmux-mcp: [^\n]*"TMUX_MCP_SAFTY"[^\n]*TMUX_MCP_SAFETY\?[^\n]*\n$/);
});

/** A folder with the programs that the launcher itself needs, and no tmux. */
async function pathWithoutTmux(world: World): Promise<string> {
  const folder = join(world.folder, "bin");
  await Deno.mkdir(folder);
  for (const name of ["bash", "env", "cmp", "readlink"]) {
    await Deno.symlink((await which(name)).trim(), join(folder, name));
  }
  return folder;
}

async function which(name: string): Promise<string> {
  const output = await new Deno.Command("sh", { args: ["-c", `command -v ${name}`] }).output();
  return new TextDecoder().decode(output.stdout);
}

/** The launcher adds these to any PATH: with a tmux there this machine can't be without one. */
const ADDED = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];

Deno.test({
  name: "where there is no tmux the server serves, and each call says so",
  ignore: ADDED.some((folder) => exists(join(folder, "tmux"))),
  async fn() {
    await using world = await World.create();
    world.env["PATH"] = await pathWithoutTmux(world);
    await using client = new RawClient(world);
    await client.initialize();
    await client.send({ id: 2, method: "tools/list" });
    assert((await client.answer(2)).result.tools.length > 10);
    const { result } = await client.call(3, "list-sessions");
    assertEquals(result._meta["tmux-mcp/error"].code, "tmux-unavailable");
    assertStringIncludes(result.content[0].text, "Install tmux");
  },
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

Deno.test("a tmux that is too old is reported at the start, and by each call with what to install", async () => {
  await using world = await World.create();
  const bin = join(world.folder, "tmux");
  await Deno.writeTextFile(bin, '#!/bin/sh\n[ "$1" = -V ] && echo "tmux 3.1c"\n', { mode: 0o755 });
  const client = await world.serve({ args: ["--tmux-bin", bin] });
  const told = await client.fails("list-sessions");
  assertEquals(told.code, "unsupported");
  assertStringIncludes(told.text, "tmux 3.1c is too old: 3.2 or newer is needed");
  assertStringIncludes(told.text, "apt install tmux");
  await client.client.close();
  assertMatch(client.stderr, /^tmux-mcp: tmux 3\.1c is too old[^\n]*\n$/);
});

Deno.test("the log says on stderr what it is asked to say, and nothing of it on stdout", async () => {
  await using world = await World.create();
  for (
    const [level, said] of [["warn", ""], ["info", "kill-pane denied"], ["debug", "list-panes ok"]] as const
  ) {
    const client = await world.serve({ args: ["--log", level, "--safety", "readonly"] });
    await client.ok("list-panes");
    await client.call("kill-pane", { paneId: "%1" });
    await client.client.close();
    if (said === "") assertEquals(client.stderr, "");
    else assertStringIncludes(client.stderr, said);
  }
});
