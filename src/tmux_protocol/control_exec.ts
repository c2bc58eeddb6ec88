// Runs a batch as a control client of a running server without starting a process; it attaches to no session.

import { Attacher, type VerifiedServer } from "./attacher.ts";
import { BoundedOutput } from "../tmux_exec/bounded_output.ts";
import {
  type Command,
  DEFAULT_TIMEOUT_MS,
  type ExecOptions,
  noAnswer,
  type Reply,
} from "../tmux_exec/exec.ts";
import type { SocketLibc } from "../ffi/sockets.ts";
import { within } from "../timer.ts";

/** Returns the output in control mode, with the failure it means without a reply; undefined if it takes a process. */
export type ControlExec = (
  server: VerifiedServer,
  commands: readonly Command[],
  options?: Pick<ExecOptions, "signal" | "timeoutMs">,
) => Promise<Reply | undefined>;

/**
 * Returns an exec for batches in control mode. A spawned `tmux -C` introduces itself in pieces, and tmux up to 3.5a
 * crashes if it has something to report in between; see `introduce` in attacher.ts.
 */
export function createControlExec(libc: SocketLibc): ControlExec {
  return async (server, commands, { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = {}) => {
    signal?.throwIfAborted();
    const attacher = new Attacher(libc, (fds) => fds.forEach((fd) => libc.endSocket(fd)));
    const channel = attacher.attach(server, commands);
    if (!channel) return undefined;
    const chunks: Uint8Array[] = [];
    const late = (): never => {
      throw noAnswer("tmux", timeoutMs);
    };
    try {
      // tmux ends a control client without a session once its batch has run.
      await within(channel.read((bytes) => chunks.push(bytes.slice())), { ms: timeoutMs, signal, late });
    } finally {
      await channel.end();
      await attacher.idle;
    }
    const output = new BoundedOutput();
    for (const chunk of chunks) output.push(chunk);
    return { code: 1, stdout: output.bytes(), stderr: "server exited unexpectedly" };
  };
}
