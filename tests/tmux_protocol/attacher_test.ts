import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { Attacher } from "../../src/tmux_protocol/attacher.ts";
import { ControlClient } from "../../src/tmux/control_client.ts";
import { openSocketLibc, type SocketLibc } from "../../src/ffi/sockets.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { findLibcPath, type PrivateTmux, privateTmux } from "../tmux/private_tmux.ts";
import { until } from "../support/until.ts";

/** Version of tmux, as its server reports it at first. */
const VERSION = new TextDecoder().decode(new Deno.Command("tmux", { args: ["-V"] }).outputSync().stdout)
  .replace(/^tmux /, "");

interface Attached {
  client: ControlClient;
  closed: Promise<void>;
  /** Output of the panes. */
  printed(): string;
}

function attacherOf(libc: SocketLibc): Attacher {
  return new Attacher(libc, (fds) => fds.forEach((fd) => libc.endSocket(fd)));
}

function attach(
  attacher: Attacher,
  tmux: PrivateTmux,
  { session = "main", path = tmux.socketPath } = {},
): Attached {
  const closed = Promise.withResolvers<void>();
  let printed = "";
  const client = new ControlClient({
    target: { ...tmux.target, verified: { path, version: VERSION } },
    attacher,
    sessionId: session,
    flags: ["pause-after=10"],
    output: (_, bytes) => printed += new TextDecoder().decode(bytes),
    notification: () => {},
    closed: () => closed.resolve(),
  });
  return { client, closed: closed.promise, printed: () => printed };
}

async function run(tmux: PrivateTmux, ...command: string[]): Promise<string> {
  const { stdout } = await createProcessExec(tmux.target)([command]);
  return new TextDecoder().decode(stdout).trim();
}

/** Sockets that a test opened through `libc`: other test files of this process open and close theirs meanwhile. */
function socketsOpenedBy(libc: SocketLibc): { opened: ReadonlySet<string>; stillOpen(): string[] } {
  const opened = new Set<string>();
  const nameOf = (fd: number | string): string => Deno.readLinkSync(`/proc/self/fd/${fd}`);
  const { connect, pair } = libc;
  libc.connect = (path) => {
    const connection = connect.call(libc, path);
    if (typeof connection === "object" && "fd" in connection) opened.add(nameOf(connection.fd));
    return connection;
  };
  libc.pair = () => {
    const ends = pair.call(libc);
    for (const { fd } of ends ?? []) opened.add(nameOf(fd));
    return ends;
  };
  const stillOpen = (): string[] =>
    [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => {
      try {
        return nameOf(name);
      } catch {
        return "closed meanwhile";
      }
    }).filter((name) => opened.has(name));
  return { opened, stillOpen };
}

Deno.test("a control client without a process answers, tells what panes print, and leaves", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const { client, closed, printed } = attach(attacherOf(libc), tmux);
  await client.attached;
  assertEquals(client.handle.kind, "socket");
  const listed = await run(tmux, "list-clients", "-F", "#{client_name} #{client_flags} #{client_pid}");
  assertMatch(listed, new RegExp(`^tmux-mcp/${Deno.pid}\\.\\w+ .*control-mode,ignore-size.* ${Deno.pid}$`));
  assertEquals((await client.send("display-message -p 'é #{session_name}'")).text, "é main");
  assert((await client.send("no-such-command")).failed);
  await client.send("send-keys -l 'typed'");
  await until(() => printed().includes("typed"));
  await client.close();
  await closed;
  assertEquals(await run(tmux, "list-clients"), "");
  await assertRejects(() => client.send("list-panes"), AppError);
});

Deno.test("no descriptor is left of clients that were closed, and each could read all it was told", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const sockets = socketsOpenedBy(libc);
  const attacher = attacherOf(libc);
  for (let round = 0; round < 5; round++) {
    const clients = Array.from({ length: 8 }, () => attach(attacher, tmux));
    await Promise.all(clients.map(({ client }) => client.attached));
    const texts = await Promise.all(clients.map(({ client }, at) => client.send(`display-message -p ${at}`)));
    assertEquals(texts.map(({ text }) => text), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    await Promise.all(clients.map(({ client }) => client.close()));
  }
  // The thread that polled gets the signal to stop, and frees its own two once it has.
  await until(() => sockets.stillOpen().length === 0);
  // Each client opened a connection and two pairs.
  assert(sockets.opened.size >= 5 * 8 * 5, `${sockets.opened.size} sockets`);
  assertEquals(await run(tmux, "list-clients"), "");
});

Deno.test("more than a socket holds goes both ways, whole and in order", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const { client } = attach(attacherOf(libc), tmux);
  await client.attached;
  const words = Array.from({ length: 300 }, (_, at) => `${at} ${"x".repeat(10_000)}`);
  const replies = await Promise.all(words.map((word) =>
    client.send(`display-message -p -l '${word}'`)
      .then(({ failed, text }) => failed ? client.send(`display-message -p '${word}'`) : { text })
  ));
  assertEquals(replies.map(({ text }) => text), words);
  await client.close();
});

Deno.test("a client ends when its server does, when its session is not there, and when it is detached", async () => {
  using libc = openSocketLibc(findLibcPath());
  const attacher = attacherOf(libc);
  {
    await using tmux = await privateTmux();
    const nowhere = attach(attacher, tmux, { session: "$99" });
    const error = await assertRejects(() => nowhere.client.attached, AppError) as AppError;
    assertEquals(error.code, "not-found");
    await nowhere.closed;
    const detached = attach(attacher, tmux);
    await detached.client.attached;
    await run(tmux, "detach-client", "-s", "main");
    await detached.closed;
    const killed = attach(attacher, tmux);
    await killed.client.attached;
    await run(tmux, "kill-server");
    await killed.closed;
  }
});

Deno.test("where the socket can't be spoken to, a process is started", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const { client } = attach(attacherOf(libc), tmux, { path: `${tmux.folder}/none` });
  await client.attached;
  assertEquals(client.handle.kind, "process");
  await client.close();
});

// With `tmux -C attach-session` in their place, 7 to 16 of these ended tmux 3.3a.
Deno.test("sessions that come and go while control clients attach do not end tmux (up to 3.5a)", async () => {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  const attacher = attacherOf(libc);
  let attached = 0;
  const changing = (async () => {
    while (attached < 100) await run(tmux, "new-session", "-d", "-s", `x${attached}`, "cat");
  })();
  for (; attached < 100; attached++) {
    const { client } = attach(attacher, tmux);
    await client.attached;
    await client.close();
  }
  await changing;
  assertMatch(await run(tmux, "list-sessions", "-F", "#{session_name}"), /^main$/m);
});
