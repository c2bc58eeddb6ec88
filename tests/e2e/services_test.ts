// Services: started once under a name, over calls, clients and servers; started again when they have ended.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnServers } from "../support/one_server.ts";
import { sized } from "../support/sized.ts";
import { Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";
import { freePort } from "../support/free_port.ts";

const test = inTurnOnServers(2, "services");

const isLinux = Deno.build.os === "linux";

function listenOn(hostname: string, port = 0): Deno.TcpListener {
  return Deno.listen({ hostname, port });
}

/** Arguments of a server that sees only services. */
const SCOPED = ["--allowed-sessions", "tmux-mcp-services"];
/** Arguments of a server that forgets commands. */
const FORGETFUL = ["--no-durable", "--completed-max-entries", "1"];

/** A program that listens, says so, and ends with code 3 at SIGUSR1. */
async function writeServer(world: World): Promise<string> {
  const file = `${world.folder}/server.pl`;
  await Deno.writeTextFile(
    file,
    `use Socket; use Cwd; $| = 1; $SIG{USR1} = sub { exit 3 };
     socket(my $server, PF_INET, SOCK_STREAM, 0); setsockopt($server, SOL_SOCKET, SO_REUSEADDR, 1);
     bind($server, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) and listen($server, 5) or die $!;
     print "up ", $ENV{GREETING} // "", " ", getcwd(), "\n"; accept(my $client, $server) while 1;`,
  );
  return `perl ${file}`;
}

/** Words of bash that wait for a port. */
function untilOpen(port: number): string {
  return `until (: </dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.05; done`;
}

/** Ends programs that can outlive their panes; a file names them, one a line. */
async function endListed(file: string): Promise<void> {
  for (const pid of (await Deno.readTextFile(file)).trim().split("\n")) {
    try {
      Deno.kill(Number(pid));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

const onLinux: typeof test = (name, run) => isLinux ? test(name, run) : undefined;

onLinux("a service is started once, and again when it has ended", async ({ world, client, other }, t) => {
  const watching = new Watching(world, client);
  const server = await writeServer(world);
  const port = freePort();
  const web = { name: "web", command: `${server} ${port}`, port, timeout: 30 };
  let pid = 0;
  let paneId = "";

  await t.step("the first call starts it and returns when it listens", async () => {
    assertEquals(await client.ok("list-services"), { services: [] });
    const made = await client.ok("ensure-service", web);
    assertEquals([made.service, made.status, made.ready, made.event], [
      "web",
      "started",
      true,
      `port:${port}`,
    ]);
    assertEquals([made.ports.length, made.ports[0].port], [1, port]);
    ({ paneId } = made);
    pid = made.ports[0].pid;
  });

  await t.step("the next ones find it, from other clients and servers too", async () => {
    const others = [client, await other(), await other(...SCOPED)];
    const answers = await Promise.all(others.map((each) => each.ok("ensure-service", web)));
    for (const again of answers) {
      assertEquals([again.status, again.ready, again.paneId], ["already-running", true, paneId]);
      assertEquals(again.ports.map((each: { pid: number }) => each.pid), [pid]);
    }
    const { services } = await others[1]!.ok("list-services");
    assertEquals(services.length, 1);
    assertEquals([services[0].service, services[0].status, services[0].ready], ["web", "running", true]);
    assertEquals(services[0].command, web.command);
  });

  await t.step("two clients that start one at the same time start one", async () => {
    const others = [await other(), await other(...SCOPED)];
    // Each has looked before, so that their calls meet.
    for (const each of others) await each.ok("list-services");
    const db = { name: "db", command: `${server} ${freePort()}`, pattern: "^up" };
    const answers = await Promise.all([...others, client].map((each) => each.ok("ensure-service", db)));
    assertEquals(answers.map(({ status }) => status).filter((status) => status === "started").length, 1);
    assertEquals(new Set(answers.map((each) => each.paneId)).size, 1);
    const { services } = await client.ok("list-services");
    assertEquals(services.map((each: { service: string }) => each.service), ["web", "db"]);
  });

  await t.step("one that crashed is started again in its pane, and said to have ended", async () => {
    Deno.kill(pid, "SIGUSR1");
    await watching.until(async () => (await client.ok("list-services")).services[0].status === "ended");
    const again = await client.ok("ensure-service", web);
    assertEquals([again.status, again.reason, again.ready], ["restarted", "ended", true]);
    assertEquals(again.paneId, paneId);
    assert(again.ports[0].pid !== pid);
    pid = again.ports[0].pid;
  });

  await t.step("another command under the name takes its place, with folder and variables", async () => {
    await Deno.mkdir(`${world.folder}/app`);
    const changed = {
      ...{ name: "web", command: `${server}  ${port}`, pattern: "^up (.*)", timeout: 30 },
      startDirectory: `${world.folder}/app`,
      environment: { GREETING: "hello" },
    };
    const again = await client.ok("ensure-service", changed);
    assertEquals([again.status, again.reason, again.ready], ["restarted", "changed", true]);
    assertMatch(again.output, /^up hello \S+\/app$/m);
    assertEquals((await client.ok("ensure-service", changed)).status, "already-running");
    const asked = await client.ok("ensure-service", {
      ...{ name: "web", command: changed.command, pattern: "^up (.*)", restart: true },
    });
    assertEquals([asked.status, asked.reason], ["restarted", "asked"]);
    assertMatch(asked.output, /^up hello \S+\/app$/m);
  });

  await t.step("a port that another program has is not waited for: the program is named", async () => {
    const shell = await watching.shellPane();
    const taken = freePort();
    const { event } = await client.ok("start-and-watch", {
      ...{ paneId: shell, command: `${server} ${taken}`, triggers: `port:${taken}` },
    });
    assertEquals(event, `port:${taken}`);
    const { code, text } = await client.fails("ensure-service", {
      ...{ name: "late", command: `${server} ${taken}`, port: taken },
    });
    assertEquals(code, "busy");
    assertMatch(text, new RegExp(`port ${taken} is taken by perl \\(pid \\d+\\) in pane ${shell}`));
    const scoped = await other(...SCOPED);
    const unnamed = await scoped.fails("ensure-service", {
      ...{ name: "late", command: `${server} ${taken}`, port: taken },
    });
    const only = `Cannot start service "late": port ${taken} is taken. Give the service another port`;
    assertEquals(unnamed.text, only);
    assertEquals((await client.ok("list-services")).services.length, 2);
  });

  await t.step("stop-service ends it and closes its pane, once", async () => {
    assertEquals(await client.ok("stop-service", { name: "web" }), { service: "web", stopped: true, paneId });
    assertEquals(await client.ok("stop-service", { name: "web" }), { service: "web", stopped: false });
    assertEquals((await client.ok("list-services")).services.length, 1);
    assert(!(await client.ok("list-panes")).panes.some((pane: { id: string }) => pane.id === paneId));
  });

  await t.step("a pane of a person's can't be marked as a service, nor stopped as one", async () => {
    const target = await watching.pane("sleep 600");
    const { code } = await client.fails("set-option", {
      ...{ option: "@tmux_mcp_service", value: "mine", scope: "pane", target },
    });
    assertEquals(code, "denied");
    await world.tmux("set-option", "-p", "-t", target, "@tmux_mcp_service", "mine");
    assertEquals((await client.fails("stop-service", { name: "mine" })).code, "denied");
  });
});

test("a service that needs no port is ready when it is quiet; the filter reads its command", async ({ world, client }) => {
  const quiet = await client.ok("ensure-service", { name: "worker", command: "echo working; sleep 600" });
  assertEquals([quiet.status, quiet.event], ["started", "idle:3"]);
  assertEquals(quiet.output, "working");
  const broken = await client.ok("ensure-service", { name: "broken", command: "sh -c 'exit 4'" });
  assertEquals([broken.status, broken.event, broken.exitCode, broken.ready], ["started", "exit", 4, false]);
  const strict = await world.serve({ args: ["--filter-mode", "allowlist", "--filter-patterns", "^sleep "] });
  const { code } = await strict.fails("ensure-service", { name: "other", command: "rm -rf x" });
  assertEquals(code, "denied");
  const readOnly = await world.serve({ args: ["--safety", "readonly"] });
  assertEquals((await readOnly.fails("stop-service", { name: "worker" })).code, "denied");
  assertEquals((await readOnly.ok("list-services")).services.length, 2);
  for (const each of [strict, readOnly]) await each.client.close();
});

test("calls at once for one service start it once, and the server answers others meanwhile", async ({ client }) => {
  const quiet = { name: "quiet", command: "sleep 600" };
  const patience = { timeout: 20_000 };
  const calls = [1, 2, 3].map(() => client.ok("ensure-service", quiet));
  await client.client.ping(patience);
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  assertEquals(statuses.toSorted(), ["already-running", "already-running", "started"]);
});

test("a service that ends with its pane at once says how, and what it printed", async ({ client }) => {
  for (let index = 0; index < sized({ gate: 3, soak: 8 }); index++) {
    // Without the pause tmux may close the pane before it has read the line: on its own in 1 of 200 panes of 3.6b.
    const command = "echo no license; sleep 0.2; exec sh -c 'exit 3'";
    const { event, exitCode, output, ready } = await client.ok("ensure-service", {
      name: `s${index}`,
      command,
    });
    assertEquals([event, exitCode, output, ready], ["exit", 3, "no license", false]);
  }
});

test("a service that opens its port late is ready from then on, by any port or the one that a call names", async ({ world, client }) => {
  const late = `${world.folder}/late.pl`;
  await Deno.writeTextFile(
    late,
    `use Socket; $| = 1; socket(my $server, PF_INET, SOCK_STREAM, 0);
     $SIG{USR1} = sub { bind($server, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) and listen($server, 5) };
     print "pid $$\n"; sleep 1000 while 1;`,
  );
  const [port, other] = [freePort(), freePort()];
  const plain = { name: "plain", command: `perl ${late} ${port}`, timeout: 20 };
  const patterned = { name: "patterned", command: `perl ${late} ${other}`, pattern: "^never", timeout: 2 };
  const pids = [];
  for (const service of [plain, patterned]) {
    const made = await client.ok("ensure-service", service);
    assertEquals([made.status, made.ready, made.ports], ["started", false, []]);
    pids.push(Number(/^pid (\d+)/m.exec(made.output)![1]));
  }
  const again = async (service: Record<string, unknown>): Promise<unknown> => {
    const { status, ready } = await client.ok("ensure-service", service);
    assertEquals(status, "already-running");
    return ready;
  };
  assertEquals([await again(plain), await again({ ...plain, port })], [false, false]);
  for (const pid of pids) Deno.kill(pid, "SIGUSR1");
  const listed = async (): Promise<{ service: string; ready?: boolean; ports: number[] }[]> =>
    (await client.ok("list-services")).services.filter((each: { service: string }) =>
      ["plain", "patterned"].includes(each.service)
    );
  await until(async () => (await listed()).every(({ ports }) => ports.length === 1));
  assertEquals([await again(plain), await again({ ...plain, port })], [true, true]);
  assertEquals(await again({ ...plain, port: other }), false);
  // Its pattern may have come since.
  assertEquals([await again(patterned), await again({ ...patterned, port: other })], [undefined, true]);
  assertEquals((await listed()).map(({ ready }) => ready), [true, undefined]);
});

test("a service is ready once it has printed its pattern, also if no call waited for that", async ({ world, client, other }) => {
  const [ready, gate] = [`${world.folder}/is-ready`, `${world.folder}/gate`];
  const slow = {
    name: "slow",
    command: `mkfifo ${gate}; read -r line <${gate}; echo "$line"; touch ${ready}; sleep 1000`,
    pattern: "^Ready at",
    timeout: 0,
  };
  assertEquals((await client.ok("ensure-service", slow)).ready, false);
  assertEquals((await client.ok("ensure-service", slow)).ready, undefined);
  await until(() => Deno.stat(gate).then(() => true, () => false));
  await Deno.writeTextFile(gate, "Ready at 80\n");
  await until(() => Deno.stat(ready).then(() => true, () => false));
  const isReady = async (client: TestClient): Promise<boolean> =>
    (await client.ok("ensure-service", slow)).ready === true &&
    (await client.ok("list-services")).services[0].ready === true;
  await until(() => isReady(client));
  const another = await other();
  await until(() => isReady(another));
  assertEquals((await client.ok("ensure-service", { ...slow, pattern: "at 81$" })).ready, undefined);
  assertEquals((await client.ok("ensure-service", { ...slow, pattern: "at 80$" })).ready, true);
});

test("a folder that does not exist creates no session, and ends no service that runs", async ({ world, client }) => {
  for (
    const name of (await client.ok("list-services")).services.map((each: { service: string }) => each.service)
  ) {
    await client.ok("stop-service", { name });
  }
  const service = {
    name: "homeless",
    command: "sleep 600",
    startDirectory: `${world.folder}/none`,
    timeout: 0,
  };
  const refused = await client.fails("ensure-service", service);
  assertEquals(refused.code, "invalid-argument");
  const panes = async (): Promise<string> =>
    await world.tmux("list-panes", "-a", "-F", "#{session_name} #{pane_id}");
  assert(!(await panes().catch(() => "")).includes("tmux-mcp-services"));
  const { paneId } = await client.ok("ensure-service", { ...service, startDirectory: world.folder });
  assertEquals((await panes()).match(/^tmux-mcp-services .*/gm), [`tmux-mcp-services ${paneId}`]);
  const ended = await client.fails("ensure-service", service);
  assertEquals(ended.code, "invalid-argument");
  const { services } = await client.ok("list-services");
  assertEquals(services.map((each: { status: string }) => each.status), ["running"]);
});

test("a new service does not follow another one's window into a session of a person", async ({ world, client, other }) => {
  await world.tmux("new-session", "-d", "-s", "private", "cat");
  const { paneId } = await client.ok("ensure-service", { name: "a", command: "sleep 600", timeout: 0 });
  await world.tmux("move-window", "-s", paneId, "-t", "private:");
  const scoped = await other(...SCOPED);
  const made = await scoped.ok("ensure-service", { name: "b", command: "sleep 600", timeout: 0 });
  const { sessionName } = await client.ok("get-pane-info", { paneId: made.paneId });
  assertEquals(sessionName, "tmux-mcp-services");
});

test("a service that waits in its shell's own read, or leaves its program in the background, runs", async ({ world, client }) => {
  const port = freePort();
  const server = await writeServer(world);
  const services = [
    { name: "asks", command: "read -s -p 'Password: ' x; echo done; sleep 600" },
    { name: "plain", command: "read x; sleep 600" },
    { name: "back", command: `${server} ${port} &`, pattern: "^up" },
    // A question that looks like the prompt to the terminal.
    { name: "edited", command: "read -e x; sleep 600" },
  ];
  for (const service of services) {
    const made = await client.ok("ensure-service", { ...service, timeout: 20 });
    const { pid } = await client.ok("get-pane-info", { paneId: made.paneId });
    await until(async () =>
      service.name !== "back" || (await client.ok("pane-state", { paneId: made.paneId })).listening.length > 0
    );
    const again = await client.ok("ensure-service", { ...service, timeout: 1 });
    assertEquals([service.name, again.status, again.paneId], [service.name, "already-running", made.paneId]);
    assertEquals((await client.ok("get-pane-info", { paneId: made.paneId })).pid, pid);
  }
  const { services: listed } = await client.ok("list-services");
  assertEquals(listed.map((each: { status: string }) => each.status), Array(4).fill("running"));
});

test("a change to a port that is taken leaves the service as it is; the same port of another address is free", async ({ world, client }) => {
  const server = await writeServer(world);
  const port = freePort();
  const web = { name: "web", command: `${server} ${port}`, port, timeout: 20 };
  const { paneId, ports: [{ pid }] } = await client.ok("ensure-service", web);
  using stranger = listenOn("127.0.0.1");
  const taken = stranger.addr.port;
  const changed = { ...web, command: `${server} ${taken}`, port: taken };
  assertEquals((await client.fails("ensure-service", changed)).code, "busy");
  const { services: [{ status, command }] } = await client.ok("list-services");
  assertEquals([status, command], ["running", web.command]);
  const again = await client.ok("ensure-service", { ...web, restart: true });
  assertEquals([again.status, again.paneId, again.ready, again.ports[0].pid !== pid], [
    "restarted",
    paneId,
    true,
    true,
  ]);
  using other = listenOn("127.0.0.2");
  const beside = other.addr.port;
  const made = await client.ok("ensure-service", {
    ...{ name: "beside", command: `${server} ${beside}`, port: beside, timeout: 20 },
  });
  assertEquals([made.status, made.ready], ["started", true]);
});

test("a mark that a person has written hides no service, and its own is started again", async ({ world, client }) => {
  const { paneId } = await client.ok("ensure-service", { name: "good", command: "sleep 600", timeout: 0 });
  const { paneId: odd } = await client.ok("ensure-service", {
    name: "odd",
    command: "sleep 600",
    timeout: 0,
  });
  const start = { command: "sleep 600", startedAt: 5 };
  const marks = [5, { ...start, command: 5 }, { ...start, startedAt: "x" }, { ...start, environment: "A=1" }];
  for (const mark of [...marks, { ...start, port: 1.5 }].map((each) => JSON.stringify(each))) {
    await world.tmux("set-option", "-p", "-t", odd, "@tmux_mcp_service_start", mark);
    const { services } = await client.ok("list-services");
    assertEquals(services.map((each: Record<string, unknown>) => [each.paneId, each.command]), [
      [paneId, "sleep 600"],
      [odd, ""],
    ]);
  }
  const again = await client.ok("ensure-service", { name: "odd", command: "sleep 600", timeout: 0 });
  assertEquals([again.status, again.paneId], ["restarted", odd]);
});

test("a service is restarted though a helper outside of its processes has its port, as docker's has", async ({ world, client }) => {
  const port = freePort();
  const [listen, run] = [`${world.folder}/listen.js`, `${world.folder}/run.sh`];
  await Deno.writeTextFile(listen, `require("net").createServer().listen(${port}, "127.0.0.1");`);
  await Deno.writeTextFile(
    run,
    [
      `(setsid sh -c 'echo $$ >${world.folder}/helper.pid; exec node ${listen}' </dev/null >/dev/null 2>&1 &)`,
      `trap 'kill $(cat ${world.folder}/helper.pid); exit' INT`,
      "while :; do sleep 0.05; done",
    ].join("\n"),
  );
  const isOpen = () => Deno.connect({ port }).then((connection) => (connection.close(), true), () => false);
  await using _ = {
    async [Symbol.asyncDispose](): Promise<void> {
      const pid = Number(await Deno.readTextFile(`${world.folder}/helper.pid`).catch(() => ""));
      if (pid > 0 && await isOpen()) Deno.kill(pid);
    },
  };
  const helped = { name: "helped", command: `sh ${run}`, port, timeout: 1 };
  await client.ok("ensure-service", helped);
  await until(isOpen);
  const again = await client.ok("ensure-service", { ...helped, restart: true });
  assertEquals([again.status, again.reason], ["restarted", "asked"]);
  await client.ok("stop-service", { name: "helped" });
});

test("a service that its command leaves in the background is ready when its port is open", async ({ world, client }) => {
  const server = await writeServer(world);
  // Programs in the background of a subshell outlive the pane.
  const pids = new Set<number>();
  using _ = {
    [Symbol.dispose]: () => pids.forEach((pid) => Deno.kill(pid)),
  };
  for (const [index, form] of ["$ &", "($ &)", "sleep 0.3 && $ &"].entries()) {
    const [asked, any] = [freePort(), freePort()];
    const command = (port: number) => form.replace("$", `${server} ${port}`);
    const named = { name: `named${index}`, command: command(asked), port: asked, timeout: 20 };
    const made = await client.ok("ensure-service", named);
    assertEquals([made.status, made.ready, made.event], ["started", true, `port:${asked}`]);
    assertEquals(made.ports.map(({ port }: { port: number }) => port), [asked]);
    pids.add(made.ports[0].pid);
    const again = await client.ok("ensure-service", named);
    assertEquals([again.status, again.ready], ["already-running", true]);
    const plain = { name: `plain${index}`, command: command(any), timeout: 20 };
    const { event, ready, ports } = await client.ok("ensure-service", plain);
    pids.add(ports[0].pid);
    assertEquals([event, ready], ["port", true]);
  }
  const patterned = { name: "patterned", command: `${server} ${freePort()} &`, pattern: "^up" };
  const { event, detail } = await client.ok("ensure-service", patterned);
  assertEquals(event, "exit");
  assertMatch(detail, /in the foreground/);
  const over = await client.ok("ensure-service", {
    name: "over",
    command: "true",
    port: freePort(),
    timeout: 600,
  });
  assertEquals([over.event, over.ready], ["exit", false]);
});

test("a background program is waited for from the end of its command on, however long that worked", async ({ world, client }) => {
  const server = await writeServer(world);
  const port = freePort();
  const command = `for i in 1 2 3; do echo $i; sleep 1.1; done; (sleep 0.5; exec ${server} ${port}) &`;
  const made = await client.ok("ensure-service", { name: "built", command, timeout: 20 });
  assertEquals([made.event, made.ready], ["port", true]);
  Deno.kill(made.ports[0].pid);
});

test("what a shell's start-up leaves in the background is no program of the service", async ({ world, client }) => {
  const profile = `${world.folder}/profile.sh`;
  await Deno.writeTextFile(
    profile,
    `sleep 0.3; sleep 600 & disown; echo $! >>${world.folder}/pids; sleep 0.1\n`,
  );
  await using _ = { [Symbol.asyncDispose]: () => endListed(`${world.folder}/pids`) };
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
  const request = { command: "true", timeout: 600 };
  const ported = await client.ok("ensure-service", { ...request, name: "ported", port: freePort() });
  assertEquals([ported.event, ported.ready], ["exit", false]);
  const patterned = await client.ok("ensure-service", { ...request, name: "patterned", pattern: "READY" });
  assertEquals(patterned.detail, ported.detail);
});

test("a service that leaves its pane is named, with what to do", async ({ world, client }) => {
  const server = await writeServer(world);
  const port = freePort();
  const command =
    `setsid sh -c '${server} ${port} & echo $! >${world.folder}/daemon.pid' </dev/null >/dev/null 2>&1; ` +
    untilOpen(port);
  await using _ = {
    async [Symbol.asyncDispose](): Promise<void> {
      Deno.kill(Number(await Deno.readTextFile(`${world.folder}/daemon.pid`)));
    },
  };
  const made = await client.ok("ensure-service", { name: "daemon", command, port, timeout: 20 });
  assertEquals([made.event, made.ready], ["exit", false]);
  assertMatch(
    made.detail,
    new RegExp(`perl \\(pid \\d+\\) listens on port ${port} outside of its pane: start it in the foreground`),
  );
});

test("a program in a pane out of scope is not named by the service that started it", async ({ world, other }) => {
  const server = await writeServer(world);
  const port = freePort();
  const scoped = await other(...SCOPED);
  // A login shell would take the system's tmux, which a server of tmux 3.6 refuses if it is older.
  const command = `PATH='${world.env.PATH}' tmux new-session -d -s private '${server} ${port}'; ` +
    untilOpen(port);
  const made = await scoped.ok("ensure-service", { name: "elsewhere", command, port, timeout: 20 });
  assertEquals([made.event, made.ready], ["exit", false]);
  assertMatch(made.detail, new RegExp(`but a program listens on port ${port} outside of its pane`));
});

test("another program in the pane of a service that has ended is not the service, and is kept", async ({ world, client, other: another }) => {
  const server = await writeServer(world);
  const port = freePort();
  const web = { name: "web", command: `${server} ${port}`, port, timeout: 20 };
  const { paneId, ports: [{ pid }] } = await client.ok("ensure-service", web);
  const status = async (): Promise<string> => (await client.ok("list-services")).services[0].status;
  await world.tmux("send-keys", "-t", paneId, "C-c");
  await until(async () => await status() === "ended");
  const other = freePort();
  await client.ok("start-and-watch", { paneId, command: `${server} ${other}`, triggers: `port:${other}` });
  for (const each of [client, await another()]) {
    assertEquals((await each.ok("list-services")).services[0].status, "ended");
    for (const command of [web.command, "sleep 600"]) {
      const { code, text } = await each.fails("ensure-service", { ...web, command });
      assertEquals(code, "busy");
      assertMatch(text, new RegExp(`"web": it has ended, and perl now runs in its pane ${paneId}`));
    }
  }
  assertEquals((await client.fails("stop-service", { name: "web" })).code, "busy");
  const again = await client.ok("ensure-service", { ...web, restart: true });
  assertEquals([again.status, again.reason, again.ready], ["restarted", "ended", true]);
  assert(again.ports[0].pid !== pid);
});

test("a person's program in front of a service in the background is kept, unless a restart is asked for", async ({ world, client }) => {
  const server = await writeServer(world);
  const port = freePort();
  const web = { name: "web", command: `${server} ${port} &`, port, timeout: 20 };
  const { paneId } = await client.ok("ensure-service", web);
  await world.tmux("send-keys", "-t", paneId, "cat", "Enter");
  const inFront = async (): Promise<string> => (await client.ok("pane-state", { paneId })).foregroundCmd;
  await until(async () => await inFront() === "cat");
  assertEquals((await client.ok("list-services")).services[0].status, "running");
  assertEquals((await client.ok("ensure-service", web)).status, "already-running");
  const other = freePort();
  const changed = { ...web, command: `${server} ${other} &`, port: other };
  const refusals = [
    await client.fails("ensure-service", changed),
    await client.fails("stop-service", { name: "web" }),
  ];
  for (const { code, text } of refusals) {
    assertEquals(code, "busy");
    assertMatch(text, new RegExp(`"web": it runs in the background, and cat now runs in its pane ${paneId}`));
  }
  assertEquals(await inFront(), "cat");
  const again = await client.ok("ensure-service", { ...changed, restart: true });
  assertEquals([again.status, again.ready], ["restarted", true]);
});

test("a service that has ended is not taken for running once its command's record is gone", async ({ world, client, other }) => {
  const forgetful = await other(...FORGETFUL);
  const { paneId } = await forgetful.ok("ensure-service", { name: "web", command: "true" });
  for (const _ of [1, 2]) await forgetful.ok("execute-command", { paneId, command: "true" });
  await world.tmux("send-keys", "-t", paneId, "cat", "Enter");
  await until(async () => (await client.ok("pane-state", { paneId })).foregroundCmd === "cat");
  for (const each of [forgetful, client]) {
    assertEquals((await each.ok("list-services")).services[0].status, "ended");
    assertEquals((await each.fails("stop-service", { name: "web" })).code, "busy");
  }
});

test("a service that a person ended is known to have ended once its command's record is gone", async ({ world, other }) => {
  const client = await other(...FORGETFUL);
  const web = { name: "web", command: "sleep 600", timeout: 0 };
  const { paneId, commandId } = await client.ok("ensure-service", web);
  await world.tmux("send-keys", "-t", paneId, "C-c");
  assertEquals((await client.commandResult(commandId)).status, "completed");
  for (const _ of [1, 2]) await client.ok("execute-command", { paneId, command: "true" });
  await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  await world.tmux("send-keys", "-t", paneId, "cat", "Enter");
  await until(async () => (await client.ok("pane-state", { paneId })).foregroundCmd === "cat");
  assertEquals((await client.ok("list-services")).services[0].status, "ended");
  assertEquals((await client.fails("stop-service", { name: "web" })).code, "busy");
});

test("a service whose restart waits for its port is not started again by another server", async ({ world, client, other: another }) => {
  const port = freePort();
  const web = { name: "web", command: "trap '' INT; sleep 600", port, timeout: 0 };
  const { paneId } = await client.ok("ensure-service", web);
  const other = await another();
  const panePid = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_pid}");
  const before = await panePid();
  const holder = listenOn("127.0.0.1", port);
  const first = client.ok("ensure-service", { ...web, restart: true });
  await until(async () => await panePid() !== before);
  const second = other.ok("ensure-service", web);
  // The other server has looked at the service by then.
  await other.ok("get-pane-info", { paneId });
  holder.close();
  assertEquals([(await first).status, (await second).status], ["restarted", "already-running"]);
});

test("a restart that is cancelled leaves the running service's own command in its mark", async ({ client }) => {
  const web = { name: "web", command: "trap '' INT; sleep 600", timeout: 0 };
  const { paneId } = await client.ok("ensure-service", web);
  const listed = async (): Promise<string> => (await client.ok("list-services")).services[0].command;
  const cancelling = new AbortController();
  const cut = client.call("ensure-service", { ...web, command: "sleep 500" }, { signal: cancelling.signal });
  await until(async () => await listed() === "sleep 500");
  cancelling.abort();
  await cut.catch(() => {});
  await until(async () => await listed() === web.command);
  const again = await client.ok("ensure-service", web);
  assertEquals([again.status, again.paneId], ["already-running", paneId]);
});

test("a first start that is cancelled before its command begins leaves no pane", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const profile = `${world.folder}/slow.sh`;
  // Without a program, which could begin as its shell is ended, and stay.
  await Deno.writeTextFile(profile, "while :; do :; done\n");
  await world.tmux("set-option", "-g", "default-command", `exec bash --rcfile ${profile}`);
  const cancelling = new AbortController();
  const slow = { name: "slow", command: "sleep 600", timeout: 20 };
  const cut = client.call("ensure-service", slow, { signal: cancelling.signal });
  await until(async () => (await client.ok("list-services")).services.length === 1);
  cancelling.abort();
  await cut.catch(() => {});
  await until(async () => (await client.ok("list-services")).services.length === 0);
});

test("a service of a user whose shell takes no commands runs in bash, also when it is restarted", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const tcsh = "/usr/bin/tcsh";
  await world.tmux("set-option", "-g", "default-shell", tcsh);
  const web = { name: "web", command: "echo $0 in $PWD; sleep 600", pattern: " in ", timeout: 20 };
  const first = await client.ok("ensure-service", { ...web, startDirectory: world.folder });
  assertEquals([first.status, first.output], ["started", `bash in ${world.folder}`]);
  const again = await client.ok("ensure-service", { ...web, restart: true });
  assertEquals([again.status, again.output, again.paneId], ["restarted", first.output, first.paneId]);
  // The pane in which its own shell was tried is gone.
  const panes = await world.tmux("list-panes", "-s", "-t", "=tmux-mcp-services", "-F", "#{pane_id}");
  assertEquals(panes.trim(), first.paneId);
});

for (const step of ["new-session", "new-window"]) {
  test(`a first start that is cancelled during its ${step} leaves no pane`, async ({ world, client }) => {
    await world.tmux("new-session", "-d", "-s", "keep", "cat");
    const [begun, gate] = [`${world.folder}/${step}`, `${world.folder}/${step}.gate`];
    await world.tmux(
      ...["set-hook", "-g", `after-${step}`],
      `set-hook -gu after-${step} ; run-shell "touch ${begun}; until [ -e ${gate} ]; do sleep 0.05; done"`,
    );
    const cancelling = new AbortController();
    const web = { name: "web", command: "sleep 600", timeout: 20 };
    const cut = client.call("ensure-service", web, { signal: cancelling.signal });
    await until(() => Deno.stat(begun).then(() => true, () => false));
    cancelling.abort();
    await cut.catch(() => {});
    // Its wait is over before this call is answered.
    await client.ok("list-services");
    await Deno.writeTextFile(gate, "");
    const sessions = () => world.tmux("list-sessions", "-F", "#{session_name}");
    await until(async () => (await sessions()).trim() === "keep");
  });
}

test("a service that a failed restart has ended is known to have ended without its command's record", async ({ world, client }) => {
  const forgetful = await world.serve({ args: ["--no-durable"] });
  const web = { name: "web", command: "sleep 600", port: freePort(), timeout: 0 };
  const { paneId } = await forgetful.ok("ensure-service", web);
  // Without attaching, a pane is read by one server at a time.
  await forgetful.client.close();
  using _ = listenOn("127.0.0.1", web.port);
  assertEquals((await client.fails("ensure-service", { ...web, restart: true })).code, "busy");
  await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  await world.tmux("send-keys", "-t", paneId, "cat", "Enter");
  await until(async () => (await client.ok("pane-state", { paneId })).foregroundCmd === "cat");
  assertEquals((await client.ok("list-services")).services[0].status, "ended");
});

test("a call whose service another server restarts does not mark that as its own", async ({ world, client, other: another }) => {
  // A watch with tmux before 3.3 misses an end just before the pane's respawn.
  if (!await world.isTmux(3, 3)) return;
  const web = { name: "web", command: "sleep 600", port: freePort(), timeout: 20 };
  const mark = () => world.tmux("list-panes", "-a", "-F", "#{@tmux_mcp_service_start}").catch(() => "");
  const first = client.ok("ensure-service", web);
  await until(async () => (await mark()).includes('"commandId"'));
  const other = await another();
  const holder = listenOn("127.0.0.1", web.port);
  const second = other.ok("ensure-service", { ...web, command: "sleep 500", timeout: 0 });
  assertEquals((await first).event, "exit");
  assertMatch(await mark(), /"sleep 500"/);
  holder.close();
  assertEquals((await second).status, "restarted");
  const { services } = await client.ok("list-services");
  assertEquals([services[0].command, services[0].status], ["sleep 500", "running"]);
});

test("a service whose pane closes while services are listed is left out", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const up = { command: "echo up; exec sleep 1000", pattern: "^up" };
  await client.ok("ensure-service", { name: "stays", ...up });
  const { paneId } = await client.ok("ensure-service", { name: "closes", ...up });
  await world.tmux("set-hook", "-g", "after-list-panes", `kill-pane -t ${paneId}`);
  const { services } = await client.ok("list-services");
  await world.tmux("set-hook", "-gu", "after-list-panes");
  assertEquals(services.map(({ service }: { service: string }) => service), ["stays"]);
});

test("a service whose pane closes during a call is started again, or has been stopped", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const closing = { name: "closing", command: "echo up; exec sleep 1000", pattern: "^up", timeout: 20 };
  const closeOnListing = async (paneId: string, count: number): Promise<void> => {
    await world.tmux("set-option", "-g", "@lists", "0");
    const close = `if -F "#{==:#{@lists},${count}}" "kill-pane -t ${paneId}"`;
    const hook = `set -gF @lists "#{e|+:#{@lists},1}" ; ${close}`;
    await world.tmux("set-hook", "-g", "after-list-panes", hook);
  };
  for (const count of [1, 2]) {
    await closeOnListing((await client.ok("ensure-service", closing)).paneId, count);
    const again = await client.ok("ensure-service", closing);
    assertEquals([again.status, again.ready], ["started", true]);
  }
  for (const count of [1, 2, 3, 4]) {
    await closeOnListing((await client.ok("ensure-service", closing)).paneId, count);
    assertEquals((await client.ok("stop-service", { name: "closing" })).service, "closing");
    assertEquals((await client.ok("list-services")).services, []);
  }
});

test("the end of the last service, and of its session, does not fail a call that starts another", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await client.ok("ensure-service", { name: "last", command: "sleep 600", timeout: 0 });
  await world.tmux(
    ...["set-hook", "-g", "after-list-sessions"],
    "set-hook -gu after-list-sessions ; kill-session -t =tmux-mcp-services",
  );
  const made = await client.ok("ensure-service", { name: "next", command: "sleep 600", timeout: 0 });
  assertEquals(made.status, "started");
  const { services } = await client.ok("list-services");
  assertEquals(services.map((each: { service: string }) => each.service), ["next"]);
});

test("a service's window is made once, though the session's first window ends by itself", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await world.tmux(
    ...["set-hook", "-g", "after-new-window"],
    "set-hook -gu after-new-window ; kill-window -t tmux-mcp-services:^",
  );
  const { paneId } = await client.ok("ensure-service", { name: "one", command: "sleep 600", timeout: 0 });
  const panes = await world.tmux("list-panes", "-s", "-t", "=tmux-mcp-services", "-F", "#{pane_id}");
  assertEquals(panes.trim(), paneId);
});

test("a service starts where a hook gives new windows a name", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await world.tmux("set-hook", "-g", "after-new-window", "rename-window other");
  const { paneId } = await client.ok("ensure-service", { name: "one", command: "sleep 600", timeout: 0 });
  await world.tmux("set-hook", "-gu", "after-new-window");
  const panes = await world.tmux("list-panes", "-s", "-t", "=tmux-mcp-services", "-F", "#{pane_id}");
  assertEquals(panes.trim(), paneId);
});

test("a service that several servers restart at once is restarted by one after the other", async ({ world, client, other }) => {
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  const servers = [client, await other(), await other()];
  const web = { name: "web", command: "echo up; sleep 600", pattern: "^up$", timeout: 20 };
  await client.ok("ensure-service", web);
  const restarted = await Promise.all(
    servers.map((server) => server.ok("ensure-service", { ...web, restart: true })),
  );
  const up = { status: "restarted", event: "pattern:^up$", ready: true };
  for (const { status, event, ready } of restarted) assertEquals({ status, event, ready }, up);
  const { services } = await client.ok("list-services");
  assertEquals(services.map((each: { status: string }) => each.status), ["running"]);
});
