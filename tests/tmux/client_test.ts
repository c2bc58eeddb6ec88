import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { createExec } from "../../src/tmux/client.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import type { Reply } from "../../src/tmux_exec/exec.ts";
import { encodeMessage, MESSAGE } from "../../src/tmux_protocol/imsg.ts";
import { openSocketLibc, type SocketLibc } from "../../src/ffi/sockets.ts";
import type { ProcessTarget } from "../../src/tmux/spawn.ts";
import { type Behaviour, type FakeServer, fakeServer, untilClosed } from "../tmux_protocol/fake_server.ts";
import { findLibcPath, privateTmux } from "./private_tmux.ts";
import { until } from "../support/until.ts";

const text = ({ stdout }: Reply): string => new TextDecoder().decode(stdout);

/** A libc whose connections are counted. */
function counting(libc: SocketLibc): SocketLibc & { connections: number } {
  return Object.assign(Object.create(libc), {
    connections: 0,
    uid: libc.uid,
    connect(path: string) {
      this.connections++;
      return libc.connect(path);
    },
    cwd: () => libc.cwd(),
  });
}

/** A target whose spawned client prints `spawned` whatever commands it is given. */
async function markedTarget(server: FakeServer): Promise<ProcessTarget> {
  const bin = `${server.folder}/tmux`;
  await Deno.writeTextFile(bin, '#!/bin/sh\ncase "$*" in -V) echo tmux 3.4;; *) echo spawned;; esac\n', {
    mode: 0o755,
  });
  return { bin, socketArgs: ["-S", server.path], env: { PATH: "/usr/bin:/bin" }, cwd: server.folder };
}

/** Returns what each client in turn is to be told, and `then` once the write has been opened. */
const printing = (conn: Deno.Conn, words: string): Promise<void> =>
  answer(conn, words, encodeMessage(MESSAGE.exit, 0));

async function answer(conn: Deno.Conn, words: string, last: Uint8Array): Promise<void> {
  await conn.write(encodeMessage(MESSAGE.writeOpen, 1, 1, 0));
  await conn.read(new Uint8Array(100));
  await conn.write(encodeMessage(MESSAGE.write, 1, new TextEncoder().encode(words)));
  await conn.write(last);
  await untilClosed(conn);
}

/** Waits until nobody listens at a socket. */
async function ended(path: string): Promise<void> {
  await until(async () => {
    try {
      const conn = await Deno.connect({ transport: "unix", path });
      await conn.read(new Uint8Array(1)).catch(() => {});
      conn.close();
      return false;
    } catch {
      return true;
    }
  });
}

Deno.test("a running server is reached by its socket, one connection a call after the first", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const counted = counting(libc);
  const { exec } = createExec({ ...tmux.target, bin: "no-such-tmux" }, counted);
  assertEquals(text(await exec([["display-message", "-p", "one"]])), "one\n");
  assertEquals(counted.connections, 2);
  assertEquals(text(await exec([["display-message", "-p", "two"]])), "two\n");
  assertEquals(counted.connections, 3);
});

Deno.test("a command without a target does not act on the pane that this program runs in", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const target = { ...tmux.target, env: { ...tmux.target.env, TMUX_PANE: "%0" } };
  const used = [["new-session", "-d", "-s", "used", "cat"], ["display-message", "-p", "#{session_name}"]];
  for (const exec of [createExec(target, libc).exec, createProcessExec(target)]) {
    assertEquals(text(await exec(used)), "used\n");
    await exec([["kill-session", "-t", "=used:"]]);
  }
});

Deno.test("output in control mode comes over the socket too, and ends with its server", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const { exec } = createExec({ ...tmux.target, bin: "no-such-tmux" }, libc);
  const frameTag = crypto.randomUUID();
  const framed = (command: string[]) =>
    exec([["list-commands", "-F", frameTag, "has-session"], command], { frameTag });
  const one = await framed(["display-message", "-p", "one"]);
  assertEquals([one.code, text(one)], [0, "one\n"]);
  const missing = await framed(["capture-pane", "-p", "-t", "%999"]);
  assertEquals([missing.code, missing.stderr], [1, "can't find pane: %999"]);
  const gone = await framed(["kill-server"]);
  assertEquals(gone.code, 0);
});

Deno.test("without a server, or after its end, a client is spawned, which may start one", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const { exec } = createExec(tmux.target, libc);
  for (let round = 0; round < 2; round++) {
    assertEquals((await exec([["kill-server"]])).code, 0);
    // A server on its way out may still take the spawned client in, and drop it.
    const none = await exec([["list-sessions"]]);
    assertMatch(none.stderr, /no server running|error connecting|server exited/);
    await ended(tmux.socketPath);
    assertEquals((await exec([["new-session", "-d", "-s", "again", "cat"]])).code, 0);
    assertEquals(text(await exec([["list-sessions", "-F", "#{session_name}"]])), "again\n");
  }
});

Deno.test("without libc, or without a path known to be tmux's, every client is spawned", async () => {
  await using server = await fakeServer(() => Promise.resolve());
  using libc = openSocketLibc(findLibcPath());
  const target = await markedTarget(server);
  assertEquals(text(await createExec(target).exec([["x"]])), "spawned\n");
  const odd = { ...target, socketArgs: [...target.socketArgs, "-f", "/dev/null"] };
  assertEquals(text(await createExec(odd, libc).exec([["x"]])), "spawned\n");
  assertEquals(server.clients, 0);
});

Deno.test("a server that does not pass the trial is left alone from then on", async () => {
  const behaviours: Record<string, Behaviour> = {
    "another protocol": async (conn) => {
      await conn.write(encodeMessage(MESSAGE.version));
      await untilClosed(conn);
    },
    "no UTF-8": (conn) => printing(conn, "__3.4"),
    "an error": (conn) => answer(conn, "", encodeMessage(MESSAGE.exit, 1)),
  };
  using libc = openSocketLibc(findLibcPath());
  for (const [name, behave] of Object.entries(behaviours)) {
    await using server = await fakeServer(behave);
    const { exec } = createExec(await markedTarget(server), libc);
    assertEquals(text(await exec([["x"]])), "spawned\n", name);
    assertEquals(text(await exec([["x"]])), "spawned\n", name);
    assertEquals(server.clients, 1, name);
  }
});

Deno.test("an answer that can't be read is not run again: it is an error once, and clients are spawned after", async () => {
  await using server = await fakeServer((conn, client) =>
    client === 1 ? printing(conn, "é3.3a") : answer(conn, "", encodeMessage(9999))
  );
  using libc = openSocketLibc(findLibcPath());
  const { exec } = createExec(await markedTarget(server), libc);
  const error = await assertRejects(() => exec([["send-keys", "x"]]), AppError) as AppError;
  assertEquals(error.code, "internal");
  assertMatch(error.hint ?? "", /may have run/);
  assertEquals(text(await exec([["x"]])), "spawned\n");
  assertEquals(server.clients, 2);
});

Deno.test("a server older than 3.2 is refused, though its letters are blotted out and a client could talk to it", async () => {
  await using server = await fakeServer((conn) => printing(conn, "__3.1c"));
  using libc = openSocketLibc(findLibcPath());
  const { exec } = createExec(await markedTarget(server), libc);
  for (let tries = 0; tries < 2; tries++) {
    const error = await assertRejects(() => exec([["x"]]), AppError) as AppError;
    assertEquals(error.code, "unsupported");
    assertMatch(error.message, /3\.1c/);
  }
});

Deno.test("a trial that is too slow fails the call and decides nothing", async () => {
  await using server = await fakeServer((conn, client) =>
    client === 1 ? untilClosed(conn) : printing(conn, "é3.3a")
  );
  using libc = openSocketLibc(findLibcPath());
  const { exec } = createExec(await markedTarget(server), libc);
  const error = await assertRejects(() => exec([["x"]], { timeoutMs: 50 }), AppError) as AppError;
  assertEquals(error.code, "timeout");
  assertEquals(text(await exec([["x"]])), "é3.3a");
});

Deno.test("another server at the same socket is asked again what it is", async () => {
  using libc = openSocketLibc(findLibcPath());
  await using tmux = await privateTmux();
  const { exec, protocolState: verified } = createExec(tmux.target, libc);
  await exec([["list-sessions"]]);
  assertEquals(verified()?.path, tmux.socketPath);
  const again = createProcessExec(tmux.target);
  await again([["kill-server"]]);
  await ended(tmux.socketPath);
  await again([["new-session", "-d", "cat"]]);
  assertEquals((await exec([["list-sessions"]])).code, 0);
  assertEquals(verified(), undefined);
  await exec([["list-sessions"]]);
  assertEquals(verified()?.path, tmux.socketPath);
});

Deno.test("the pid of the server is known whichever way it is reached, also of another user's", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  for (const protocol of [true, false]) {
    const { exec, serverPid } = createExec({ ...tmux.target, protocol }, libc);
    assertEquals(serverPid(), undefined);
    const pid = Number(text(await exec([["display-message", "-p", "#{pid}"]])));
    assertEquals(serverPid(), pid);
  }
  const connect = () => ({ foreignUid: 65534, peerPid: 0 });
  const foreign = Object.assign(Object.create(libc), { uid: 0, cwd: () => "/", connect });
  const { exec, serverPid } = createExec(tmux.target, foreign);
  await exec([["list-sessions"]]);
  assertEquals(serverPid(), 0);
});

Deno.test("a server of another user gets no client, unless it is named or this program runs as root", async () => {
  await using server = await fakeServer((conn) => untilClosed(conn));
  const target = { ...await markedTarget(server), ownOnly: true };
  const foreign = (uid: number): SocketLibc =>
    ({ uid, connect: () => ({ foreignUid: 65534, peerPid: 0 }), cwd: () => "/" }) as Partial<
      SocketLibc
    > as SocketLibc;
  for (const protocol of [true, false]) {
    const { exec } = createExec({ ...target, protocol }, foreign(1000));
    const error = await assertRejects(() => exec([["new-session", "-d"]]), AppError) as AppError;
    assertEquals(error.code, "denied");
    assertMatch(error.message, /belongs to another user \(uid 65534\)/);
    assertMatch(error.hint ?? "", /configuration \(socket\)/);
    for (
      const spared of [
        createExec({ ...target, ownOnly: false }, foreign(1000)),
        createExec(target, foreign(0)),
      ]
    ) {
      assertEquals(text(await spared.exec([["x"]])), "spawned\n");
    }
  }
  // Its queue can be full at that moment, and a tmux client would stand in line.
  let queued = 3;
  const full = {
    ...foreign(1000),
    connect: () => queued-- > 0 ? "full" as const : { foreignUid: 65534, peerPid: 0 },
  };
  const waiting = createExec({ ...target, protocol: false }, full);
  assertEquals((await assertRejects(() => waiting.exec([["x"]]), AppError) as AppError).code, "denied");
  const stuck = createExec({ ...target, protocol: false }, { ...full, connect: () => "full" });
  const late = await assertRejects(() => stuck.exec([["x"]], { timeoutMs: 50 }), AppError) as AppError;
  assertEquals(late.code, "timeout");
  using libc = openSocketLibc(findLibcPath());
  const own = Object.assign(Object.create(libc), {
    ...{ uid: 1000, connect: (path: string) => libc.connect(path), cwd: () => "/" },
  });
  assertEquals(text(await createExec({ ...target, protocol: false }, own).exec([["x"]])), "spawned\n");
});
