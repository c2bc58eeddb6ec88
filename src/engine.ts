// Base of all front ends: the kernel's probe, tmux servers, and the watches of their panes.
import type { Options } from "./config.ts";
import { findLibc, type Libc, openLibc } from "./ffi/libc.ts";
import { prepareForFew, raiseDescriptorLimit } from "./process/descriptors.ts";
import { findServerAbove } from "./process/ancestry.ts";
import { createProbe } from "./process/create_probe.ts";
import { findRecordsRoot } from "./records/records_root.ts";
import { RecordIds } from "./records/record_ids.ts";
import { RecordStore } from "./records/record_store.ts";
import { RemoteServers, type RemoteServersOptions } from "./remote_servers.ts";
import { ProcFs } from "./process/linux/procfs.ts";
import { LocalServers } from "./local_servers.ts";
import { Attacher } from "./tmux_protocol/attacher.ts";
import { openSocketLibc, type SocketLibc } from "./ffi/sockets.ts";
import type { ScopedRow } from "./tmux/rows.ts";
import { RunningBatches } from "./tmux/running_batches.ts";
import { checkSocket, withUsableFolders } from "./tmux/socket.ts";
import type { Tmux } from "./tmux/tmux.ts";
import { endUnclaimed } from "./tmux/unclaimed_panes.ts";
import { endUnfinished } from "./tmux/unfinished_sessions.ts";
import type { ProcessIdentity } from "./process/process_identity.ts";
import { ProcessStamp } from "./durable/process_stamp.ts";
import { PaneLocks } from "./commands/prompt/pane_lock.ts";
import { CLIENT_OF } from "./watch/protocol.ts";
import type { InboxEvent } from "./watch/inbox.ts";
import { pidOfKey } from "./tmux/server_key.ts";
import { RemainOnExitLeases } from "./watch/remain_on_exit_leases.ts";
import { Supervisor } from "./watch/supervisor.ts";
import { findSpool } from "./commands/durable/spooled_panes.ts";
import { awaitedPanes } from "./durable/unfinished_records.ts";
import { WatchRecords } from "./watch/watch_records.ts";
import { Watches } from "./watch/watches.ts";
import { bestEffort } from "./promises.ts";
import { removeLeftovers } from "./temporary_leftovers.ts";
import { within } from "./timer.ts";

/**
 * Time (ms) to wait for tmux clients before the library is unloaded. If one outlives this, the library stays loaded,
 * because a poll that begins later would fail.
 */
const UNLOAD_MS = 1000;

export interface EngineOptions extends Pick<RemoteServersOptions, "sshEnv"> {
  options: Options;
  /** Complete environment for tmux clients; nothing else is passed on. */
  env: Readonly<Record<string, string>>;
  /** Environment for a tmux server that is started on this machine; `env` if left out. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** True if calls may see a session; if left out, all are visible. */
  sees?(row: ScopedRow): boolean;
  /** True if calls may use the server at a socket; if left out, any. */
  seesSocket?(socket: string, host?: string): boolean;
  /** Returns the ids of the panes in scope; undefined if all are, as if it is left out. */
  visiblePanes?(tmux: Tmux): Promise<ReadonlySet<string> | undefined>;
  /** Sends the events that no call waits for to the client; undefined or absent if the client gets none. */
  push?: ((event: InboxEvent) => void) | undefined;
  /** Reports problems outside of calls; without it, they are dropped. */
  complain?(message: string): void;
}

/** Engine of one front end; closing it ends all its workers and tmux clients. */
export class Engine {
  readonly libc: Libc;
  /** Origin of the home server's socket, as text for people. */
  readonly socketOrigin: string;
  readonly uid: number;
  /** Stamp of this process; it also finds the pipes that copy panes to files. */
  readonly stamp: ProcessStamp;
  readonly supervisor: Supervisor;
  readonly leases: RemainOnExitLeases;
  readonly locks: PaneLocks;
  /** Settles when calls may come. */
  readonly prepared: Promise<void>;
  readonly watches: Watches;
  /** Ids for everything that this process begins. */
  readonly ids: RecordIds = new RecordIds();
  /** Records on disk; undefined if they are kept in memory only. */
  readonly records: RecordStore | undefined;
  readonly #options: EngineOptions;
  /** Environment, including the variable that names the home server. */
  readonly #env: EngineOptions["env"];
  readonly #socketLibc: SocketLibc & Disposable;
  readonly #attacher: Attacher;
  readonly #localServers: LocalServers;
  readonly #remoteServers: RemoteServers;
  readonly #watchRecords: WatchRecords | undefined;
  readonly #batches: RunningBatches = new RunningBatches();

  /** @throws {AppError} `unsupported` if the C library can't be loaded */
  constructor(engineOptions: EngineOptions) {
    const { options } = engineOptions;
    this.#options = engineOptions;
    this.libc = openLibc(findLibc());
    const { env, socketOrigin } = findHomeSocket(this.libc, options, withUsableFolders(engineOptions.env));
    this.#env = env;
    this.socketOrigin = socketOrigin;
    const socketLibc = this.#socketLibc = openSocketLibc(this.libc.path);
    this.uid = socketLibc.uid;
    this.#attacher = new Attacher(socketLibc, (fds) => fds.forEach((fd) => socketLibc.endSocket(fd)));
    this.stamp = new ProcessStamp(this.libc, Deno.pid);
    const owner = this.stamp.identity;
    this.locks = new PaneLocks(owner);
    const maxDescriptors = raiseDescriptorLimit(this.libc);
    // Without this, calls still work as long as there are descriptors.
    this.prepared = bestEffort(prepareForFew(maxDescriptors));
    this.records = openRecords(engineOptions, { env, uid: this.uid, ids: this.ids, owner });
    this.#watchRecords = this.records && new WatchRecords(this.records);
    this.supervisor = this.#createSupervisor(maxDescriptors);
    this.leases = new RemainOnExitLeases(options, (stamp) => this.stamp.isDead(stamp));
    this.#localServers = this.#createLocalServers();
    this.#remoteServers = this.#createRemoteServers();
    this.watches = this.#createWatches();
    const { uid, libc: { path: libcPath } } = this;
    const { ended } = this.#batches;
    void bestEffort(removeLeftovers({ env, libcPath, uid, owner, ended }));
  }

  /**
   * Returns the tmux server at a socket of a machine; by default, the one that this server was started for.
   * @throws {AppError} `invalid-argument` for a socket that can't exist, or a host that is not configured
   */
  connect({ socket, host }: { socket?: string | undefined; host?: string | undefined } = {}): Tmux {
    checkSocket(socket ?? this.#options.options.socket);
    this.#socketLibc.leaveRemovedFolder();
    return host !== undefined || this.#remoteServers.isHome
      ? this.#remoteServers.connect(host, socket)
      : this.#localServers.connect(socket);
  }

  /** Returns the tmux server at the socket of a record; undefined if its machine is not configured here. */
  find({ socket, host }: { socket: string; host?: string | undefined }): Tmux | undefined {
    if (host !== undefined) return this.#remoteServers.find(host, socket);
    return this.#remoteServers.isHome ? undefined : this.#localServers.connect(socket);
  }

  /** Returns the path of a socket as policy compares it: resolved on this machine, unchanged on another. */
  socketPath(socket: string, host?: string): string {
    const isHere = host === undefined && !this.#remoteServers.isHome;
    return isHere ? this.#localServers.path(socket) : socket;
  }

  /** Cleans up what dead processes have left on a tmux server that calls may use. */
  async sweep(tmux: Tmux): Promise<void> {
    const { options, sees, seesSocket, visiblePanes } = this.#options;
    if (seesSocket?.(tmux.socketPath, tmux.machine.host) === false) return;
    const awaited = async (): Promise<ReadonlySet<string>> => {
      const serverKey = await tmux.servers.key();
      return this.records && serverKey !== undefined ? awaitedPanes(this.records, serverKey) : new Set();
    };
    if (options.safety !== "readonly") {
      const isDead = (stamp: string): boolean => this.stamp.isDead(stamp);
      await endUnfinished(tmux, isDead);
      const visible = async () => await visiblePanes?.(tmux);
      await endUnclaimed(tmux, { isDead, visible });
      await this.stamp.sweepPanes(tmux, { awaited, visible });
    }
    // Its pids are those of another machine.
    if (tmux.machine.host !== undefined) return;
    await this.stamp.sweepClients(tmux);
    await this.locks.sweep(tmux, (pane) => options.safety !== "readonly" && (sees?.(pane) ?? true));
  }

  /** Ends every worker and tmux client. `unfollowed` is called in between, while commands still reach tmux. */
  async close(unfollowed?: () => Promise<void>): Promise<void> {
    this.#watchRecords?.detach();
    await this.leases.close();
    await this.supervisor.close();
    await unfollowed?.();
    const ended = this.#batches.end();
    await this.#remoteServers.close();
    const unused = Promise.all([this.#attacher.idle, ended]).then(() => true);
    if (!await within(unused, { ms: UNLOAD_MS, late: () => false })) return;
    this.#socketLibc[Symbol.dispose]();
    this.libc.unload();
  }

  #createSupervisor(maxDescriptors: number): Supervisor {
    const { options } = this.#options;
    return new Supervisor({
      ids: this.ids,
      libc: this.libc,
      socketLibc: this.#socketLibc,
      attacher: this.#attacher,
      bin: options.tmuxBin,
      attach: options.attach,
      maxWorkers: options.maxWorkers,
      maxWatches: options.maxWatches,
      maxDescriptors,
      clientEnvironment: this.stamp.environment,
      spoolOf: (pane) => this.records && findSpool(pane, this.records, (pid) => this.stamp.spoolsPiped(pid)),
      sweepPipes: ({ serverKey }) => this.stamp.sweepPipes(pidOfKey(serverKey)),
    });
  }

  #createLocalServers(): LocalServers {
    return new LocalServers({
      ...this.#serverOptions(),
      serverEnv: this.#options.serverEnv,
      libc: this.libc,
      inspector: createProbe(this.libc),
      stamp: this.stamp,
      sweep: (tmux) => this.sweep(tmux),
    });
  }

  #createRemoteServers(): RemoteServers {
    const { stamp } = this;
    return new RemoteServers({
      ...this.#serverOptions(),
      sshEnv: this.#options.sshEnv,
      caller: this.#localServers.caller,
      kernel: readKernel(this.libc),
      stamps: {
        variable: CLIENT_OF,
        processStamp: stamp.identity?.stamp,
        isDead: (other) => stamp.isDead(other),
        sweep: (tmux) => this.sweep(tmux),
        isLost: (client) =>
          stamp.isOwn(client.stamp)
            ? client.orphaned || !this.supervisor.clients().has(client.pid)
            : stamp.isDead(client.stamp),
      },
    });
  }

  #serverOptions() {
    const { options, sees = () => true } = this.#options;
    return {
      options,
      env: this.#env,
      socketLibc: this.#socketLibc,
      ownClients: () => this.supervisor.clients(),
      sees,
      batches: this.#batches,
    };
  }

  #createWatches(): Watches {
    const { options, push } = this.#options;
    return new Watches({
      token: this.ids.token,
      supervisor: this.supervisor,
      leases: this.leases,
      errorPattern: options.errorPattern,
      errorIgnorePattern: options.errorIgnorePattern,
      cursor: (tmux, paneId) => tmux.capture.cursorReading(paneId),
      records: this.#watchRecords,
      push,
    });
  }
}

/** Opens the records on disk; undefined if records last only as long as this process. */
function openRecords(
  { options, complain = () => {} }: EngineOptions,
  { env, ...own }: {
    env: EngineOptions["env"];
    uid: number;
    ids: RecordIds;
    owner: ProcessIdentity | undefined;
  },
): RecordStore | undefined {
  // Masked text can't be kept: tmux itself writes the output that outlives this process, and masks nothing.
  if (!options.durableEnabled || options.mask.length > 0) return undefined;
  const root = findRecordsRoot(options, env);
  if (root === undefined) {
    complain(
      "Records of commands and watches last as long as this process: XDG_STATE_HOME is not set, and HOME is not a folder",
    );
    return undefined;
  }
  const { durableMaxBytes: maxBytes, durableKeepHours: keepHours } = options;
  return new RecordStore({ root, maxBytes, keepHours, ...own, complain });
}

/** Finds the default tmux server; if no option or variable names one, it is the server that this program runs in. */
function findHomeSocket(
  libc: Libc,
  { socket }: Options,
  env: EngineOptions["env"],
): { env: EngineOptions["env"]; socketOrigin: string } {
  if (socket !== undefined) return { env, socketOrigin: "chosen by configuration (socket)" };
  const { TMUX: named } = env;
  if (named === "") return { env, socketOrigin: "the default, because the variable TMUX is empty" };
  if (named !== undefined) return { env, socketOrigin: "from the variable TMUX" };
  const above = findServerAbove(libc);
  if (above === undefined) return { env, socketOrigin: "the default" };
  const { pid, socketPath } = above;
  return {
    env: { ...env, TMUX: `${socketPath},${pid},0` },
    socketOrigin: `that of the tmux server above this process (pid ${pid})`,
  };
}

/** Identity of the kernel: two hosts with the same identity see the same processes. */
function readKernel(libc: Libc): string {
  const world = new ProcFs(libc).world();
  return world === undefined ? "" : `${world.boot}\n${world.namespace}`;
}
