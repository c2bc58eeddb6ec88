// The server as a client starts it from a checkout: any folder, any environment, explicit permissions.
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { Client, ServerTransport } from "../support/sdk.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const [CONFIG, MAIN, DENO_DIR] = ["deno.json", "main.ts", ".tools/deno_dir"].map((path) =>
  fromFileUrl(new URL(`../../${path}`, import.meta.url))
) as [string, string, string];
const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));

Deno.test("the launcher serves with an empty environment from the root folder", async () => {
  await using world = await World.create();
  const transport = new ServerTransport({ command: "/usr/bin/env", args: ["-i", LAUNCHER], cwd: "/" });
  const client = new Client({ name: "bare", version: "1" });
  await client.connect(transport);
  try {
    const answer = await client.callTool({ name: "create-session", arguments: { socket: world.socket } });
    assertEquals(answer.isError, undefined, JSON.stringify(answer.content));
    // tmux reads the folder of a process that may just have ended.
    await until(async () => /^\/$/m.test(await world.tmux("list-panes", "-a", "-F", "#{pane_current_path}")));
  } finally {
    await client.close();
  }
});

/** Start conditions of a program other than its environment. */
const SURROUNDINGS = `
mkdir gone && cd gone && rmdir ../gone
export HOME=/nowhere TMPDIR=/nowhere TMUX=/nowhere/tmux,1,0 TMUX_PANE=%1 LD_PRELOAD=/nowhere.so LD_LIBRARY_PATH=/nowhere
unset PATH TERM SHELL
umask 777
trap '' CHLD PIPE
exec 2>&-
exec "$0" "$@"`;

for (const flags of [[], ["--no-attach"]]) {
  const title = ["a umask of 777", ...flags].join(", ");
  Deno.test(`no folder, no PATH, no HOME, ${title}, children ignored, stderr closed: the server serves`, async () => {
    await using world = await World.create();
    const args = ["-c", SURROUNDINGS, LAUNCHER, "--socket", world.socket, "--scope", "all", ...flags];
    const client = await world.serve({ command: "/bin/bash", args });
    const { paneId } = await client.ok("create-session", { command: "exec bash --norc --noprofile" });
    const call = { paneId, command: "env | grep -c ^LD_; pwd" };
    assertEquals((await client.ok("execute-command", call)).output, "0\n/");
    assertEquals((await client.ok("list-sessions")).sessions.length, 1);
  });
}

Deno.test("variables that load code into Deno, or ask others for its permissions, don't reach the server", async () => {
  await using world = await World.create();
  const env = { NODE_OPTIONS: "--require /nowhere.cjs --inspect", DENO_PERMISSION_BROKER_PATH: "/nowhere" };
  const client = await world.serve({ command: LAUNCHER, args: ["--socket", world.socket], env });
  assertEquals((await client.ok("list-sessions")).sessions, []);
});

Deno.test("files can be written to a working folder that links lead to, by both of its paths", async () => {
  await using world = await World.create();
  // Folders in /tmp can always be written to.
  const folder = await Deno.makeTempDir({ dir: "/var/tmp" });
  try {
    const [real, link] = [join(folder, "real"), join(folder, "link")];
    await Deno.mkdir(real);
    await Deno.symlink("real", link);
    const client = await world.serve({ cwd: link, env: { PWD: link } });
    const { paneId } = await client.ok("create-session", { command: "cat" });
    for (const outputPath of ["a.cast", join(link, "b.cast")]) {
      await client.ok("record-pane", { paneId, action: "start", outputPath });
      await client.ok("record-pane", { paneId, action: "stop" });
    }
    assertEquals((await Array.fromAsync(Deno.readDir(real))).map(({ name }) => name).sort(), [
      "a.cast",
      "b.cast",
    ]);
    assertEquals((await world.tmux("display-message", "-p", "#{session_path}")).trim(), link);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a failure of Deno to start is reported in one line", async () => {
  for (const [limit, value] of [["-n", 32], ["-v", 8_000_000]]) {
    const { code, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", `ulimit ${limit} ${value}; exec "$0"`, LAUNCHER],
    }).output();
    assertEquals([code, stdout.length], [1, 0]);
    const told = new TextDecoder().decode(stderr);
    assertMatch(told, new RegExp(`^tmux-mcp: [^\\n]* ${value} [^\\n]*ulimit ${limit}[^\\n]*\\n$`));
  }
});

Deno.test("what tmux and its shells want to know reaches a tmux server that a tool starts", async () => {
  await using world = await World.create();
  const env = {
    TZ: "Asia/Tokyo",
    LC_CTYPE: "C.UTF-8",
    SSH_AUTH_SOCK: "/tmp/agent",
    XDG_RUNTIME_DIR: "/run/x",
  };
  const client = await world.serve({ env });
  await client.ok("create-session");
  const shown = (await world.tmux("show-environment", "-g")).split("\n");
  for (const [name, value] of Object.entries(env)) {
    assertEquals(shown.includes(`${name}=${value}`), true, name);
  }
});

/** Variables that a person sets, and those that are a client's own or its secrets. */
const GIVEN = {
  "http_proxy": "http://proxy.test:3128",
  JAVA_HOME: "/opt/java",
  VIRTUAL_ENV: "/opt/venv",
  EDITOR: "vim -u 'a b'",
  MULTILINE: "one\ntwo=2",
};
const KEPT_BACK = {
  AI_AGENT: "some",
  CLAUDECODE: "1",
  ANTHROPIC_BASE_URL: "http://api.test",
  GITHUB_TOKEN: "t",
  SERVICE_PASSWORD: "p",
  LD_LIBRARY_PATH: "/nowhere",
  TMUX_MCP_LOG: "error",
  TMUX: "/nowhere/tmux,1,0",
  TMUX_PANE: "%7",
};

const STARTS: Record<string, (client: TestClient) => Promise<unknown>> = {
  "create-session": (client) => client.ok("create-session"),
  "create-session with a name that tmux is asked about": (client) =>
    client.ok("create-session", { name: "日本" }),
  "start-and-watch": (client) => client.ok("start-and-watch", { command: "echo up", pattern: "up" }),
};

const test = inTurnOnOneServer(
  "variables of a person and of a client",
  (world) => world.serve({ env: { ...GIVEN, ...KEPT_BACK } }),
);

for (const [how, start] of Object.entries(STARTS)) {
  test(`a tmux server started by ${how} has the environment that a person's would, without the client's`, async ({ client }) => {
    await start(client);
    const { variables } = await client.ok("show-environment");
    assertEquals(Object.fromEntries(Object.keys(GIVEN).map((name) => [name, variables[name]])), GIVEN);
    assertEquals([...Object.keys(KEPT_BACK), "DENO_DIR"].filter((name) => name in variables), []);
    const { paneId } = await client.ok("create-session", { command: "exec bash --norc --noprofile" });
    const { output } = await client.ok("execute-command", {
      paneId,
      command: 'echo "$http_proxy $JAVA_HOME"',
    });
    assertEquals(output, `${GIVEN["http_proxy"]} ${GIVEN.JAVA_HOME}`);
  });
}

test("a session in a tmux server that runs already gets nothing new of this environment", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "theirs", "cat");
  const { sessionId } = await client.ok("create-session");
  for (const place of [{}, { sessionId }]) {
    const { variables } = await client.ok("show-environment", place);
    assertEquals(Object.keys(GIVEN).filter((name) => name in variables), []);
  }
});

Deno.test("a server started where TMUX names the socket is at that socket, and does not know of TMUX", async () => {
  await using world = await World.create();
  const env = { TMUX: `${world.socket},1,0`, TMUX_PANE: "%7" };
  const client = await world.serve({ command: LAUNCHER, args: ["--scope", "all"], env });
  await client.ok("create-session", { name: "here" });
  assertEquals((await world.tmux("list-sessions", "-F", "#{session_name}")).trim(), "here");
  assertEquals((await world.tmux("show-environment", "-g")).match(/^TMUX(_PANE)?=.*$/mg), null);
});

Deno.test("a program that may read only some variables starts a server with those that tmux clients get", async () => {
  await using world = await World.create();
  const flags = [
    "--allow-run",
    "--allow-ffi",
    "--allow-read",
    "--allow-write",
    "--allow-env=HOME,PATH,TERM,TZ",
  ];
  const client = await world.serve({
    command: Deno.execPath(),
    args: [
      "run",
      "--no-prompt",
      ...flags,
      "--config",
      CONFIG,
      MAIN,
      "--socket",
      world.socket,
      "--scope",
      "all",
    ],
    env: { ...GIVEN, TZ: "Asia/Tokyo", DENO_DIR: Deno.env.get("DENO_DIR") ?? DENO_DIR },
  });
  await client.ok("create-session");
  const { variables } = await client.ok("show-environment");
  assertEquals(variables.TZ, "Asia/Tokyo");
  assertEquals(Object.keys(GIVEN).filter((name) => name in variables), []);
});
