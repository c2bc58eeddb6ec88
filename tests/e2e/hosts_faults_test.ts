// Errors of a machine that cannot be used, and calls and watches when it goes away.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Far, onOneHost, remoteTest } from "../support/remote.ts";
import { LAUNCHER } from "../support/launched.ts";
import { ElicitRequestSchema } from "../support/sdk.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const host = "far";

async function refusal(client: TestClient): Promise<{ code: string; text: string; hint?: string }> {
  return await client.fails("list-sessions", { host });
}

/** Creates a folder that holds the only programs on the other machine. */
function programs(scripts: Record<string, string>): (folder: string) => Promise<Record<string, string>> {
  return async (folder) => {
    const bin = `${folder}/programs`;
    await Deno.mkdir(bin);
    for (const name of ["sh", "id", "uname", "cat", "readlink"]) {
      await Deno.symlink(`/usr/bin/${name}`, `${bin}/${name}`);
    }
    for (const [name, text] of Object.entries(scripts)) {
      await Deno.writeTextFile(`${bin}/${name}`, text, { mode: 0o755 });
    }
    return { PATH: bin };
  };
}

Deno.test("a denied call opens no connection to its host", async () => {
  await using world = await World.create();
  const log = `${world.folder}/connections`;
  await Deno.writeTextFile(`${world.folder}/ssh`, `#!/bin/sh\necho "$*" >>${log}\nexit 1\n`, { mode: 0o755 });
  const hosts = ["--hosts", "near=near.invalid", "--hosts", `${host}=far.invalid`];
  const client = await world.serve({
    args: [...hosts, "--allowed-sockets=listed", "--allowed-panes=%0", "--allow-execute-command=false"],
    env: { PATH: `${world.folder}:${world.env["PATH"]}` },
  });
  const denied = {
    "list-sessions": {},
    "set-buffer": { name: "b", content: "x" },
    "create-window": { sessionId: "work" },
  };
  for (const [tool, args] of Object.entries(denied)) {
    const { code, text } = await client.fails(tool, { ...args, host });
    assertEquals(code, "denied", text);
  }
  const deniedAtListed = {
    "create-session": { name: "new" },
    "create-window": { sessionId: "work", command: "top" },
    "kill-server": {},
    "save-buffer": { name: "b", path: "/etc/decoy" },
    "execute-command": { paneId: "%0", command: "ls" },
    "detach-client": { clientTty: "/dev/pts/99" },
    "set-buffer": { name: "b", content: "x", socket: "unlisted" },
  };
  for (const [tool, args] of Object.entries(deniedAtListed)) {
    const { code, text } = await client.fails(tool, { socket: "listed", ...args, host });
    assertEquals(code, "denied", text);
  }
  await client.fails("list-sessions", { host: "near", socket: "listed" });
  assertMatch(await Deno.readTextFile(log), /^(?:.*near.*\n)+$/);
});

/** Machines that cannot be reached: ssh words, and what errors say of them. */
function unreachable({ sshd, world }: Far): Record<string, [words: string, says: RegExp, hint: RegExp]> {
  const at = `-F none -p ${sshd.port} -o ConnectionAttempts=20`;
  const known = `-o UserKnownHostsFile=${world.folder}/known`;
  const trusting = `${known} -o StrictHostKeyChecking=accept-new`;
  return {
    unreachable: ["-F none -p 1 root@127.0.0.1", /connection refused/, /sshd runs there/],
    nameless: ["-F none no-such-machine.invalid", /no machine has that name/, /Check the name/],
    stranger: [
      `${at} ${known} -o StrictHostKeyChecking=yes root@127.0.0.1`,
      /host key is unknown/,
      /by hand/,
    ],
    keyless: [
      `${at} ${trusting} -o IdentitiesOnly=yes -i ${world.folder}/none root@127.0.0.1`,
      /refused the login/,
      /key/,
    ],
  };
}

/** A server that keeps the sockets of its connections in a folder of its own, and knows more machines. */
async function serve(remote: Far): Promise<TestClient> {
  const others = Object.entries(unreachable(remote)).flatMap((
    [name, [words]],
  ) => ["--hosts", `${name}=${words}`]);
  await Deno.mkdir(socketsOf(remote));
  return await remote.serve(others, { XDG_RUNTIME_DIR: socketsOf(remote) });
}

function socketsOf({ world: { folder } }: Far): string {
  return `${folder}/run`;
}

const test = onOneHost("a host that fails", { serve });

test("an unreachable or refusing machine is named in the error, with the next step", async ({ remote, client }) => {
  for (const [name, [, says, hint]] of Object.entries(unreachable(remote))) {
    const told = await client.fails("list-sessions", { host: name });
    assertEquals(told.code, "tmux-unavailable", told.text);
    assertMatch(told.text, new RegExp(`Cannot reach host "${name}"`));
    assertMatch(told.text, says);
    assertMatch(told.hint ?? "", hint);
  }
});

remoteTest("a machine without tmux, or with one too old, is named in the error", async () => {
  await using bare = await Far.create({ env: programs({}) });
  const none = await refusal(await bare.serve());
  assertEquals(none.code, "tmux-unavailable");
  assertMatch(none.text, /Cannot find tmux on host "far"/);
  await using old = await Far.create({ env: programs({ tmux: "#!/bin/sh\necho tmux 3.1c\n" }) });
  const tooOld = await refusal(await old.serve());
  assertEquals(tooOld.code, "unsupported");
  assertMatch(tooOld.text, /tmux 3.1c is too old/);
  assertMatch(tooOld.hint ?? "", /host "far"/);
});

remoteTest("a machine that gives no shell is named with its own words", async () => {
  const words = "This account is currently not available.";
  await using remote = await Far.create({ lines: [`ForceCommand echo '${words}'`] });
  const { code, text } = await refusal(await remote.serve());
  assertEquals(code, "tmux-unavailable");
  assert(text.startsWith(`Cannot reach host "far": ${words}`), text);
});

test(
  "a connection that is cut ends the calls on it at once, and the next call makes another",
  async ({ remote, client }) => {
    await remote.tmux("new-session", "-d", "-s", "work", "cat");
    const { panes } = await client.ok("list-panes", { host });
    const waiting = client.fails("wait-for-channel", { host, channel: "never", timeout: 600 });
    const [watched] = [
      client.call("watch-pane", { host, paneId: panes[0].id, triggers: "exit", timeout: 600 }),
    ];
    await client.untilWatching();
    await remote.sshd.killConnections();
    const cut = await waiting;
    assertEquals(cut.code, "gone", cut.text);
    assertMatch(cut.text, /connection to host "far" was lost/);
    const { sessions } = await client.ok("list-sessions", { host });
    assertEquals(sessions.map(({ name }: { name: string }) => name), ["work"]);
    await remote.tmux("kill-session", "-t", "work");
    const { event } = (await watched).structuredContent as { event: string };
    assert(event === "exit" || event === "gone", event);
  },
);

test(
  "a client that a cut connection has left attached is ended by the next one, and no other",
  async ({ remote, client }) => {
    await remote.tmux("new-session", "-d", "-s", "work", "yes 0123456789");
    const { panes } = await client.ok("list-panes", { host });
    const others = {
      ...remote.world.env,
      TMUX_TMPDIR: `${remote.world.folder}/far`,
      TMUX_MCP_CLIENT_OF: "1 1 pid:[1]@x y",
    };
    const other = new Deno.Command("tmux", {
      args: ["-u", "-C", "attach-session", "-t", "=work", "-f", "no-output"],
      env: others,
      clearEnv: true,
      stdin: "piped",
      stdout: "null",
    }).spawn();
    const pids = async (): Promise<number[]> =>
      (await remote.tmux("list-clients", "-F", "#{client_pid}")).split("\n").filter(Boolean).map(Number);
    try {
      await until(async () => (await pids()).includes(other.pid));
      const watch = { triggers: "pattern:^never", timeout: 600, background: true };
      const { watchId } = await client.ok("watch-pane", { host, paneId: panes[0].id, ...watch });
      const before = await pids();
      assert(before.includes(other.pid) && before.length > 1);
      await remote.sshd.killConnections();
      await client.call("stop-watch", { watchId });
      // Calls that come before the end of the old connection is known need no new one: ssh may connect by itself.
      await until(async () => {
        const { isError } = await client.call("list-panes", { host });
        return !isError && (await pids()).length === 1;
      });
      assertEquals(await pids(), [other.pid]);
    } finally {
      await other.stdin.close();
      await other.status;
    }
  },
);

test("a machine that stops answering is a timeout of each call, never a hang", async ({ remote, client }) => {
  await remote.tmux("new-session", "-d", "-s", "work", "cat");
  await client.ok("list-sessions", { host });
  const stopped = await remote.sshd.connections();
  for (const pid of stopped) Deno.kill(pid, "SIGSTOP");
  try {
    // The first asks a shell there, the second tmux, and the third tmux for a shorter time.
    const calls = [
      client.fails("list-servers", { host }),
      client.fails("list-sessions", { host }),
      client.fails("stop-watch", { host, watchId: "w1" }),
    ];
    const told = await Promise.all(calls);
    // The first full timeout has the connection checked, which can end it before another call's time is up.
    assert(told.slice(0, 2).some(({ code }) => code === "timeout"), JSON.stringify(told));
    assertMatch(told[0]!.text, /in 5000 ms|was lost/);
    for (const { code, text, hint } of told) {
      assertMatch(code, /^(?:timeout|gone)$/, text);
      assertMatch(text, /host "far"/);
      assert(hint, text);
    }
  } finally {
    for (const pid of stopped) Deno.kill(pid, "SIGKILL");
  }
  // A call that comes before the end of the old connection is known may still be sent over it.
  await until(async () => !(await client.call("list-sessions", { host })).isError);
});

remoteTest("when the server ends, nothing of it is left on the machine", async () => {
  await using remote = await Far.create();
  await remote.tmux("new-session", "-d", "-s", "work", "cat");
  const client = await remote.serve();
  const { panes } = await client.ok("list-panes", { host });
  await client.ok("watch-pane", {
    host,
    paneId: panes[0].id,
    triggers: "exit",
    timeout: 600,
    background: true,
  });
  assert((await remote.sshd.connections()).length > 0);
  await client.client.close();
  await until(async () => (await remote.sshd.connections()).length === 0);
  assertEquals(await remote.tmux("list-clients"), "");
});

remoteTest("the handover of a killed server on a host is undone by the next", async () => {
  await using remote = await Far.create();
  const hosts = { args: ["--hosts", `far=${remote.words}`] };
  const first = await remote.world.serve(hosts, {
    capabilities: { elicitation: {} },
    prepare: (mcp) => mcp.setRequestHandler(ElicitRequestSchema, () => new Promise(() => {})),
  });
  const { paneId } = await first.ok("create-session", { host, command: "cat" });
  await first.ok("watch-pane", { host, paneId, triggers: "user_input", timeout: 100 });
  void first.call("ask-person", { host, paneId, message: "please" }).catch(() => {});
  const marks = () => remote.tmux("show-options", "-p", "-t", paneId);
  await until(async () => (await marks()).includes("@tmux_mcp_handover"));
  Deno.kill(first.transport.pid!, "SIGKILL");
  const next = await remote.serve();
  await next.ok("list-panes", { host });
  await until(async () => !/@tmux_mcp_(handover|waiting)/.test(await marks()));
});

test("a removed folder of the connections' sockets does not make a machine unreachable", async ({ remote, client }) => {
  await remote.tmux("new-session", "-d", "-s", "work", "cat");
  const names = async (): Promise<string[]> =>
    (await client.ok("list-sessions", { host })).sessions.map(({ name }: { name: string }) => name);
  assertEquals(await names(), ["work"]);
  const sockets = socketsOf(remote);
  const [folder] = await Array.fromAsync(Deno.readDir(sockets));
  await Deno.remove(`${sockets}/${folder!.name}`, { recursive: true });
  // The connection that is open needs no folder.
  assertEquals(await names(), ["work"]);
  await remote.sshd.killConnections();
  await until(async () => (await client.call("list-sessions", { host })).isError !== true);
  assertEquals(await names(), ["work"]);
});

remoteTest("a folder for temporary files that ssh would misread takes no sockets", async () => {
  await using remote = await Far.create();
  await remote.tmux("new-session", "-d", "-s", "work", "cat");
  const folder = `${remote.world.folder}/my own 100%d: it's`;
  await Deno.mkdir(folder);
  const client = await remote.serve([], { XDG_RUNTIME_DIR: folder, TMPDIR: folder });
  assertEquals((await client.ok("list-sessions", { host })).sessions.length, 1);
});

Deno.test("a call of a removed tool opens no connection to the host that it names", async () => {
  await using world = await World.create();
  const [bin, log] = [`${world.folder}/bin`, `${world.folder}/log`];
  await Deno.mkdir(bin);
  await Deno.writeTextFile(`${bin}/ssh`, `#!/bin/sh\necho "$@" >>'${log}'\nexit 255\n`, { mode: 0o755 });
  const audit = `${world.folder}/audit`;
  const client = await world.serve({
    args: [
      "--hosts=shut=shut-machine",
      "--hosts=open=open-machine",
      "--tools=deny:get-session-info",
      `--audit-path=${audit}`,
    ],
    env: { PATH: `${bin}:${Deno.env.get("PATH")}` },
  });
  const { code } = await client.fails("get-session-info", { sessionId: "$3", host: "shut" });
  assertEquals(code, "denied");
  await client.fails("list-panes", { host: "open" });
  const called = await Deno.readTextFile(log);
  assertEquals([called.includes("open-machine"), called.includes("shut-machine")], [true, false]);
  const [line] = (await Deno.readTextFile(audit)).split("\n");
  const { targets, host, decision } = JSON.parse(line!);
  assertEquals([targets, host, decision], [["session:$3"], "shut", "denied"]);
});

remoteTest("ssh asks no person at the server's terminal about a jump host", async () => {
  await using remote = await Far.create();
  const { world, sshd: { port } } = remote;
  const told = `${world.folder}/told`;
  const words = remote.words.replace("root@", `-J root@localhost:${port} root@`);
  const watch = [LAUNCHER, "watch", "%0", "--host", host, "--hosts", `${host}=${words}`];
  // A machine under load takes its time to connect.
  const again = `while "$@" 2>&1 | tee ${told}.part | grep "^tmux-mcp: No connection"; do :; done`;
  await world.tmux("new-session", "-d", "sh", "-c", `${again}; mv ${told}.part ${told}; cat`, "sh", ...watch);
  const isAsked = async () => (await world.tmux("capture-pane", "-p")).includes("(yes/no");
  const isTold = () => Deno.stat(told).then(() => true, () => false);
  await until(async () => await isTold() || await isAsked());
  assertEquals(await isAsked(), false);
  assertMatch(
    await Deno.readTextFile(told),
    /^tmux-mcp: Cannot reach host "far": its host key is unknown/,
  );
});
