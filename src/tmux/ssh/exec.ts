// Runs batches on another machine: over a forwarded socket where possible, else each in an ssh of its own.
import { AppError } from "../../errors.ts";
import { preferSocket } from "../client.ts";
import { type Command, DEFAULT_DEADLINE_MS, type Exec, type ExecOptions, type Reply } from "../exec.ts";
import { isLostServer } from "../failures.ts";
import type { Files, SocketLibc } from "../../ffi/sockets.ts";
import { createProcessExec, type ProcessTarget } from "../spawn.ts";
import { createSocketExec, NoServerError } from "../../tmux_protocol/socket_exec.ts";
import { connectFailure, connectionLost } from "./failures.ts";
import type { RemoteFacts, SshConnection, SshLink } from "./link.ts";
import { bestEffort } from "../../promises.ts";

export interface RemoteExecOptions {
  link: SshLink;
  /** Undefined: nothing is said on the server's socket, each batch takes an ssh of its own. */
  libc: SocketLibc | undefined;
  /** `["-S", path]`, `["-L", name]` or none for the default server there. */
  socketArgs: readonly string[];
}

/** tmux's client reads and writes files, and over the forwarded socket that client is on this machine. */
const FILE_COMMANDS: ReadonlySet<string> = new Set(["load-buffer", "save-buffer", "source-file"]);
const EACCES = 13;
/** Exit code of ssh for its own failures. */
const SSH_FAILED = 255;
/** After this many batches that only a process could run, the socket is given up: forwarding is not allowed. */
const MAX_MISSES = 3;

/** No server on another machine reads or writes a file of this one. */
const NO_FILES: Files = {
  openRead: () => ({ errno: EACCES }),
  openWrite: () => ({ errno: EACCES }),
  read: () => 0,
  write: () => {},
  closeFile: () => {},
};

/** How a client of a tmux server on the machine is started, by what is known of it. */
export function remoteTarget({ via, facts }: SshLink, socketArgs: readonly string[]): ProcessTarget {
  const { tmux = "tmux", version } = facts ?? {};
  return { bin: tmux, socketArgs, env: {}, via, ...(version !== undefined && { version }) };
}

/** @throws {AppError} as any Exec, naming the machine; `gone` when the connection is lost */
export function createRemoteExec(options: RemoteExecOptions): Exec {
  const { link } = options;
  let last: { connected: SshConnection; exec: Exec } | undefined;
  return async (commands, how = {}) => {
    const connected = await link.open(how.signal);
    if (last?.connected !== connected) last = { connected, exec: await execOver(connected, options) };
    try {
      return await last.exec(commands, how);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "timeout") throw error;
      // Whoever calls next is not to wait for a connection that is dead.
      bestEffort(link.check(connected));
      const { deadlineMs = DEFAULT_DEADLINE_MS } = how;
      throw new AppError("timeout", `No answer from tmux on host "${link.host}" in ${deadlineMs} ms`, {
        hint: "Call again; if it keeps failing, that machine or its tmux server may be stopped or hung",
      });
    }
  };
}

async function execOver(
  connected: SshConnection,
  { link, libc, socketArgs }: RemoteExecOptions,
): Promise<Exec> {
  const spawn = refusing(createProcessExec(remoteTarget(link, socketArgs)), link.host);
  if (libc === undefined) return spawn;
  const path = await link.forward(connected, remoteSocketPath(socketArgs, connected.facts));
  if (path === undefined) return spawn;
  const { env, home } = connected.facts;
  const target = { libc, path, env, cwd: home, pid: Deno.pid, files: NO_FILES, relayed: true };
  let [misses, missed] = [0, false];
  const socket = checking(createSocketExec(target), {
    check: () => link.check(connected),
    answered: () => misses = 0,
    missed: () => missed = true,
  });
  const counting: Exec = async (commands, options) => {
    const reply = await spawn(commands, options);
    if (missed && reply.code === 0) misses++;
    missed = false;
    return reply;
  };
  // No descriptor passes through a forwarded socket, so control clients can't use it.
  const { exec: quick } = preferSocket(socket, counting, path);
  return async (commands, options) =>
    await (misses >= MAX_MISSES || commands.some(usesFile) ? spawn : quick)(commands, options);
}

function remoteSocketPath([flag, value]: readonly string[], { socketFolder }: RemoteFacts): string {
  return flag === "-S" && value !== undefined ? value : `${socketFolder}/${value ?? "default"}`;
}

/** ssh's own failures are no reply of tmux's. */
function refusing(spawn: Exec, host: string): Exec {
  return async (commands, options) => {
    const reply = await spawn(commands, options);
    if (reply.code !== SSH_FAILED) return reply;
    throw /lost|closed|broken|reset/i.test(reply.stderr)
      ? connectionLost(host)
      : connectFailure(host, reply.stderr);
  };
}

interface Told {
  /** Throws when the connection is lost. */
  check(): Promise<void>;
  answered(): void;
  missed(): void;
}

/** An end without an answer is the server's, if the connection still stands. */
function checking(socket: Exec, { check, answered, missed }: Told): Exec {
  return async (commands: readonly Command[], options?: ExecOptions): Promise<Reply> => {
    try {
      const reply = await socket(commands, options);
      if (reply.code !== 0 && isLostServer(reply.stderr)) await check();
      answered();
      return reply;
    } catch (error) {
      if (!(error instanceof NoServerError)) throw error;
      await check();
      missed();
      throw error;
    }
  };
}

function usesFile([name = "", ...args]: Command): boolean {
  return FILE_COMMANDS.has(name) && args.at(-1) !== "-";
}
