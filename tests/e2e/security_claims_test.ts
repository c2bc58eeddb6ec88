// Sentences of docs/security.md that no other test shows to be true.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Far, remoteTest } from "../support/remote.ts";
import { onOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { testSideBySide } from "../support/side_by_side.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const apart = testSideBySide("servers of one machine");

/** Command that keeps what any program can read of processes, and of the files below a folder. */
function snoop(folder: string, kept: string): string {
  const processes = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ";
  return `sleep 5.5; env; sh -c '(${processes}; find ${folder} -type f -exec cat {} +) >${kept} 2>&1; true'`;
}

async function paths(folder: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(folder), ({ name }) => `${folder}/${name}`);
}

/** All that reaches a pane's terminal until its session ends, as a control client of tmux shows it. */
async function paneBytes({ socket, env }: World, paneId: string): Promise<string> {
  const args = ["-S", socket, "-C", "attach-session", "-t", paneId];
  const client = new Deno.Command("tmux", { args, env, clearEnv: true, stdin: "piped", stdout: "piped" })
    .spawn();
  const text = await new Response(client.stdout).text();
  await client.stdin.close().catch(() => {});
  await client.status;
  return text;
}

const test = onOneServer("the secret that ends a command");

for (const shell of ["bash --norc", "zsh -f", "dash", "fish"]) {
  test(`it is in no argument list, environment or file, and not on the screen: ${shell}`, async ({ world, client }) => {
    const kept = await Deno.makeTempDir({ prefix: "tmux-mcp-kept-" });
    await using _ = { [Symbol.asyncDispose]: () => Deno.remove(kept, { recursive: true }) };
    const { paneId } = await ShellPane.add(world, client, shell);
    const bytes = paneBytes(world, paneId);
    const found = `${kept}/found`;
    const command = snoop(world.folder, found);
    const { status, output } = await client.ok("execute-command", { paneId, command, fold: false });
    assertEquals(status, "completed");
    const screen = await client.ok("capture-pane", { paneId, start: -1000 });
    await client.ok("kill-pane", { paneId });
    const [, secret = ""] = /\\033\]133;D;0;([0-9a-f]{32})\\007/.exec(await bytes) ?? [];
    assertEquals(secret.length, 32, "128 bits, in hexadecimal");
    const read = await Deno.readTextFile(found);
    assert(read.includes("TMUX_TMPDIR=") && read.includes('"doneHash"'), "it read processes and records");
    for (const text of [read, output, screen]) assert(!text.includes(secret));
  });
}

apart("servers with one name own each other's objects, also after a restart, and others do not", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "person", "cat");
  const [one, two, other] = await Promise.all(
    ["shared", "shared", "other"].map((name) => world.serve({ args: ["--instance", name] })),
  );
  const sessions = [];
  for (let n = 0; n < 3; n++) sessions.push((await one!.ok("create-session", { command: "cat" })).sessionId);
  assertEquals((await other!.fails("kill-session", { sessionId: sessions[0] })).code, "denied");
  assertEquals(await two!.ok("kill-session", { sessionId: sessions[0] }), { killed: sessions[0] });
  await one!.kill();
  const restarted = await world.serve({ args: ["--instance", "shared"] });
  assertEquals(await restarted.ok("kill-session", { sessionId: sessions[1] }), { killed: sessions[1] });
  await world.tmux("set-option", "-t", "person", "@tmux_mcp_owner", "tmux-mcp:other");
  await other!.ok("kill-session", { sessionId: "person" });
});

apart("what was given before there was a filter is not run again under one", async () => {
  await using world = await World.create();
  const free = await world.serve();
  const service = { name: "a", command: "sleep 100", timeout: 0 };
  await free.ok("ensure-service", { ...service, environment: { PROMPT_COMMAND: "true" }, timeout: 3 });
  const { paneId } = await free.ok("create-session", { command: "sleep 100" });
  const { paneId: shell } = await free.ok("create-session");
  await free.client.close();
  const filter = `[security.command_filter]\nmode = "allowlist"\npatterns = ["^sleep 100$"]\n`;
  await Deno.writeTextFile(`${world.folder}/filter.toml`, filter);
  const filtered = await world.serve({ args: ["--config", `${world.folder}/filter.toml`] });
  const again = { ...service, restart: true };
  assertStringIncludes((await filtered.fails("ensure-service", again)).text, "command_filter");
  assertStringIncludes((await filtered.fails("respawn-pane", { paneId })).text, "command_filter");
  await filtered.ok("ensure-service", { ...again, environment: {}, timeout: 3 });
  await filtered.ok("respawn-pane", { paneId, command: "sleep 100" });
  await filtered.ok("respawn-pane", { paneId: shell });
});

apart("a buffer is owned until the server that set it ends", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "person", "cat");
  const client = await world.serve();
  for (const name of ["a", "b"]) await client.ok("set-buffer", { name, content: "x" });
  await client.ok("delete-buffer", { name: "a" });
  await client.kill();
  assertEquals((await (await world.serve()).fails("delete-buffer", { name: "b" })).code, "denied");
});

apart("rawMode and noEnter go with the tools that type", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "person", "bash --norc");
  // tests/policy has the other settings.
  const closed = ["deny:@interactive"];
  const open = ["allow:@execute,@interactive"];
  for (const tools of [...closed, ...open]) {
    const client = await world.serve({ args: ["--tools", tools] });
    for (const typing of ["rawMode", "noEnter"]) {
      const call = { paneId: "%0", command: "", timeout: 1, [typing]: true };
      const { isError, content } = await client.call("execute-command", call);
      assertEquals(isError ?? false, closed.includes(tools), `${tools} ${typing}`);
      if (isError) assertMatch(content[0]!.text!, new RegExp(`Cannot take ${typing}: security.tools`));
    }
  }
});

apart("security.enabled = false turns the tables off, and leaves the tiers", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "person", "bash --norc");
  const config = `${world.folder}/config.toml`;
  await Deno.writeTextFile(
    config,
    `[security]
enabled = false
allowed_sessions = ["other"]
allow_send_keys = false
allowed_buffer_paths = ["/no/such"]
[security.command_filter]
mode = "allowlist"
patterns = ["^ls$"]
[security.tools]
items = ["@read"]
`,
  );
  const client = await world.serve({ args: ["--config", config], cwd: world.folder });
  assertEquals((await client.ok("execute-command", { paneId: "%0", command: "echo on" })).output, "on");
  await client.ok("send-keys", { paneId: "%0", keys: "x" });
  await client.ok("set-buffer", { name: "b", content: "x" });
  await client.ok("save-buffer", { name: "b", path: `${world.folder}/anywhere` });
  assertEquals((await client.fails("kill-session", { sessionId: "person" })).code, "denied");
  const taken = await client.fails("save-buffer", { name: "b", path: config });
  assertMatch(taken.text, /this server uses that file itself/);
});

remoteTest("the folder with the sockets of connections is this user's alone", async () => {
  await using remote = await Far.create();
  await Deno.mkdir(`${remote.world.folder}/runtime`, { mode: 0o777 });
  const client = await remote.serve([], { XDG_RUNTIME_DIR: `${remote.world.folder}/runtime` });
  await client.ok("create-session", { host: "far", command: "cat" });
  const [folder = "", ...others] = await paths(`${remote.world.folder}/runtime`);
  assertEquals(others, []);
  assertEquals((await Deno.stat(folder)).mode! & 0o777, 0o700);
  const kinds = await Promise.all((await paths(folder)).map((path) => Deno.stat(path)));
  assert(kinds.some(({ isSocket }) => isSocket));
});

/** A script that looks for the secret among what its shell knows, and prints the mark that ends its command with 0. */
const FORGERY = `s=$({ set; declare -f; } | grep -aoE '[0-9a-f]{32}' | head -1)
printf '\\033]133;D;0;%s\\007' "$s" >/dev/tty
return 9 2>/dev/null || exit 9`;

const WAYS: readonly [command: string, subshell: boolean, exitCode: number][] = [
  ["source", false, 0],
  ["source", true, 0],
  ["bash", false, 9],
];

for (const [reader, subshell, exitCode] of WAYS) {
  const where = subshell ? "in a subshell" : "in the shell";
  test(`a script ends its command with ${exitCode} by what it finds: ${reader}, ${where}`, async ({ world, client }) => {
    const script = `${world.folder}/forgery.sh`;
    await Deno.writeTextFile(script, FORGERY);
    const { paneId } = await ShellPane.add(world, client, "bash --norc");
    const result = await client.ok("execute-command", { paneId, command: `${reader} ${script}`, subshell });
    assertEquals([result.status, result.exitCode], ["completed", exitCode]);
  });
}

apart("while a pattern masks, a recording has a line only once it is complete", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--mask", "regex:sk-[0-9]{6}"], cwd: world.folder });
  const { paneId } = await client.ok("create-session", { command: "cat" });
  const outputPath = `${world.folder}/pane.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const cast = () => Deno.readTextFile(outputPath);
  const type = (...keys: string[]) => world.tmux("send-keys", "-t", paneId, ...keys);
  const untilPrinted = (pattern: string) => client.ok("wait-for-text", { paneId, pattern, regex: true });
  await type("whole", "Enter");
  // Once by the terminal, once by cat.
  await until(async () => (await cast()).match(/whole\\r\\n/g)?.length === 2);
  await type("begun sk-12");
  await untilPrinted("begun");
  // Meanwhile the recording would have it.
  await client.ok("execute-command", {
    paneId: (await ShellPane.add(world, client, "bash --norc")).paneId,
    command: "echo later",
  });
  const before = await cast();
  assert(!before.includes("begun"), before);
  await type("3456", "Enter");
  await until(async () => (await cast()).match(/begun \[masked\]/g)?.length === 2);
  await client.ok("record-pane", { paneId, action: "stop" });
  await type("again sk-98");
  await untilPrinted("again");
  const secondPath = `${world.folder}/second.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath: secondPath });
  const second = () => Deno.readTextFile(secondPath);
  await type("7654", "Enter");
  await until(async () => (await second()).includes("again [masked]"));
  assertEquals((await second()).includes("sk-98"), false);
});
