// Decides how a batch of commands reaches a tmux server: through its socket, or through a spawned client.

import { AppError } from "../errors.ts";
import type { VerifiedServer } from "../tmux_protocol/attacher.ts";
import { DEFAULT_TIMEOUT_MS, type Exec, type ExecOptions, noAnswer } from "../tmux_exec/exec.ts";
import { ProtocolError } from "../tmux_protocol/imsg.ts";
import type { SocketLibc } from "../ffi/sockets.ts";
import { createProcessExec, type ProcessTarget, withoutOwnPane } from "./spawn.ts";
import { type ControlExec, createControlExec } from "../tmux_protocol/control_exec.ts";
import { createSocketExec, FULL_MS, NoServerError } from "../tmux_protocol/socket_exec.ts";
import { unframe } from "./printing_hooks.ts";
import { findSocketPath } from "./socket.ts";
import { checkVersion } from "../tmux_exec/version.ts";
import { checkProgram } from "./program_version.ts";
import { pollUntil } from "../timer.ts";

/** State of the server's socket: not tried yet, not usable, or usable with this tmux version. */
type ProtocolState = "untried" | "foreign" | { version: string };

export interface ServerConnection {
  exec: Exec;
  /** Result of the last check of the server's socket; undefined if only processes are used. */
  protocolState(): VerifiedServer | undefined;
  /** Version of the tmux program; undefined until a process was needed. */
  programVersion(): string | undefined;
  /** Pid of the process that listens at the socket, as in a `Connection`; undefined until it was reached. */
  serverPid(): number | undefined;
}

/** A server to talk to, and the environment for a server that a spawned client starts. */
export interface ExecTarget extends ProcessTarget {
  /** Environment for a server that is started; that of the clients if left out. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** False: the server's socket is not used, and each batch takes a process. */
  protocol?: boolean;
  /** True: a server of another user is refused, unless this program runs as root. */
  ownOnly?: boolean;
}

/**
 * Returns an exec that runs each batch over the server's socket if `libc` is given and the server speaks the expected
 * protocol, else in a process. A tmux that is too old is refused.
 */
export function createExec(
  { serverEnv, protocol = true, ownOnly = false, ...target }: ExecTarget,
  libc?: SocketLibc,
): ServerConnection {
  const path = libc && findSocketPath(target.socketArgs, target.env, libc.uid);
  let server: number | undefined;
  let forget = (): void => {};
  const serverPid = (): number | undefined => server;
  const met = (pid: number): void => {
    // A different server may run a different tmux version.
    if (pid !== server) forget();
    server = pid;
  };
  const { exec, programVersion } = createCheckedExec(
    serverEnv ? startingTarget(target, serverEnv, path) : target,
  );
  const spawn: Exec = async (commands, options) => {
    if (libc && path !== undefined && (ownOnly || !protocol || server === undefined)) {
      const pid = await findServer(libc, { path, ownOnly }, options);
      if (pid !== undefined) met(pid);
    }
    return await exec(commands, options);
  };
  if (libc === undefined || path === undefined || !protocol) {
    return { exec: spawn, protocolState: () => undefined, programVersion, serverPid };
  }
  const cwd = target.cwd ?? libc.cwd();
  const env = withoutOwnPane(target.env);
  const socket = createSocketExec({ libc, path, env, cwd, pid: Deno.pid, met });
  const connected = preferSocket({ socket, spawn, path, control: createControlExec(libc) });
  forget = connected.forget;
  return { ...connected, programVersion, serverPid };
}

/**
 * Returns the pid of the server at a socket, if it can be asked. tmux's client asks no server who it is: it sends the
 * whole environment, and reads and writes files for it.
 * @throws {AppError} with `ownOnly`: `denied` if the server belongs to another user; `timeout` if it lets nobody in
 */
async function findServer(
  libc: Pick<SocketLibc, "uid" | "connect">,
  { path, ownOnly }: { path: string; ownOnly: boolean },
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: ExecOptions = {},
): Promise<number | undefined> {
  const mayBeForeign = !ownOnly || libc.uid === 0;
  let reached: ReturnType<SocketLibc["connect"]>;
  const isDone = (): boolean => (reached = libc.connect(path)) !== "full" || mayBeForeign;
  if (!await pollUntil(isDone, { ms: timeoutMs, pauseMs: FULL_MS, signal })) {
    throw noAnswer("tmux", timeoutMs);
  }
  if (typeof reached !== "object") return undefined;
  if ("fd" in reached) reached.close();
  if ("fd" in reached || mayBeForeign) return reached.peerPid;
  const { foreignUid } = reached;
  const what = `Cannot use socket "${path}": it belongs to another user (uid ${foreignUid})`;
  throw new AppError("denied", what, {
    hint: "Use a socket of your own; if you trust that user, name this one in the configuration (socket)",
  });
}

export interface SocketRoutes {
  socket: Exec;
  spawn: Exec;
  path: string;
  /** For batches in control mode; those are spawned if it is left out. */
  control?: ControlExec;
}

/** Runs each batch over the socket once a server there has shown that it speaks our protocol; else in a process. */
export function preferSocket(
  { socket, spawn, path, control }: SocketRoutes,
): Pick<ServerConnection, "exec" | "protocolState"> & { forget(): void } {
  let state: ProtocolState = "untried";
  const exec: Exec = async (commands, options) => {
    if (state === "untried") state = await tryProtocol(socket, options);
    if (typeof state === "string") return await spawn(commands, options);
    if (options?.frameTag !== undefined) {
      const framed = await control?.({ path, ...state }, commands, options);
      return framed ? unframe(framed, options.frameTag) : await spawn(commands, options);
    }
    try {
      return await socket(commands, options);
    } catch (error) {
      if (error instanceof NoServerError) {
        // A different tmux may listen there next time.
        state = "untried";
        return await spawn(commands, options);
      }
      if (!(error instanceof ProtocolError)) throw error;
      state = "foreign";
      throw misunderstood(error);
    }
  };
  return {
    exec,
    protocolState: () => typeof state === "string" ? undefined : { path, ...state },
    forget: () => state = "untried",
  };
}

/** Returns the target with the socket as an argument, because a server's environment has no `TMUX` to name it. */
function startingTarget(target: ProcessTarget, env: ProcessTarget["env"], path?: string): ProcessTarget {
  const namedByTmux = target.socketArgs.length === 0 && Boolean(target.env["TMUX"]);
  return { ...target, env, ...(namedByTmux && path !== undefined && { socketArgs: ["-S", path] }) };
}

/** Spawns clients after the program's version has been checked once. */
function createCheckedExec(target: ProcessTarget): Pick<ServerConnection, "exec" | "programVersion"> {
  const spawn = createProcessExec(target);
  let version: string | undefined;
  return {
    exec: async (commands, options) => {
      version ??= await checkProgram(target);
      return await spawn(commands, options);
    },
    programVersion: () => version,
  };
}

/** Checks with a harmless command that the server understands us and uses UTF-8: others must not run twice. */
async function tryProtocol(socket: Exec, options: ExecOptions | undefined): Promise<ProtocolState> {
  try {
    const { code, stdout } = await socket([["display-message", "-p", "é#{version}"]], withoutInput(options));
    // tmux 3.1 replies too, but does not know our UTF-8 flag and replaces the letter.
    const [, letter, version] = /^(é|_+)(.+)/.exec(new TextDecoder().decode(stdout)) ?? [];
    if (code !== 0 || version === undefined) return "foreign";
    checkVersion(version, "End that server, and start one with a newer tmux");
    return letter === "é" ? { version } : "foreign";
  } catch (error) {
    if (error instanceof NoServerError) return "untried";
    if (error instanceof ProtocolError) return "foreign";
    throw error;
  }
}

function withoutInput({ stdin: _, ...options }: ExecOptions = {}): ExecOptions {
  return options;
}

function misunderstood(cause: ProtocolError): AppError {
  return new AppError("internal", `Cannot read tmux's answer: ${cause.message}`, {
    hint: "The command may have run: check before calling again",
    cause,
  });
}
