// The tmux servers of other machines, each behind one connection that is opened at its first use.
import type { Host, Options } from "./config.ts";
import { AppError } from "./errors.ts";
import { type ClientStamps, endLostClients } from "./machines/remote_clients.ts";
import { RemoteMachine } from "./machines/remote.ts";
import { ownerValue } from "./tmux/ownership.ts";
import type { Caller } from "./tmux/caller.ts";
import { createRemoteExec, remoteTarget } from "./tmux/ssh/exec.ts";
import type { SocketLibc } from "./ffi/sockets.ts";
import { socketArguments, spellSocket } from "./tmux/socket.ts";
import { SshLink } from "./tmux/ssh/link.ts";
import { PrivateFolder, socketParents } from "./tmux/ssh/private_folder.ts";
import { parseSshWords } from "./tmux/ssh/words.ts";
import type { ScopedRow } from "./tmux/rows.ts";
import type { RunningBatches } from "./tmux/running_batches.ts";
import { Tmux } from "./tmux/tmux.ts";
import { bestEffort } from "./promises.ts";
import { getOrCreate } from "./maps.ts";

export interface RemoteServersOptions {
  options: Options;
  env: Readonly<Record<string, string>>;
  /** Environment for ssh, beside `env`. */
  sshEnv?: Readonly<Record<string, string>> | undefined;
  socketLibc: SocketLibc;
  ownClients(): ReadonlySet<number>;
  sees(row: ScopedRow): boolean;
  stamps: ServerStamps;
  /** Place of this program on this machine, which may also be a host. */
  caller: Caller;
  /** Id of this boot and pid namespace; empty if unknown. */
  kernel: string;
  batches: RunningBatches;
}

/** Stamps that this process leaves on the tmux servers of hosts. */
export interface ServerStamps extends ClientStamps {
  /** Stamp of this process, by which others on this machine see if it is alive. */
  readonly processStamp: string | undefined;
  isDead(processStamp: string): boolean;
  /** Removes stamps of dead processes of this machine. */
  sweep(tmux: Tmux): Promise<void>;
}

interface Reached {
  link: SshLink;
  machine: RemoteMachine;
  /** Socket that the configuration names for this host, if any. */
  socket: string | undefined;
  servers: Map<string, Tmux>;
}

const NOWHERE: Caller = { ancestorPids: new Set() };
/** Environment in which no ssh asks a person; that of a jump host gets no options. */
const ASKS_NOBODY = { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" };

export class RemoteServers {
  readonly #options: RemoteServersOptions;
  readonly #hosts: ReadonlyMap<string, Reached>;
  /** Folder for the connections' sockets, of all hosts. */
  readonly #folder: PrivateFolder;
  #connections = 0;

  /** @throws {AppError} `invalid-argument` for arguments with which ssh could not be started */
  constructor(options: RemoteServersOptions) {
    this.#options = options;
    this.#folder = new PrivateFolder(socketParents(options.env), options.stamps.processStamp);
    const { hosts, ssh, socket } = options.options;
    const named: [string, Host][] = Object.entries(hosts);
    const all = ssh === undefined ? named : [...named, [HOME, { ssh, socket }] as [string, Host]];
    this.#hosts = new Map(all.map(([name, host]) => [name, this.#reach(name, host)]));
  }

  /** True if calls that name no host go to another machine (`--ssh`). */
  get isHome(): boolean {
    return this.#hosts.has(HOME);
  }

  /** Returns the server at a socket of a named host; without a name, of the machine of `--ssh`. */
  connect(host: string = HOME, given?: string): Tmux {
    const reached = this.#hosts.get(host);
    if (reached === undefined) {
      throw new AppError("invalid-argument", `Unknown host "${host}"`, {
        hint: `Valid hosts: ${[...this.#hosts.keys()].filter((name) => name !== HOME).join(", ") || "none"}`,
      });
    }
    const socket = given ?? reached.socket;
    const key = spellSocket(socket);
    const known = reached.servers.get(key);
    if (known) return known;
    const tmux = this.#tmux(reached, socket);
    reached.servers.set(key, tmux);
    // The connection may be for a call that is denied: it is opened only by one that uses the server.
    if (reached.link.facts) bestEffort(this.#options.stamps.sweep(tmux));
    return tmux;
  }

  /** Returns the server at a socket of the machine whose `Machine.host` this is; undefined for an unknown machine. */
  find(host: string, socket: string): Tmux | undefined {
    const key = [...this.#hosts].find(([, { machine }]) => machine.host === host)?.[0];
    return key === undefined ? undefined : this.connect(key, socket);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map(({ link }) => link.close()));
    await this.#folder.remove();
  }

  #reach(name: string, { ssh, socket }: Host): Reached {
    const words = parseSshWords(ssh);
    const host = name === HOME ? words.destination : name;
    const { env, sshEnv, stamps } = this.#options;
    const servers = new Map<string, Tmux>();
    const link = new SshLink({
      host,
      words,
      env: { ...sshEnv, ...env, ...ASKS_NOBODY },
      newSocket: () => `${this.#folder.path()}/${++this.#connections}`,
      begun: async (connected) => {
        // These aren't awaited: they use the connection, which is open only after this.
        for (const tmux of servers.values()) bestEffort(stamps.sweep(tmux));
        if (connected.facts.system === "Linux") await endLostClients(connected, stamps);
      },
    });
    return { link, machine: new RemoteMachine(link), socket, servers };
  }

  #tmux({ link, machine, servers }: Reached, socket: string | undefined): Tmux {
    const { options, socketLibc, ownClients, sees, stamps, caller, kernel, batches } = this.#options;
    const socketArgs = socketArguments(socket);
    const libc = options.tmuxProtocol ? socketLibc : undefined;
    const exec = createRemoteExec({ link, libc, socketArgs });
    const at = (path: string): Tmux =>
      getOrCreate(servers, path, () => this.#tmux({ link, machine, socket, servers }, path));
    return new Tmux({
      exec: batches.ending(exec),
      target: () => remoteTarget(link, socketArgs),
      machine: () => machine,
      at,
      socket: spellSocket(socket),
      socketPath: spellSocket(socket),
      ownClients,
      sees,
      owner: ownerValue(options.instance),
      processStamp: stamps.processStamp,
      isDead: (stamp) => stamps.isDead(stamp),
      // A host can be this same machine, with this program in one of its panes.
      caller: () => kernel !== "" && link.facts?.kernel === kernel ? caller : NOWHERE,
    });
  }
}

/** Key of the machine of `--ssh` among the hosts, whose names are never empty. */
const HOME = "";
