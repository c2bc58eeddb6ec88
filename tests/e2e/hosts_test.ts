// tmux on another machine: the primitives with `host`, over one connection, and what is said when it cannot be had.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Notices } from "../support/notices.ts";
import { Far, onOneHost, remoteTest } from "../support/remote.ts";
import { launch } from "../support/launched.ts";
import { World } from "../support/world.ts";

const host = "far";

/** By a forwarded socket, and by a client of its own for each batch where forwarding is not allowed. */
const WAYS = { "a forwarded socket": [], "clients over there": ["AllowStreamLocalForwarding no"] };

for (const [way, lines] of Object.entries(WAYS)) {
  const test = onOneHost(`tools on a host, through ${way}`, { lines });

  test("they work as they do here", async ({ remote, client }) => {
    assertEquals(await client.ok("list-sessions", { host }), { sessions: [] });
    const { alive, host: named, version } = await client.ok("get-server-info", { host });
    assertEquals([alive, named], [false, "far"]);
    assertEquals((await client.ok("get-server-info", {})).version, version);
    const startDirectory = remote.world.folder;
    const { paneId } = await client.ok("create-session", {
      host,
      name: "work",
      command: "cat",
      startDirectory,
    });
    assertEquals((await remote.tmux("list-sessions", "-F", "#{session_name}")).trim(), "work");
    assertEquals(await client.ok("list-sessions", {}), { sessions: [] });
    const { currentPath } = await client.ok("get-pane-info", { host, paneId });
    assertEquals(currentPath, await Deno.realPath(startDirectory));
    await client.ok("send-keys", { host, paneId, keys: "hello", literal: true, enter: true });
    await client.ok("wait-for-text", { host, paneId, pattern: "hello", timeout: 20 });
    const info = await client.ok("get-server-info", { host });
    assertEquals([info.alive, info.sessions, info.host], [true, 1, "far"]);
    await client.ok("create-session", { host, name: "later", command: "cat" });
    // tmux updates it from the environment of its client, as the socket of a forwarded agent.
    const updated = await remote.tmux("show-environment", "-t", "=later", "SSH_CONNECTION");
    assertMatch(updated, /^SSH_CONNECTION=\S/);
    const { servers } = await client.ok("list-servers", { host });
    assertEquals(servers.map((row: { socket: string }) => row.socket), [
      `${startDirectory}/far/tmux-0/default`,
    ]);
    const refused = await client.fails("create-window", {
      host,
      sessionId: "work",
      startDirectory: "/no/where",
    });
    assertMatch(refused.text, /folder does not exist/);
    const socket = `${startDirectory}/notes`;
    await Deno.writeTextFile(socket, "kept");
    assertMatch((await client.fails("create-session", { host, socket })).text, /not a socket/);
    assertEquals(await Deno.readTextFile(socket), "kept");
    await client.ok("write-to-display", { host, paneId, text: "shown" });
    assertMatch(await remote.tmux("capture-pane", "-p", "-t", paneId), /^shown$/m);
    assertEquals((await client.fails("get-pane-info", { host, paneId: "%99" })).code, "not-found");
  });

  remoteTest(`what a login shell prints at its start is no output of tmux, through ${way}`, async () => {
    const noise = "%noise";
    const env = async (folder: string) => {
      await Deno.writeTextFile(`${folder}/far/.bashrc`, `echo first; printf ${noise}; echo ${noise} >&2\n`);
      return { SHLVL: "0" };
    };
    await using remote = await Far.create({ lines, env });
    const client = await remote.serve(["--search-streaming-threshold-bytes", "1000"]);
    // In a server that a login shell over there starts, bash reads ~/.bashrc for the commands of panes too.
    const size = ["-x", "80", "-y", "2"];
    await remote.tmux("new-session", "-d", ...size, "printf shown; exec cat");
    const { panes: [{ id: paneId }] } = await client.ok("list-panes", { host });
    await client.ok("wait-for-text", { host, paneId, pattern: "shown", timeout: 20 });
    assertEquals(await client.ok("capture-pane", { host, paneId }), "shown");
    await remote.tmux("set-option", "-g", "@mine", "value");
    const { value } = await client.ok("show-option", { host, option: "@mine", global: true });
    assertEquals(value, "value");
    const content = `${"x".repeat(5000)}needle`;
    await client.ok("set-buffer", { host, name: "large", content });
    assertEquals(await client.ok("show-buffer", { host, name: "large" }), content);
    const search = async (query: string): Promise<number[]> => {
      const { matches } = await client.ok("search-buffer", { host, buffer: "large", query });
      return matches.map(({ offsetBytes }: { offsetBytes: number }) => offsetBytes);
    };
    assertEquals([await search("noise"), await search("needle")], [[], [5000]]);
    let split = await client.call("split-pane", { host, paneId });
    while (!split.isError) split = await client.call("split-pane", { host, paneId });
    const why = split.content[0]?.text ?? "";
    assertMatch(why, /no space for (a )?new pane/);
    assert(!why.includes("noise"), why);
  });

  test("awkward text arrives as it was", async ({ client }) => {
    await client.ok("create-session", { host, name: "work", command: "cat" });
    const bytes = Array.from({ length: 255 }, (_, code) => String.fromCharCode(code + 1)).join("");
    const texts = [bytes, "a\nb\n", "';`id`$(id)\"\\", "-n", ";", "a;", "é 日本", "x".repeat(50_000)];
    for (const content of texts) {
      await client.ok("set-buffer", { host, name: "b", content });
      const buffer = await client.ok("show-buffer", { host, name: "b" });
      assertEquals(buffer.content ?? buffer, content);
    }
    for (
      const name of ["it's", "x$(id)", "x`id`", "a b", 'say "x"', "-dash", "semi;", "#(id)"]
    ) {
      const { sessionName } = await client.ok("create-session", { host, name, command: "cat" });
      assertEquals(sessionName, name);
    }
    for (const value of ["';`id`$(id)\"\\", "a\nb", "-n", "x;", "%s \\0101"]) {
      await client.ok("set-environment", { host, name: "AWKWARD", value });
      const { variables } = await client.ok("show-environment", { host, name: "AWKWARD" });
      assertEquals(variables, { AWKWARD: value });
    }
  });
}

const test = onOneHost("a host with a session");

test("arguments of a resource are completed from the host that it names", async ({ remote, client: { client } }) => {
  await remote.tmux("new-session", "-d", "-s", "there", "cat");
  const complete = async (name: string, settled?: Record<string, string>): Promise<string[]> => {
    const context = settled ? { context: { arguments: settled } } : {};
    const ref = { type: "ref/resource", uri: "tmux://sessions/{name}{?socket,host}" } as const;
    return (await client.complete({ ref, argument: { name, value: "" }, ...context })).completion.values;
  };
  assertEquals(await complete("host"), [host]);
  assertEquals(await complete("name"), []);
  assertEquals(await complete("name", { host }), ["there"]);
  assertEquals(await complete("socket", { host }), [`${remote.world.folder}/far/tmux-0/default`]);
});

test("a socket of a host whose name ssh would expand is the one that is named", async ({ remote, client }) => {
  const servers = { "a%u": "meant", aroot: "other" };
  for (const [socket, name] of Object.entries(servers)) {
    await remote.tmux("-L", socket, "new-session", "-d", "-s", name, "cat");
  }
  const { sessions } = await client.ok("list-sessions", { host, socket: "a%u" });
  for (const socket of Object.keys(servers)) await remote.tmux("-L", socket, "kill-server");
  assertEquals(sessions.map(({ name }: { name: string }) => name), ["meant"]);
});

const throughSsh = onOneHost("with --ssh", {
  place: {},
  serve: ({ words, world }) =>
    world.serve({ args: ["--ssh", words, "--socket", "default", "--allowed-output-paths=~/out"] }),
});

throughSsh("another machine is the one that all calls are for", async ({ remote, client }) => {
  await remote.tmux("new-session", "-d", "-s", "there", "cat");
  const { sessions } = await client.ok("list-sessions", {});
  assertEquals(sessions.map(({ name }: { name: string }) => name), ["there"]);
  assertEquals((await client.ok("get-server-info", {})).host, "root@127.0.0.1");
  const { tools } = await client.client.listTools();
  assert(tools.every(({ inputSchema }) => !("host" in inputSchema.properties!)));
});

throughSsh(
  "files of this machine may be in listed folders of the home folder",
  async ({ remote, client }) => {
    await remote.tmux("new-session", "-d", "-s", "there", "cat");
    const { folder } = remote.world;
    const paneId = (await remote.tmux("list-panes", "-a", "-F", "#{pane_id}")).trim();
    await client.ok("screenshot-pane", { paneId, output: "file" });
    const written = await Array.fromAsync(Deno.readDir(`${folder}/out`));
    assertEquals(written.map(({ name }) => name.slice(-4)), [".png"]);
    await client.ok("screenshot-pane", { paneId, output: "file", path: `${folder}/out/named.svg` });
    assertMatch(await Deno.readTextFile(`${folder}/out/named.svg`), /^<svg/);
  },
);

throughSsh(
  "a client learns with its next request what others changed there",
  async ({ remote, client }) => {
    await remote.tmux("new-session", "-d", "-s", "there", "cat");
    const notices = new Notices(client);
    const requests: (() => Promise<unknown>)[] = [
      () => client.client.listResources(),
      () => client.ok("list-sessions", {}),
      () => client.client.readResource({ uri: "tmux://sessions" }),
    ];
    await client.client.listResources();
    for (const [index, ask] of requests.entries()) {
      // A reading that an earlier request began may still be under way, and what a slow first one finds counts as a change.
      const before = notices.listChanged;
      await remote.tmux("new-session", "-d", "-s", `theirs${index}`, "cat");
      await ask();
      await notices.until(() => notices.listChanged > before);
    }
  },
);

test(
  "paths on a host must be listed, as they are written; sockets by the name they are given",
  async ({ remote, client: closed }) => {
    await remote.tmux("new-session", "-d", "-s", "there", "cat");
    const { folder } = remote.world;
    await closed.ok("set-buffer", { host, name: "b", content: "kept" });
    assertEquals(
      (await closed.fails("save-buffer", { host, name: "b", path: `${folder}/b` })).code,
      "denied",
    );
    const open = await remote.serve(["--allowed-buffer-paths", folder, "--allowed-sockets", "default"]);
    await open.ok("save-buffer", { host, name: "b", path: `${folder}/b` });
    assertEquals(await Deno.readTextFile(`${folder}/b`), "kept");
    assertEquals((await Deno.stat(`${folder}/b`)).mode! & 0o777, 0o600);
    assertEquals(
      (await open.fails("save-buffer", { host, name: "b", path: `${folder}/../b` })).code,
      "denied",
    );
    assertEquals((await open.fails("list-sessions", { host, socket: "other" })).code, "denied");
    assertEquals((await open.fails("list-sessions", {})).code, "denied");
  },
);

test("the watch of a shell and doctor know the host", async ({ remote }) => {
  await remote.tmux("new-session", "-d", "-s", "work", "exec cat");
  const watched = await launch(
    ["watch", "%0", "--host", host, "--triggers", "user_input", "--hosts", `far=${remote.words}`],
    remote.world,
  );
  assertEquals([watched.code, JSON.parse(watched.stdout).event], [0, "user_input"], watched.stderr);
  const { stdout } = await launch(
    ["doctor", "--hosts", `far=${remote.words}`, "--hosts", "none=-F none -p 1 root@127.0.0.1"],
    remote.world,
  );
  assertMatch(stdout, /host far\s+tmux \S+, sessions: 1/);
  assertMatch(stdout, /host none\s+Cannot reach host "none": connection refused/);
});

remoteTest("doctor proves the server with --ssh on a tmux of this machine", async () => {
  // The other machine has none of this machine's sockets.
  const env = async (folder: string): Promise<Record<string, string>> => {
    const script =
      `#!/bin/sh\ncase "$*" in *tmux-mcp-doctor-*) exit 1;; esac\nPATH=\${PATH#*:} exec tmux "$@"\n`;
    await Deno.mkdir(`${folder}/bin`);
    await Deno.writeTextFile(`${folder}/bin/tmux`, script, { mode: 0o755 });
    return { PATH: `${folder}/bin:${Deno.env.get("PATH")}` };
  };
  await using remote = await Far.create({ lines: ["AllowStreamLocalForwarding no"], env });
  await remote.tmux("new-session", "-d", "-s", "there", "cat");
  const doctor = ["doctor", "--ssh", remote.words, "--socket", "default"];
  const { code, stdout } = await launch(doctor, remote.world);
  assertMatch(stdout, /works +watching +a program's wait for input was detected/);
  assertEquals(code, 0, stdout);
});

remoteTest("calls on several hosts reach the machine that each names, over its own connection", async () => {
  await using one = await Far.create();
  await using other = await Far.create();
  await one.tmux("new-session", "-d", "-s", "one", "cat");
  await other.tmux("new-session", "-d", "-s", "other", "cat");
  const client = await one.serve(["--hosts", `other=${other.words}`]);
  const sessions = async (host: string): Promise<string[]> =>
    (await client.ok("list-sessions", { host })).sessions.map(({ name }: { name: string }) => name);
  const seen = [];
  for (const host of ["far", "other", "far", "other"]) seen.push(...await sessions(host));
  assertEquals(seen, ["one", "other", "one", "other"]);
  for (const { sshd } of [one, other]) assertEquals((await sshd.connections()).length, 1);
});

remoteTest("ssh has the variables of the server, which its configuration may name", async () => {
  await using remote = await Far.create();
  await remote.tmux("new-session", "-d", "-s", "there", "cat");
  const { sshd: { key }, world } = remote;
  const named = `named=${remote.words.replace(`-i ${key}`, "-o IdentityFile=${FAR_KEY}")}`;
  const env = { FAR_KEY: key };
  const client = await remote.serve(["--hosts", named], env);
  assertEquals((await client.ok("list-sessions", { host: "named" })).sessions.length, 1);
  const { stdout } = await launch(["doctor", "--hosts", named], { env: { ...world.env, ...env } });
  assertMatch(stdout, /host named\s+tmux \S+, sessions: 1/);
});

remoteTest("a machine that ssh could not be started for stops the start", async () => {
  await using world = await World.create();
  const { code, stdout, stderr } = await launch(["--hosts", "far=-oProxyCommand=id"], world);
  assertEquals([code, stdout], [2, ""]);
  assertMatch(stderr, /^tmux-mcp: Cannot use ssh "[^\n]*\n$/);
});
