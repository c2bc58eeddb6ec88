import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { OtherClient } from "../support/other_client.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("tmux servers");
const testDestructive = inTurnOnOneServer(
  "tmux servers that may be ended",
  (world) => world.serve({ args: ["--safety", "destructive"] }),
);

testDestructive("no server running: lists are empty, ids are not found", async ({ world, client }) => {
  for (
    const [tool, key] of [["sessions"], ["windows"], ["panes"], ["clients"], ["buffers"]].map(([what]) => [
      `list-${what}`,
      what!,
    ])
  ) {
    assertEquals(await client.ok(tool!), { [key!]: [] });
  }
  assertEquals(await client.ok("list-servers"), { servers: [] });
  assertEquals(await client.ok("find-session", { name: "*" }), { sessions: [] });
  assertEquals(await client.ok("show-hooks"), { hooks: [] });
  const info = await client.ok("get-server-info");
  assertMatch(info.version, /^(next-)?\d+\.\d+/);
  assertEquals(info, { alive: false, version: info.version, socketPath: world.socket, sessions: 0 });
  const calls: [string, Record<string, unknown>][] = [
    ["get-current-session", {}],
    ["get-pane-info", { paneId: "%0" }],
    ["kill-window", { windowId: "@0" }],
    ["kill-session", { sessionId: "$0" }],
    ["kill-session", { sessionId: "x" }],
    ["send-keys", { paneId: "%0", keys: "x" }],
    ["send-enter", { paneId: "%0" }],
    ["delete-buffer", { name: "x" }],
    ["kill-server", {}],
    ["signal-channel", { channel: "x" }],
    ["wait-for-channel", { channel: "x" }],
    ["show-hooks", { scope: "pane", target: "%0" }],
  ];
  for (const [tool, args] of calls) {
    assertEquals([tool, (await client.fails(tool, args)).code], [tool, "not-found"]);
  }
});

test("a socket that no server could have is refused, and one with an odd name is only missing", async ({ world, client }) => {
  const cases: [socket: string, hint: RegExp][] = [
    ["x".repeat(200), /path is too long\. Use a shorter name, or set TMUX_TMPDIR to a shorter path$/],
    [`${world.folder}/${"y".repeat(200)}`, /path is too long\. Use a shorter path, or a name$/],
  ];
  for (const [socket, says] of cases) {
    for (const tool of ["list-sessions", "create-session"]) {
      const { code, text } = await client.fails(tool, { socket });
      assertEquals(code, "invalid-argument");
      assertMatch(text, says);
    }
  }
  assertEquals(await client.ok("list-sessions", { socket: "two\nlines" }), { sessions: [] });
  const { servers } = await client.ok("list-servers", { extraSocketPaths: [`/${"z".repeat(200)}`] });
  assertEquals(servers, []);
});

testDestructive("the server is described, found among others, and ended", async ({ world, client }) => {
  await client.ok("create-session", { name: "a" });
  await client.ok("create-session", { name: "b" });
  const info = await client.ok("get-server-info");
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  assertEquals(info, { alive: true, version: info.version, pid, socketPath: world.socket, sessions: 2 });

  await client.ok("create-session", { name: "c", socket: "named" });
  const extra = [world.socket, `${world.folder}/none`];
  const { servers } = await client.ok("list-servers", { extraSocketPaths: JSON.stringify(extra) });
  assertEquals(servers.map(({ sessions }: { sessions: number }) => sessions), [1, 2]);
  assertEquals(servers[1], { ...info, socket: world.socket });
  assertMatch(servers[0].socket, /\/tmux-\d+\/named$/);
  assertEquals((await client.ok("list-sessions", { socket: servers[0].socket })).sessions[0].name, "c");

  assertEquals(await client.ok("kill-server", { socket: "named" }), { killed: "named" });
  assertEquals(await client.ok("list-servers"), { servers: [] });
  assertEquals((await client.ok("list-sessions")).sessions.length, 2);
});

test("a server without sessions is described, and found among others", async ({ world, client }) => {
  await world.tmux("start-server", ";", "set-option", "-s", "exit-empty", "off");
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  const info = await client.ok("get-server-info");
  assertEquals(info, { alive: true, version: info.version, pid, socketPath: world.socket, sessions: 0 });
  const { servers } = await client.ok("list-servers", { extraSocketPaths: [world.socket] });
  assertEquals(servers, [{ ...info, socket: world.socket }]);
  const { code, text } = await client.fails("get-pane-info", { paneId: "%0" });
  assertEquals(code, "not-found");
  assertStringIncludes(text, `The tmux server on "${world.socket}" has no session`);
  assertEquals((await client.ok("create-session", { name: "first" })).created, true);
  assertEquals((await client.ok("get-server-info")).sessions, 1);
});

test("clients of another server of this program are nobody's terminals", async ({ world, client, other: another }) => {
  const other = await another();
  const { sessionId, paneId } = await client.ok("create-session", { command: "cat" });
  await other.ok("watch-pane", { paneId, triggers: "bell", background: true });
  if (await world.attaches()) await until(async () => await world.tmux("list-clients") !== "");
  assertEquals((await client.ok("get-session-info", { sessionId })).attached, false);
  assertEquals(await client.ok("list-clients"), { clients: [] });
});

testDestructive(
  "sessions are found by name or pattern, and the current one is the last attached",
  async ({ world, client }) => {
    for (const name of ["dev", "develop", "d.x".replace(".", "+"), "other"]) {
      await client.ok("create-session", { name });
    }
    const find = async (name: string): Promise<string[]> =>
      (await client.ok("find-session", { name })).sessions.map((session: { name: string }) => session.name);
    assertEquals(await find("dev"), ["dev"]);
    assertEquals((await find("dev*")).sort(), ["dev", "develop"]);
    assertEquals(await find("d??"), ["d+x", "dev"]);
    assertEquals(await find("d+x"), ["d+x"]);
    assertEquals(await find("none"), []);
    await client.ok("create-session", { name: "a".repeat(60) });
    assertEquals(await find(`${"*a".repeat(12)}b`), [], "A pattern that backtracks");
    assertEquals((await client.fails("find-session", { name: "a".repeat(70_000) })).code, "invalid-argument");

    await using person = await OtherClient.attach(world, "develop");
    assertEquals((await client.ok("get-current-session")).name, "develop");
    const info = await client.ok("get-session-info", { sessionId: "develop" });
    assertEquals([info.attached, info.windows], [true, 1]);

    const { clients } = await client.ok("list-clients");
    assertEquals(clients.map(({ pid: _pid, ...rest }: Record<string, unknown>) => rest), [
      { tty: "", name: clients[0].name, sessionName: "develop", attached: true, readOnly: false },
    ]);
    assertEquals((await client.fails("detach-client", { clientTty: "/dev/pts/none" })).code, "not-found");
    const gone = { detached: clients[0].name };
    assertEquals(await client.ok("detach-client", { clientTty: clients[0].name }), gone);
    await person.ended;
    assertEquals(await client.ok("list-clients"), { clients: [] });
    assertMatch(
      await client.ok("display-message", { message: "x" }),
      /^No client is attached/,
    );
  },
);

test("socket-for-path hashes a path as it is written, without the slashes that end it", async ({ client }) => {
  const paths: [string, string][] = [
    ["/abs/path/to/project", "0abca8819bfe47ea"],
    ["/Users/example/project", "88c9c4a503b28401"],
    ["/Users/example/project/", "88c9c4a503b28401"],
    ["/Users/example/project//", "88c9c4a503b28401"],
    ["/", "af63a24c860189fe"],
    ["a", "af63dc4c8601ec8c"],
  ];
  for (const [path, hash] of paths) {
    assertEquals(await client.ok("socket-for-path", { path }), { path, socket: `/tmp/${hash}.sock` });
  }
  assertEquals((await client.ok("socket-for-path", { path: " / " })).socket, "/tmp/af63a24c860189fe.sock");
  assertEquals((await client.fails("socket-for-path", { path: " " })).code, "invalid-argument");
});

test("channels: a signal wakes a wait, one that came before counts, a timeout swallows none", async ({ world, client }) => {
  await client.ok("create-session", { name: "c" });
  const wait = async (timeout: number, channel = "-done"): Promise<boolean> =>
    (await client.ok("wait-for-channel", { channel, timeout })).signalled;
  assertEquals(await client.ok("signal-channel", { channel: "-done" }), { channel: "-done" });
  assertEquals(await wait(10), true);
  assertEquals(await wait(0.05), false);
  assertEquals(await wait(0), false);
  const woken: boolean[] = [];
  const both = Promise.all([1, 2].map(async () => woken.push(await wait(20, "-both"))));
  await until(async () => {
    await world.tmux("wait-for", "-S", "--", "-both");
    return woken.length === 2;
  });
  await both;
  assertEquals(woken, [true, true]);

  assertEquals(await wait(0.05), false);
  await client.ok("signal-channel", { channel: "-done" });
  assertEquals(await wait(20), true, "our own next wait gets it");
  assertEquals(await wait(0.05), false);
  await world.tmux("wait-for", "-S", "--", "-done");
  await world.tmux("wait-for", "--", "-done");
  for (let left = 2; left > 0; left--) await client.ok("signal-channel", { channel: "-done" });
  assertEquals(await wait(20), true, "a second signal does not take the first one back");
  assertEquals((await client.fails("wait-for-channel", { channel: "a b" })).code, "invalid-argument");

  const ending = client.fails("wait-for-channel", { channel: "x", timeout: 20 });
  await world.tmux("kill-server");
  assert(["gone", "not-found"].includes((await ending).code));
});

test("pipe-pane with null leaves the pipe alone that a running command's output goes through", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "exec bash --norc" });
  const pipes = async (): Promise<boolean> =>
    (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}")).trim() === "1";
  const command = "for i in 1 2 3; do read -r; seq 100; done";
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true });
  await until(pipes);
  await client.ok("send-enter", { paneId });
  assertEquals(await client.ok("pipe-pane", { paneId, outputPath: null }), { paneId, piping: false });
  assert(await pipes());
  await client.ok("send-enter", { paneId });
  await client.ok("send-enter", { paneId });
  const { status, totalLines, outputTruncated } = await client.commandResult(commandId);
  assertEquals([status, totalLines, outputTruncated], ["completed", 303, undefined]);
  await until(async () => !await pipes());
  await client.ok("pipe-pane", { paneId, outputPath: "log" });
  assert(await pipes());
  await client.ok("pipe-pane", { paneId, outputPath: null });
  assertEquals(await pipes(), false);
});

test("pipe-pane copies what a pane prints to a private file whose name is never expanded", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "p", command: "cat" });
  for (const name of ["plain", "it's #(touch HIT) #{pid} %H; $HOME é", "-x"]) {
    const outputPath = `${world.folder}/${name}`;
    await Deno.writeTextFile(outputPath, "before\n");
    for (const append of [true, false]) {
      assertEquals(await client.ok("pipe-pane", { paneId, outputPath, append }), {
        paneId,
        outputPath,
        piping: true,
      });
      const word = `append-${append}`;
      await client.ok("send-keys", { paneId, keys: word, enter: true });
      await until(async () => (await Deno.readTextFile(outputPath)).includes(word));
      assertEquals((await Deno.readTextFile(outputPath)).startsWith("before\n"), append);
    }
    assertEquals(await client.ok("pipe-pane", { paneId, outputPath: null }), { paneId, piping: false });
  }
  const fresh = `${world.folder}/fresh`;
  await client.ok("pipe-pane", { paneId, outputPath: fresh });
  assertEquals((await Deno.stat(fresh)).mode! & 0o777, 0o600);
  const named = await client.ok("pipe-pane", { paneId, outputPath: "relative" });
  assertEquals(named.outputPath, `${world.folder}/relative`);
  assertEquals(
    (await client.fails("pipe-pane", { paneId, outputPath: `${world.folder}/no/x` })).code,
    "not-found",
  );
  assertEquals((await client.fails("pipe-pane", { paneId })).code, "invalid-argument");
});

test("a pane whose program has ended has no output to copy", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "p", command: "cat" });
  await world.tmux("set-option", "-g", "remain-on-exit", "on");
  await client.ok("send-eof", { paneId });
  await client.ok("watch-pane", { paneId, triggers: "exit" });
  const { code, text } = await client.fails("pipe-pane", { paneId, outputPath: `${world.folder}/log` });
  assertEquals([code, /^Cannot copy the output of pane "%0": its program has ended\. /.test(text)], [
    "gone",
    true,
  ]);
  assertEquals(await client.ok("pipe-pane", { paneId, outputPath: null }), { paneId, piping: false });
});

test("a pane that takes no keys can be piped and have its options set", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "p", command: "cat" });
  const use = async (): Promise<void> => {
    const outputPath = `${world.folder}/log`;
    assertEquals((await client.ok("pipe-pane", { paneId, outputPath })).piping, true);
    assertEquals((await client.ok("pipe-pane", { paneId, outputPath: null })).piping, false);
    await client.ok("set-option", { option: "@mine", value: "#(true)", scope: "pane", target: paneId });
    assertEquals((await client.fails("send-enter", { paneId })).code, "busy");
  };
  await world.tmux("copy-mode", "-t", paneId);
  await use();
  await world.tmux("send-keys", "-X", "-t", paneId, "cancel");
  await world.tmux("select-pane", "-d", "-t", paneId);
  await use();
});

test("display-message shows text as it is", async ({ world, client }) => {
  await client.ok("create-session", { name: "d", width: 100, height: 10 });
  // A terminal inside another pane, to see what a person would see.
  await world.tmux(
    "new-session",
    "-d",
    "-s",
    "outer",
    "-x",
    "120",
    "-y",
    "12",
    `TMUX= tmux -S ${world.socket} attach -t =d`,
  );
  await until(async () => (await client.ok("list-clients")).clients.length > 0);
  const message = "#(touch HIT) #{pid} %H #[fg=red]x ## end;";
  const outer = (await client.ok("list-panes", { sessionId: "outer" })).panes[0].id;
  if (await world.isTmux(3, 3)) {
    assertEquals(await client.ok("display-message", { message, duration: 60 }), "Message displayed");
    await until(async () =>
      (await client.ok("capture-pane", { paneId: outer })).split("\n").at(-1) === message
    );
  } else {
    const refused = await client.fails("display-message", { message, duration: 60 });
    assertEquals([refused.code, /write-to-display/.test(refused.text)], ["unsupported", true], refused.text);
  }
  assertMatch(
    await client.ok("display-message", { message, paneId: outer }),
    /^No client is attached/,
  );
});
