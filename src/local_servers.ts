// The tmux servers of this machine by socket, each object created at its first use.
import { ownerValue } from "./tmux/ownership.ts";
import { readAncestry } from "./process/ancestry.ts";
import type { Libc } from "./ffi/libc.ts";
import { isUnseen } from "./process/unseen.ts";
import type { Caller } from "./tmux/caller.ts";
import { LocalMachine, type LocalMachineOptions, UnseenMachine } from "./machines/local.ts";
import { createExec } from "./tmux/client.ts";
import { findSocketPath, socketArguments, socketFolder, spellSocket } from "./tmux/socket.ts";
import { Tmux } from "./tmux/tmux.ts";
import type { ProcessStamp } from "./durable/process_stamp.ts";
import { bestEffort } from "./promises.ts";
import type { RemoteServersOptions } from "./remote_servers.ts";

export interface LocalServersOptions
  extends
    Omit<LocalMachineOptions, "bin" | "socketFolder">,
    Omit<RemoteServersOptions, "sshEnv" | "stamps" | "caller" | "kernel"> {
  stamp: ProcessStamp;
  /** Cleans up what dead processes have left on a tmux server. */
  sweep(tmux: Tmux): Promise<void>;
}

export class LocalServers {
  readonly #servers: Map<string, Tmux> = new Map();
  readonly #options: LocalServersOptions;
  readonly #machine: LocalMachine;
  readonly #unseen: UnseenMachine;
  /** Place of this program. */
  readonly caller: Caller;

  constructor(options: LocalServersOptions) {
    this.#options = options;
    this.caller = readCaller(options.libc, options.env);
    const { libc, inspector, env, serverEnv } = options;
    const folder = socketFolder(env["TMUX_TMPDIR"], options.socketLibc.uid);
    const bin = options.options.tmuxBin;
    const machine = { libc, inspector, bin, env, serverEnv, socketFolder: folder };
    this.#machine = new LocalMachine(machine);
    this.#unseen = new UnseenMachine(machine);
  }

  /** Returns a function that returns true while the server's processes can't be seen from here. */
  #sight(serverPid: () => number | undefined): () => boolean {
    let known: { pid: number; unseen: boolean } | undefined;
    return () => {
      const pid = serverPid();
      if (pid !== undefined && pid !== known?.pid) known = { pid, unseen: isUnseen(this.#options.libc, pid) };
      return known?.unseen === true;
    };
  }

  /** Returns the absolute path of a socket given by path or name. */
  path(socket: string | undefined = this.#options.options.socket): string {
    const args = socketArguments(socket);
    return findSocketPath(args, this.#options.env, this.#options.socketLibc.uid) ?? spellSocket(socket);
  }

  /** True for the socket that the configuration names, and for that of `TMUX`. */
  #isNamed(path: string): boolean {
    const { options: { socket }, env } = this.#options;
    return (socket !== undefined && path === this.path()) || path === env["TMUX"]?.split(",")[0];
  }

  connect(socket: string | undefined = this.#options.options.socket): Tmux {
    const path = this.path(socket);
    const known = this.#servers.get(path);
    if (known) return known;
    const { options, env, serverEnv, stamp, sweep, ownClients, sees, batches } = this.#options;
    const target = { bin: options.tmuxBin, socketArgs: socketArguments(socket), env };
    const { exec, protocolState, programVersion, serverPid } = createExec(
      { ...target, serverEnv, protocol: options.tmuxProtocol, ownOnly: !this.#isNamed(path) },
      this.#options.socketLibc,
    );
    const isUnseen = this.#sight(serverPid);
    const tmux: Tmux = new Tmux({
      exec: batches.ending(exec),
      target: () => {
        const [verified, version] = [protocolState(), programVersion()];
        return {
          ...target,
          ...(version !== undefined && { version }),
          ...(verified && { verified }),
          ...(isUnseen() && { isUnseen: true }),
        };
      },
      machine: () => isUnseen() ? this.#unseen : this.#machine,
      at: (path) => this.connect(path),
      socket: spellSocket(socket),
      socketPath: path,
      // A spawned client of another server has no name of ours.
      ownClients: () => {
        const own = ownClients();
        return { has: (pid) => own.has(pid) || stamp.isStamped(pid) };
      },
      sees,
      owner: ownerValue(options.instance),
      processStamp: stamp.identity?.stamp,
      isDead: (other) => stamp.isDead(other),
      foundLeft: onceForEach(() => bestEffort(sweep(tmux))),
      caller: () => this.caller,
    });
    this.#servers.set(path, tmux);
    // This isn't awaited, because a server that can't be reached has nothing to clean up.
    bestEffort(sweep(tmux));
    return tmux;
  }
}

/** Returns a function that acts on each text once: what can't be cleaned up is found again and again. */
function onceForEach(act: () => unknown): (text: string) => void {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return;
    known.add(text);
    act();
  };
}

function readCaller(libc: Libc, { TMUX, TMUX_PANE }: Readonly<Record<string, string>>): Caller {
  return {
    ...readAncestry(libc),
    ...(TMUX === undefined ? {} : { tmux: TMUX }),
    ...(TMUX_PANE === undefined ? {} : { tmuxPane: TMUX_PANE }),
  };
}
