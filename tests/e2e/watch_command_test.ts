// `tmux-mcp watch` from a shell: lines of JSON, an exit code, and no trace left in tmux.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { launch, LAUNCHER } from "../support/launched.ts";
import { World } from "../support/world.ts";
import { until } from "../support/until.ts";

async function openPane(world: World, command: string): Promise<string> {
  const paneId = await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", "sh", "-c", command);
  return paneId.trim();
}

function watch(world: World, ...args: string[]): ReturnType<typeof launch> {
  return launch(["watch", ...args, "--socket", world.socket], world);
}

Deno.test("watch prints the event as the inbox would, one line of JSON, and exits with 0", async () => {
  await using world = await World.create();
  const paneId = await openPane(world, "echo ready; read x");
  const { code, stdout, stderr } = await watch(world, paneId, "--triggers", "bell,user_input");
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^[^\n]+\n$/);
  const event = JSON.parse(stdout);
  assertEquals([event.seq, event.paneId, event.event], [1, paneId, "user_input"]);
  assertMatch(event.watchId, /^w1-[0-9a-f]{8}-\d+-\d+$/);
  assertEquals([event.paneState.inputKind, typeof event.at], ["line", "number"]);
  assertEquals(await world.tmux("list-clients"), "");
});

Deno.test("watch masks the values of its event, and prints JSON", async () => {
  await using world = await World.create();
  const secrets = { "^sk-[a-z]+$": "sk-abc", "token=\\S+": "token=abc" };
  const lines = ["ready", ...Object.values(secrets)].map((line) => `echo ${line}`).join("; ");
  const paneId = await openPane(world, `while sleep 0.1; do ${lines}; done`);
  const masks = Object.keys(secrets).map((pattern) => `--mask=regex:${pattern}`);
  const { stdout } = await watch(world, paneId, "--triggers=pattern:ready", ...masks);
  const { event, output } = JSON.parse(stdout);
  assertEquals([event, output.includes("ready")], ["pattern:ready", true]);
  for (const secret of Object.values(secrets)) assertEquals(stdout.includes(secret), false, secret);
});

Deno.test("watch prints the timeout and exits with 1", async () => {
  await using world = await World.create();
  const paneId = await openPane(world, "exec cat");
  const { code, stdout } = await watch(world, paneId, "--triggers=bell", "--timeout=0");
  assertEquals([code, JSON.parse(stdout).event], [1, "timeout"]);
});

Deno.test("watch --mode tells of progress before the event", async () => {
  await using world = await World.create();
  const stop = `${world.folder}/stop`;
  const paneId = await openPane(
    world,
    `until [ -e ${stop} ]; do echo tick; sleep 0.1; done; echo done; exec cat`,
  );
  const child = new Deno.Command(LAUNCHER, {
    args: ["watch", paneId, "--mode", "line", "--triggers", "pattern:done", "--socket", world.socket],
    env: world.env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk);
    await Deno.writeTextFile(stop, "");
  }
  assertEquals((await child.status).code, 0);
  const events = printed.trim().split("\n").map((line) => JSON.parse(line));
  const { at: _at, elapsed: _elapsed, newLines, ...progress } = events[0];
  assertEquals(progress, { paneId, event: "progress", lastLine: "tick" });
  assert(newLines >= 1);
  assertEquals(events.at(-1).event, "pattern:done");
});

Deno.test("watch says in one line why it cannot watch, and exits with 2", async () => {
  await using world = await World.create();
  const noServer = await watch(world, "%0");
  assertEquals([noServer.code, noServer.stdout], [2, ""]);
  assertMatch(noServer.stderr, /^tmux-mcp: Cannot find a tmux server[^\n]*tmux list-panes -a[^\n]*\n$/);
  await openPane(world, "exec cat");
  for (
    const [args, says] of [
      [["%99"], /Cannot find pane "%99"/],
      [["%0", "--triggers", "never"], /Unknown trigger "never"/],
      [["%0", "--triggers", "pattern:("], /Cannot use the pattern/],
      [["%0", "--host", "web"], /Unknown host "web"/],
    ] as const
  ) {
    const { code, stdout, stderr } = await watch(world, ...args);
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, says);
    assertMatch(stderr, /^tmux-mcp: [^\n]*\n$/);
  }
});

for (const signal of ["SIGINT", "SIGHUP"] as const) {
  Deno.test(`watch that ${signal} ends says so, exits with 1 and leaves nothing behind`, async () => {
    await using world = await World.create();
    const paneId = await openPane(world, "exec cat");
    const options = () => world.tmux("show-options", "-p", "-t", paneId);
    const before = await options();
    const child = new Deno.Command(LAUNCHER, {
      args: ["watch", paneId, "--triggers", "bell", "--socket", world.socket],
      env: world.env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const attaches = await world.attaches();
    const isLeased = async (): Promise<boolean> => !attaches || /^remain-on-exit on$/m.test(await options());
    await until(async () => (await world.readers()).length > 0 && await isLeased());
    child.kill(signal);
    const { code, stdout } = await child.output();
    assertEquals([code, JSON.parse(new TextDecoder().decode(stdout) || "{}").event], [1, "cancelled"]);
    assertEquals([await world.tmux("list-clients"), await options()], ["", before]);
  });
}
