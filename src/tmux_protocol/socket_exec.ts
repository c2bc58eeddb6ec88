// Runs a batch as a client of a running tmux server without starting a process, with tmux's own protocol on its socket.

import { joinCommands } from "../tmux_exec/argv.ts";
import { Conversation } from "./conversation.ts";
import { DEFAULT_TIMEOUT_MS, type Exec, type ExecOptions, noAnswer, type Reply } from "../tmux_exec/exec.ts";
import { encodeMessage, MAX_MESSAGE_BYTES, MESSAGE } from "./imsg.ts";
import { Poller } from "../ffi/poller.ts";
import type { Connection, Files, SocketLibc } from "../ffi/sockets.ts";
import { concatBytes } from "../bytes.ts";
import { Semaphore } from "./semaphore.ts";
import { delay, onAbort, within } from "../timer.ts";

/** The server to talk to, and what a spawned client would have sent about itself. */
export interface SocketTarget {
  libc: SocketLibc;
  path: string;
  env: Readonly<Record<string, string>>;
  cwd: string;
  pid: number;
  /** Called with the pid of the process that listens there, for each connection. */
  met?(serverPid: number): void;
  /** File access for the server; without it, any file of this user. */
  files?: Files;
  /** Another process accepts connections for the server, so an end without a reply does not tell what was read. */
  relayed?: boolean;
  /** Called as bytes of a reply arrive. */
  heard?(): void;
}

/** There is no server to talk to at the socket. Nothing has been run. */
export class NoServerError extends Error {
  override readonly name = "NoServerError";
}

/**
 * Number of concurrent calls. tmux serves one call after the other, and lets 128 wait at its socket; a further call
 * finds no server there. Each call waits in a thread, of which Deno has 32.
 */
const AT_ONCE = 32;

/** Interval (ms) of checks for room at a server. */
export const FULL_MS = 20;

/** `CLIENT_UTF8`, which `tmux -u` sends about its terminal; the same bit from 2.2 to 3.7. */
const UTF8_FLAG = 0x10000;

/**
 * Returns an exec that runs each batch over a separate connection; it never starts a server.
 * @throws {NoServerError} if no server of this user listens at the path
 * @throws {ProtocolError} if the reply is not that of a tmux that we know; what the server did is unknown
 */
export function createSocketExec(target: SocketTarget): Exec {
  const identity = identify(target);
  const turns = new Semaphore(AT_ONCE);
  const poller = new Poller(target.libc);
  const talk: Exec = async (commands, options = {}) => {
    const argv = joinCommands(commands);
    const opening = concatBytes([identity, encodeMessage(MESSAGE.command, argv.length, ...argv)]);
    const patience = patienceOf(options);
    const connection = await connect(target, patience);
    target.met?.(connection.peerPid);
    const { stdin = new Uint8Array() } = options;
    const conversation = new Conversation(opening, stdin, target.files ?? target.libc);
    try {
      const wait = isLong(options) ? waitTogether(poller, connection) : connection.wait.bind(connection);
      return await converse(connection, conversation, {
        ...patience,
        wait,
        relayed: target.relayed ?? false,
        heard: () => target.heard?.(),
      });
    } finally {
      conversation.close();
      connection.close();
    }
  };
  return (commands, options) => {
    const act = (): Promise<Reply> => talk(commands, options);
    // Commands that are known to take long don't hold up others.
    return isLong(options) ? act() : turns.run(act, options?.signal);
  };
}

function isLong({ timeoutMs = 0 }: ExecOptions = {}): boolean {
  return timeoutMs > DEFAULT_TIMEOUT_MS;
}

/** Waits for a connection in the single thread of a poller: 32 waits in separate threads would stop this program. */
function waitTogether(poller: Poller, connection: Connection): Connection["wait"] {
  return async (ms, { forRoom }) => {
    const ready = Promise.withResolvers<void>();
    const stream = {
      fd: connection.fd,
      wantsRoom: () => forRoom,
      ready(): number {
        poller.leave(stream);
        ready.resolve();
        return 0;
      },
    };
    if (!poller.follow(stream)) return await connection.wait(ms, { forRoom });
    await within(ready.promise, { ms, late: () => poller.leave(stream) });
  };
}

/** Time limit of a call, from its turn on. */
interface Patience {
  signal: AbortSignal | undefined;
  /**
   * Milliseconds that remain.
   * @throws {AppError} `timeout` if none do; or the signal's reason
   */
  remaining(): number;
  /** Starts the time limit again. */
  renew(): void;
}

function patienceOf({ signal, timeoutMs = DEFAULT_TIMEOUT_MS }: ExecOptions): Patience {
  let deadline = 0;
  const renew = (): void => void (deadline = performance.now() + timeoutMs);
  renew();
  return {
    signal,
    renew,
    remaining(): number {
      signal?.throwIfAborted();
      const remaining = deadline - performance.now();
      if (remaining <= 0) throw noAnswer("tmux", timeoutMs);
      return remaining;
    },
  };
}

/** Connects. A stopped or swamped server has no room for another waiting client; a spawned one would only block. */
async function connect({ libc, path }: SocketTarget, patience: Patience): Promise<Connection> {
  for (;;) {
    const remaining = patience.remaining();
    const connection = libc.connect(path);
    if (connection === "full") {
      await delay(Math.min(remaining, FULL_MS));
      continue;
    }
    if (connection === undefined || "foreignUid" in connection) {
      throw new NoServerError(`No tmux server of this user at ${path}`);
    }
    return connection;
  }
}

async function converse(
  connection: Connection,
  conversation: Conversation,
  { signal, remaining, renew, wait, relayed, heard }:
    & Patience
    & { wait: Connection["wait"]; relayed: boolean; heard(): void },
): Promise<Reply> {
  using _ = onAbort(signal, () => connection.shutdown());
  while (conversation.reply === undefined) {
    send(connection, conversation);
    await wait(remaining(), { forRoom: conversation.pending !== undefined });
    signal?.throwIfAborted();
    if (!receive(connection, conversation, relayed)) continue;
    heard();
    // A reply that arrives slowly is one.
    if (relayed) renew();
  }
  return conversation.reply;
}

function send(connection: Connection, conversation: Conversation): void {
  while (conversation.pending !== undefined) {
    const count = connection.send(conversation.pending);
    if (count === 0) return;
    conversation.sent(count);
  }
}

/** Returns true if bytes have arrived. */
function receive(connection: Connection, conversation: Conversation, relayed: boolean): boolean {
  const count = connection.receive(conversation.space);
  if (count === "none yet") return false;
  if (count !== "reset" && count > 0) {
    conversation.received(count);
    return true;
  }
  // A server that is exiting accepts no connections, and what it has not read it has not run.
  const unread = relayed || count === "reset" || conversation.pending !== undefined;
  if (unread && !conversation.begun) throw new NoServerError("The tmux server is exiting");
  conversation.lost();
  return false;
}

/** Returns the first messages of `tmux -u` without a terminal, in order, but without the descriptors it passes. */
function identify({ env, cwd, pid }: SocketTarget): Uint8Array {
  const environ = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return concatBytes([
    encodeMessage(MESSAGE.identifyLongFlags, UTF8_FLAG, 0),
    encodeMessage(MESSAGE.identifyTerm, env["TERM"] ?? ""),
    encodeMessage(MESSAGE.identifyFeatures, 0),
    encodeMessage(MESSAGE.identifyTtyName, ""),
    encodeMessage(MESSAGE.identifyCwd, cwd),
    encodeMessage(MESSAGE.identifyClientPid, pid),
    ...environ.map((entry) => encodeMessage(MESSAGE.identifyEnviron, entry)).filter(fits),
    encodeMessage(MESSAGE.identifyDone),
  ]);
}

/** True if a variable can be sent: tmux, too, leaves out those that are too long. */
function fits(message: Uint8Array): boolean {
  return message.length <= MAX_MESSAGE_BYTES;
}
