// Programs of a service that ignore Ctrl-C and the end of their terminal: they end with the service, or are named.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnServers } from "../support/one_server.ts";
import { Far, remoteTest } from "../support/remote.ts";
import { until } from "../support/until.ts";
import type { TestClient, World } from "../support/world.ts";
import { freePort } from "../support/free_port.ts";

const test = inTurnOnServers(2, "programs that outlive their pane");

function listenOn(port: number): Deno.TcpListener {
  return Deno.listen({ hostname: "127.0.0.1", port });
}

/** Writes a program that listens on a port, and ignores the signals that are named after it. */
async function writeServer(world: World): Promise<string> {
  const file = `${world.folder}/server.pl`;
  await Deno.writeTextFile(
    file,
    `use Socket; my ($port, @ignored) = @ARGV; $SIG{$_} = sub {} for @ignored;
     socket(my $server, PF_INET, SOCK_STREAM, 0); setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1);
     bind($server, sockaddr_in($port, INADDR_LOOPBACK)) and listen($server, 5) or die $!;
     accept(my $client, $server) while 1;`,
  );
  return `perl ${file}`;
}

/** Ends the programs that a failed test has left. */
class Leftovers implements Disposable {
  readonly pids: Set<number> = new Set();

  [Symbol.dispose](): void {
    for (const pid of this.pids) if (isAlive(pid)) Deno.kill(pid, "SIGKILL");
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

async function ensure(
  client: TestClient,
  service: Record<string, unknown>,
  leftovers: Leftovers,
  // deno-lint-ignore no-explicit-any -- a tool's result
): Promise<any> {
  const made = await client.ok("ensure-service", { name: "web", timeout: 20, ...service });
  for (const { pid } of made.ports) leftovers.pids.add(pid);
  return made;
}

const FORMS = {
  "in a subshell's background": "($ &)",
  "behind nohup": "nohup $ HUP >/dev/null 2>&1 &",
  "in front, ignoring Ctrl-C and its terminal's end": "$ INT HUP",
};

for (const [where, form] of Object.entries(FORMS)) {
  test(`a service ${where} is ended, whether it is stopped or changed`, async ({ world, client }) => {
    using leftovers = new Leftovers();
    const port = freePort();
    const command = form.replace("$", `${await writeServer(world)} ${port}`);
    const { paneId, ports: [{ pid }] } = await ensure(client, { command, port }, leftovers);
    const again = await ensure(client, { command: ` ${command}`, port }, leftovers);
    assertEquals([again.status, again.reason, again.ready, isAlive(pid)], [
      "restarted",
      "changed",
      true,
      false,
    ]);
    const { forced, ...stopped } = await client.ok("stop-service", { name: "web" });
    assertEquals(stopped, { service: "web", stopped: true, paneId });
    assertEquals(forced, where.startsWith("in front") ? true : undefined);
    listenOn(port).close();
  });
}

test("programs without a port end with the service that they run in front for", async ({ world, client }) => {
  using leftovers = new Leftovers();
  const [file, pids] = [`${world.folder}/workers.sh`, `${world.folder}/workers`];
  await Deno.writeTextFile(
    file,
    `trap '' INT HUP; (while :; do sleep 0.5; done) & echo $$ $! >${pids}; while :; do sleep 0.5; done`,
  );
  await client.ok("ensure-service", { name: "web", command: `sh ${file}`, timeout: 0 });
  await until(async () => /\n/.test(await Deno.readTextFile(pids).catch(() => "")));
  const each = (await Deno.readTextFile(pids)).trim().split(" ").map(Number);
  for (const pid of each) leftovers.pids.add(pid);
  const { stopped, forced } = await client.ok("stop-service", { name: "web" });
  assertEquals([stopped, forced, each.filter(isAlive)], [true, true, []]);
});

test("a program that nothing ends is named", async ({ world, client }) => {
  using leftovers = new Leftovers();
  const port = freePort();
  const command = `(${await writeServer(world)} ${port} TERM &)`;
  const { paneId, ports: [{ pid }] } = await ensure(client, { command, port }, leftovers);
  const { code, text } = await client.fails("ensure-service", { name: "web", command, port, restart: true });
  assertEquals(code, "busy");
  assertMatch(text, new RegExp(`"web": perl \\(pid ${pid}\\) still runs and listens on port ${port}`));
  assertEquals((await client.ok("list-services")).services[0].status, "ended");
  Deno.kill(pid, "SIGKILL");
  await until(() => Promise.resolve(!isAlive(pid)));
  const again = await ensure(client, { command, port }, leftovers);
  const [{ pid: second }] = again.ports;
  assertEquals([again.status, again.paneId], ["restarted", paneId]);
  assertEquals(await client.ok("stop-service", { name: "web" }), {
    ...{ service: "web", stopped: false, paneId },
    stillRunning: [{ pid: second, command: "perl", port }],
  });
  assert(isAlive(second));
});

test("a program that its service has detached, as a browser, is not ended", async ({ world, client }) => {
  using leftovers = new Leftovers();
  const file = `${world.folder}/detach.js`;
  await Deno.writeTextFile(
    file,
    `const { pid } = require("child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
     console.log("opened", pid); setInterval(() => {}, 1e6);`,
  );
  const web = { name: "web", command: `node ${file}`, pattern: "^opened" };
  const { output } = await client.ok("ensure-service", web);
  const pid = Number(/^opened (\d+)/m.exec(output)![1]);
  leftovers.pids.add(pid);
  assertEquals((await client.ok("stop-service", { name: "web" })).stopped, true);
  assert(isAlive(pid));
});

test("what a shell's start-up has left in the background is not ended", async ({ world, client }) => {
  using leftovers = new Leftovers();
  const [profile, left] = [`${world.folder}/profile.sh`, `${world.folder}/left`];
  await Deno.writeTextFile(profile, `(trap '' HUP; sleep 600 & echo $! >${left})\n`);
  // The service's shell is the only one that starts.
  await world.tmux("new-session", "-d", "-s", "tmux-mcp-services", "cat");
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
  const { paneId } = await client.ok("ensure-service", { name: "web", command: "sleep 500", timeout: 3 });
  const pid = Number(await Deno.readTextFile(left));
  leftovers.pids.add(pid);
  assertEquals(await client.ok("stop-service", { name: "web" }), { service: "web", stopped: true, paneId });
  assert(isAlive(pid));
});

remoteTest("a service in a subshell's background on a host is ended, or named", async () => {
  using leftovers = new Leftovers();
  await using remote = await Far.create();
  const client = await remote.serve();
  const [port, other] = [freePort(), freePort()];
  const server = await writeServer(remote.world);
  const host = "far";
  await ensure(client, { host, command: `(${server} ${port} &)`, port }, leftovers);
  assertEquals((await client.ok("stop-service", { host, name: "web" })).stopped, true);
  listenOn(port).close();
  const command = `(${server} ${other} TERM &)`;
  const { ports: [{ pid }] } = await ensure(client, { host, command, port: other }, leftovers);
  const { stopped, stillRunning } = await client.ok("stop-service", { host, name: "web" });
  assertEquals([stopped, stillRunning], [false, [{ pid, command: "perl", port: other }]]);
});
