// Runs batches on another machine: over a forwarded socket if possible, else each in a separate ssh.
import { AppError, hasCode } from "../../errors.ts";
import { preferSocket } from "../client.ts";
import {
  type Command,
  DEFAULT_TIMEOUT_MS,
  type Exec,
  type ExecOptions,
  type Reply,
} from "../../tmux_exec/exec.ts";
import { isLostServer } from "../failures.ts";
import type { Files, SocketLibc } from "../../ffi/sockets.ts";
import { createProcessExec, type ProcessTarget } from "../spawn.ts";
import { createSocketExec, NoServerError } from "../../tmux_protocol/socket_exec.ts";
import { refusing } from "./failures.ts";
import type { RemoteFacts, SshConnection, SshLink } from "./link.ts";
import { bestEffort } from "../../promises.ts";

export interface RemoteExecOptions {
  link: SshLink;
  /** Undefined: the server's socket is not used, and each batch takes a separate ssh. */
  libc: SocketLibc | undefined;
  /** `["-S", path]`, `["-L", name]`, or empty for the default server there. */
  socketArgs: readonly string[];
}

/** Commands for which tmux's client uses files; over the forwarded socket, that client is on this machine. */
const FILE_COMMANDS: ReadonlySet<string> = new Set(["load-buffer", "save-buffer", "source-file"]);
const EACCES = 13;
/** Number of batches that only a process could run, after which the socket is given up: forwarding is not allowed. */
const MAX_MISSES = 3;

/** File access for a server on another machine, which must not read or write files here. */
const NO_FILES: Files = {
  openRead: () => ({ errno: EACCES }),
  openWrite: () => ({ errno: EACCES }),
  read: () => 0,
  write: () => {},
  closeFile: () => {},
};

/** Returns how a client of a tmux server on the machine is started, as far as the machine is known. */
export function remoteTarget({ via, facts }: SshLink, socketArgs: readonly string[]): ProcessTarget {
  const { tmux = "tmux", version } = facts ?? {};
  return { bin: tmux, socketArgs, env: {}, via, ...(version !== undefined && { version }) };
}

/** @throws {AppError} the errors of any Exec, naming the machine; `gone` if the connection is lost */
export function createRemoteExec(options: RemoteExecOptions): Exec {
  const { link } = options;
  let last: { connected: SshConnection; exec: Exec } | undefined;
  return async (commands, execOptions = {}) => {
    const connected = await link.open(execOptions.signal);
    if (last?.connected !== connected) last = { connected, exec: await execOver(connected, options) };
    try {
      return await last.exec(commands, execOptions);
    } catch (error) {
      if (!hasCode(error, "timeout")) throw error;
      const { timeoutMs = DEFAULT_TIMEOUT_MS } = execOptions;
      // The next call should not have to wait for a connection that is dead; a shorter time does not show that it is.
      if (timeoutMs >= DEFAULT_TIMEOUT_MS) bestEffort(link.check(connected));
      throw new AppError("timeout", `No answer from tmux on host "${link.host}" in ${timeoutMs} ms`, {
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
  const heard = (): void => void (connected.heardAt = performance.now());
  const target = { libc, path, env, cwd: home, pid: Deno.pid, files: NO_FILES, relayed: true, heard };
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
  const { exec: overSocket } = preferSocket({ socket, spawn: counting, path });
  return async (commands, options) =>
    await (misses >= MAX_MISSES || commands.some(usesFile) ? spawn : overSocket)(commands, options);
}

function remoteSocketPath([flag, value]: readonly string[], { socketFolder }: RemoteFacts): string {
  return flag === "-S" && value !== undefined ? value : `${socketFolder}/${value ?? "default"}`;
}

interface ConnectionReports {
  /** Throws if the connection is lost. */
  check(): Promise<void>;
  answered(): void;
  missed(): void;
}

/** Checks the connection after an end without a reply: if it still stands, the server has ended. */
function checking(socket: Exec, { check, answered, missed }: ConnectionReports): Exec {
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
