import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError, type ErrorCode } from "../../src/errors.ts";
import type { Command, Exec, ExecOptions } from "../../src/tmux_exec/exec.ts";
import { encodeMessage, MESSAGE } from "../../src/tmux_protocol/imsg.ts";
import { type Connection, openSocketLibc, type SocketLibc } from "../../src/ffi/sockets.ts";
import { createExec } from "../../src/tmux/client.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { createSocketExec, NoServerError } from "../../src/tmux_protocol/socket_exec.ts";
import { type Behaviour, fakeServer, untilClosed } from "./fake_server.ts";
import { until } from "../support/until.ts";
import { findLibcPath, type PrivateTmux, privateTmux } from "../tmux/private_tmux.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const LOST = "server exited unexpectedly\n";
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

function socketExec(libc: SocketLibc, tmux: PrivateTmux): Exec {
  const { env, cwd = "/" } = tmux.target;
  return createSocketExec({ libc, path: tmux.socketPath, env, cwd, pid: Deno.pid });
}

function execAt(libc: SocketLibc, path: string): Exec {
  return createSocketExec({ libc, path, env: {}, cwd: "/", pid: Deno.pid });
}

async function codeOf(promise: Promise<unknown>): Promise<ErrorCode> {
  return (await assertRejects(() => promise, AppError) as AppError).code;
}

type Batch = [commands: readonly Command[], options?: ExecOptions];

/** A command written as a line, and the arguments that hold spaces. */
function words(line: string, ...more: string[]): Command {
  return [...line.split(" "), ...more];
}

/** Replies to the batches, one a line, without the server's own folder and process. */
async function observe(
  exec: Exec,
  tmux: PrivateTmux,
  batches: (tmux: PrivateTmux) => Batch[],
): Promise<string[]> {
  const seen: string[] = [];
  for (const [commands, options] of batches(tmux)) {
    const { code, stdout, stderr } = await exec(commands, options);
    seen.push(anonymous(JSON.stringify({ commands, code, stdout: text(stdout), stderr }), tmux));
  }
  return seen;
}

function anonymous(words: string, { folder, serverPid }: PrivateTmux): string {
  return words.replaceAll(folder, "FOLDER").replaceAll(`,${serverPid},`, ",PID,");
}

Deno.test("nothing that a batch shows or leaves behind tells the socket from a spawned client", async () => {
  const env = { DISPLAY: ":77", SSH_AUTH_SOCK: "/agent", GIVEN: "yes", LANG: "C" };
  await using spawned = await privateTmux({ GIVEN: "first" });
  await using verified = await privateTmux({ GIVEN: "first" });
  using libc = openSocketLibc(findLibcPath());
  const size = "#{session_path} #{session_attached} #{window_width}x#{window_height}";
  const batches = ({ folder }: PrivateTmux): Batch[] => [
    [[words("list-panes -a")]],
    [[words("display-message -p é;"), words("display-message -p", "tab\there")]],
    [[words("list-clients"), words("list-clients -F #{client_name}")]],
    [[words("no-such-command")]],
    [[words("display-message -p before"), words("kill-pane -t %99"), words("display-message -p never")]],
    [[words("attach-session -t main")]],
    [[words("new-session")]],
    [[words("detach-client")]],
    [[words("load-buffer -b in -"), words("show-buffer -b in")], { stdin: bytes("hello\0é\n") }],
    [[words("load-buffer -b none -")]],
    [[words("load-buffer -"), words("load-buffer -")], { stdin: bytes("twice") }],
    [[words("display-message -p x"), words("save-buffer -b in -")]],
    [[words(`save-buffer -b in ${folder}/saved`), words(`save-buffer -a -b in ${folder}/saved`)]],
    [[words(`load-buffer -b file ${folder}/saved`), words("show-buffer -b file")]],
    [[words(`save-buffer -b in ${folder}/no/such`)]],
    [[words(`source-file ${folder}/missing`)]],
    [[words("run-shell", "exit 3")]],
    [[words("if-shell false", "display-message -p a", "display-message -p b")]],
    [[words("new-session -d -s born", "env >env; pwd >pwd; tmux wait-for -S 1; cat"), words("wait-for 1")]],
    [[words("show-environment -t born")]],
    [[words("new-window -d -t born:", "env >env2; tmux wait-for -S 2; cat"), words("wait-for 2")]],
    [[words("split-window -d -t born:"), words("list-panes -s -t born")]],
    [[words("display-message -p -t born:", size)]],
  ];
  const clientEnv = { ...spawned.target.env, ...env, HOME: "/" };
  for (const { folder } of [spawned, verified]) await Deno.mkdir(`${folder}/here`);
  const bySpawn = createProcessExec({ ...spawned.target, env: clientEnv, cwd: `${spawned.folder}/here` });
  const bySocket = createSocketExec({
    libc,
    path: verified.socketPath,
    env: clientEnv,
    cwd: `${verified.folder}/here`,
    pid: Deno.pid,
  });
  assertEquals(await observe(bySocket, verified, batches), await observe(bySpawn, spawned, batches));
  for (const file of ["here/env", "here/env2", "here/pwd", "saved"]) {
    const linesOf = async (tmux: PrivateTmux): Promise<string[]> =>
      anonymous(await Deno.readTextFile(`${tmux.folder}/${file}`), tmux).split("\n").sort();
    assertEquals(await linesOf(verified), await linesOf(spawned), file);
  }
});

Deno.test("input and output of many megabytes pass whole", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const exec = socketExec(libc, tmux);
  const content = new Uint8Array(20_000_000).map((_, index) => 1 + index % 251);
  for (const size of [5_000_000, 20_000_000]) {
    const stdin = content.subarray(0, size);
    const { code, stdout } = await exec([["load-buffer", "-b", "big", "-"], [
      "save-buffer",
      "-b",
      "big",
      "-",
    ]], { stdin });
    assertEquals([code, stdout.length], [0, size]);
    assert(stdout.every((byte, index) => byte === stdin[index]));
  }
});

Deno.test("fifty calls at once get each its own answer", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const exec = socketExec(libc, tmux);
  const calls = Array.from({ length: 50 }, (_, index) => exec([["display-message", "-p", `call ${index}`]]));
  const replies = await Promise.all(calls);
  assertEquals(replies.map(({ stdout }) => text(stdout)), replies.map((_, index) => `call ${index}\n`));
});

Deno.test("a server that dies during a call is a reply that says so", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const exec = socketExec(libc, tmux);
  const waiting = exec([["display-message", "-p", "x"], ["wait-for", "-S", "started"], [
    "wait-for",
    "never",
  ]]);
  await exec([["wait-for", "started"]]);
  Deno.kill(tmux.serverPid, "SIGKILL");
  const { code, stderr } = await waiting;
  assertEquals([code, stderr], [1, LOST]);
});

Deno.test("kill-server is a success", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  assertEquals((await socketExec(libc, tmux)([["kill-server"]])).code, 0);
});

Deno.test({
  name: "a stopped server is a timeout, whether it is asked or fed, and leaves no client behind",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmux = await privateTmux();
    using libc = openSocketLibc(findLibcPath());
    const exec = socketExec(libc, tmux);
    await exec([["list-panes"]]);
    const before = descriptorsOf(tmux.serverPid);
    const slow = exec([["wait-for", "first"], ["load-buffer", "-"]], {
      stdin: new Uint8Array(5_000_000),
      timeoutMs: 300,
    });
    Deno.kill(tmux.serverPid, "SIGSTOP");
    try {
      assertEquals(await codeOf(exec([["list-panes"]], { timeoutMs: 50 })), "timeout");
      assertEquals(await codeOf(slow), "timeout");
    } finally {
      Deno.kill(tmux.serverPid, "SIGCONT");
    }
    await until(async () => {
      await exec([["list-panes"]]);
      return descriptorsOf(tmux.serverPid) === before;
    });
  },
});

Deno.test({
  name: "a server with no room for another who waits is waited for: no client is spawned to block there",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmux = await privateTmux();
    using libc = openSocketLibc(findLibcPath());
    const { exec } = createExec({ ...tmux.target, bin: "no-such-tmux" }, libc);
    await exec([["list-panes"]]);
    Deno.kill(tmux.serverPid, "SIGSTOP");
    const waiting = waitInLine(libc, tmux.socketPath);
    try {
      assert(waiting.length > 100);
      assertEquals(await codeOf(exec([["list-panes"]], { timeoutMs: 50 })), "timeout");
      const abort = new AbortController();
      const cancelled = exec([["list-panes"]], { signal: abort.signal });
      abort.abort(new Error("changed my mind"));
      await assertRejects(() => cancelled, Error, "changed my mind");
      const patient = exec([["display-message", "-p", "in the end"]], { timeoutMs: 600_000 });
      Deno.kill(tmux.serverPid, "SIGCONT");
      assertEquals(text((await patient).stdout), "in the end\n");
    } finally {
      Deno.kill(tmux.serverPid, "SIGCONT");
      for (const connection of waiting) connection.close();
    }
  },
});

/** Connections that a stopped server has not accepted: as many as it has room for. */
function waitInLine(libc: SocketLibc, path: string): Connection[] {
  const waiting: Connection[] = [];
  for (;;) {
    const connection = libc.connect(path);
    if (typeof connection !== "object" || !("fd" in connection)) return waiting;
    waiting.push(connection);
  }
}

function descriptorsOf(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

Deno.test("aborting ends the call at once with the signal's reason", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const exec = socketExec(libc, tmux);
  const abort = new AbortController();
  const reason = new Error("changed my mind");
  const waiting = exec([["wait-for", "never"]], { signal: abort.signal, timeoutMs: 600_000 });
  await exec([["list-panes"]]);
  abort.abort(reason);
  assertEquals(await waiting.catch((error) => error), reason);
  assertEquals(await exec([["list-panes"]], { signal: abort.signal }).catch((error) => error), reason);
});

Deno.test("no socket, a stale socket and a path too long for one are no server", async () => {
  const folder = await Deno.makeTempDir();
  try {
    using libc = openSocketLibc(findLibcPath());
    const stale = `${folder}/stale`;
    const listener = Deno.listen({ transport: "unix", path: stale });
    await assertRejects(() => execAt(libc, `${folder}/none`)([["list-panes"]]), NoServerError);
    await assertRejects(() => execAt(libc, `${folder}/${"x".repeat(120)}`)([["list-panes"]]), NoServerError);
    listener.close();
    await assertRejects(() => execAt(libc, stale)([["list-panes"]]), NoServerError);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "a server that closes without reading the command has not run it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      using libc = openSocketLibc(findLibcPath());
      const listener = Deno.listen({ transport: "unix", path: `${folder}/socket` });
      const call = execAt(libc, `${folder}/socket`)([["send-keys", "x"]]);
      listener.close();
      await assertRejects(() => call, NoServerError);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "another user's server is not talked to",
  ignore: Deno.uid() !== 0,
  async fn() {
    const folder = await Deno.makeTempDir();
    await Deno.chmod(folder, 0o777);
    const nobody = (args: string[]): Promise<Deno.CommandOutput> =>
      new Deno.Command("tmux", {
        args: ["-S", `${folder}/socket`, ...args],
        uid: 65534,
        cwd: folder,
        stdin: "null",
      }).output();
    try {
      assertEquals((await nobody(["new-session", "-d", "cat"])).code, 0);
      using libc = openSocketLibc(findLibcPath());
      await assertRejects(() => execAt(libc, `${folder}/socket`)([["list-panes"]]), NoServerError);
    } finally {
      await nobody(["kill-server"]);
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("a server that answers in pieces is understood", async () => {
  await using server = await fakeServer(async (conn) => {
    for (const byte of encodeMessage(MESSAGE.writeOpen, 1, 1, 0)) await conn.write(Uint8Array.of(byte));
    await conn.read(new Uint8Array(100));
    const rest = [...encodeMessage(MESSAGE.write, 1, bytes("hi")), ...encodeMessage(MESSAGE.exit, 0)];
    for (const byte of rest) await conn.write(Uint8Array.of(byte));
    await untilClosed(conn);
  });
  using libc = openSocketLibc(findLibcPath());
  assertEquals(text((await execAt(libc, server.path)([["x"]])).stdout), "hi");
});

/** Runs a batch on a server that sends each piece of its answer 50 s after the one before; it has 60 s. */
async function answerInTime(relayed: boolean): Promise<string> {
  const real = performance.now;
  let [ahead, heard] = [0, Promise.withResolvers<void>()];
  performance.now = () => real.call(performance) + ahead;
  await using server = await fakeServer(async (conn) => {
    await conn.write(encodeMessage(MESSAGE.writeOpen, 1, 1, 0));
    const closed = untilClosed(conn);
    for (const piece of ["one ", "two ", "three"]) {
      await Promise.race([heard.promise, closed]);
      heard = Promise.withResolvers();
      ahead += 50_000;
      await conn.write(encodeMessage(MESSAGE.write, 1, bytes(piece)));
    }
    await Promise.race([heard.promise, closed]);
    await conn.write(encodeMessage(MESSAGE.exit, 0));
    await closed;
  });
  using libc = openSocketLibc(findLibcPath());
  const target = { libc, path: server.path, env: {}, cwd: "/", pid: Deno.pid };
  const exec = createSocketExec({ ...target, relayed, heard: () => heard.resolve() });
  return await exec([["x"]], { timeoutMs: 60_000 }).then(({ stdout }) => text(stdout), (error) => error.code)
    .finally(() => performance.now = real);
}

Deno.test("an answer that another process passes on may take long to arrive, as long as it does", async () => {
  assertEquals([await answerInTime(true), await answerInTime(false)], ["one two three", "timeout"]);
});

Deno.test("whatever else a server says ends the call, and tells why", async () => {
  const cases: [string, Behaviour, string][] = [
    ["another protocol version", (conn) => say(conn, encodeMessage(MESSAGE.version)), "ProtocolError"],
    ["garbage", (conn) => say(conn, bytes("HTTP/1.1 400 Bad Request\r\n\r\n")), "ProtocolError"],
    ["nothing", () => Promise.resolve(), LOST],
    [
      "half a message",
      (conn) => say(conn, encodeMessage(MESSAGE.exit, 0).subarray(0, 10), "close"),
      LOST,
    ],
  ];
  using libc = openSocketLibc(findLibcPath());
  for (const [name, behave, expected] of cases) {
    await using server = await fakeServer(behave);
    const answer = execAt(libc, server.path)([["x"]]);
    assertEquals(await answer.then(({ stderr }) => stderr, (error) => error.name), expected, name);
  }
});

async function say(conn: Deno.Conn, message: Uint8Array, then: "wait" | "close" = "wait"): Promise<void> {
  await conn.write(message);
  if (then === "wait") await untilClosed(conn);
}

Deno.test("a worker needs no permission but the C library's path", async () => {
  await using tmux = await privateTmux();
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: { ffi: [findLibcPath()] } },
  });
  const answer = Promise.withResolvers<unknown>();
  worker.onmessage = (event) => answer.resolve(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    answer.reject(new Error(event.message));
  };
  worker.postMessage({ libcPath: findLibcPath(), socketPath: tmux.socketPath });
  try {
    assertEquals(await answer.promise, "main\n");
  } finally {
    worker.terminate();
  }
});
