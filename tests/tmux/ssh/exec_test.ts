// A batch whose reply is lost on the forwarded socket: the state of the connection shows whose fault that is.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError, ConnectionLost } from "../../../src/errors.ts";
import type { Exec, Reply } from "../../../src/tmux_exec/exec.ts";
import { openSocketLibc } from "../../../src/ffi/sockets.ts";
import { createRemoteExec } from "../../../src/tmux/ssh/exec.ts";

import type { SshLink } from "../../../src/tmux/ssh/link.ts";
import { findLibcPath, type PrivateTmux, privateTmux } from "../private_tmux.ts";

interface Stage {
  tmux: PrivateTmux;
  exec: Exec;
  /** Number of times the connection was asked for. */
  asked(): number;
}

/** A server that is reached as if over a forwarded socket, by a connection that is up or down. */
async function stage(stands: boolean, act: (on: Stage) => Promise<void>): Promise<void> {
  await using tmux = await privateTmux();
  using libc = openSocketLibc(findLibcPath());
  let asked = 0;
  const connected = { facts: { env: {}, home: "/", socketFolder: tmux.folder } };
  const link = {
    host: "far",
    // A batch without a reply over the socket would be sent through it.
    via: { host: "far", system: "", architecture: "", bin: "false", args: [], env: {} },
    open: () => Promise.resolve(connected),
    forward: () => Promise.resolve(tmux.socketPath),
    check: () => (asked++, stands ? Promise.resolve() : Promise.reject(new ConnectionLost("far"))),
  };
  const socketArgs = ["-S", tmux.socketPath];
  const exec = createRemoteExec({ link: link as unknown as SshLink, libc, socketArgs });
  assertEquals((await exec([["list-sessions"]])).code, 0);
  assertEquals((await exec([["kill-session", "-t", "=none"]])).code, 1);
  assertEquals(asked, 0, "an answer is one, refusal or not");
  await act({ tmux, exec, asked: () => asked });
}

const PRINT = ["display-message", "-p", "an answer begins"];

/** Runs these, and ends the server under them. */
async function cutOff({ tmux, exec }: Stage, ...commands: string[][]): Promise<Reply> {
  const going = exec([...commands, ["wait-for", "-S", "begun"], ["wait-for", "never"]]);
  going.catch(() => {});
  await exec([["wait-for", "begun"]]);
  Deno.kill(tmux.serverPid, "SIGKILL");
  return await going;
}

Deno.test("an answer that was cut off is a lost connection's", async () => {
  await stage(false, async (on) => {
    const error = await assertRejects(() => cutOff(on, PRINT), AppError);
    assertEquals(error.code, "gone");
  });
});

Deno.test("an answer that never came is a lost connection's", async () => {
  await stage(false, async (on) => {
    const error = await assertRejects(() => cutOff(on), AppError);
    assertEquals(error.code, "gone");
  });
});

Deno.test("an answer that was cut off while the connection stands is the server's end", async () => {
  await stage(true, async (on) => {
    const { code, stderr } = await cutOff(on, PRINT);
    assertEquals([code, stderr, on.asked()], [1, "server exited unexpectedly\n", 1]);
  });
});
