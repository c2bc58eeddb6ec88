// Base of every front end: the kernel's probe, tmux servers, and the watches of their panes.
import type { Options } from "./config.ts";
import { findLibc, type Libc, openLibc } from "./ffi/libc.ts";
import { prepareForFew, raiseDescriptorLimit } from "./process/descriptors.ts";
import { findServerAbove } from "./process/ancestry.ts";
import { createProbe } from "./process/create_probe.ts";
import { findRecordsRoot } from "./durable/records_root.ts";
import { RecordStore } from "./durable/record_store.ts";
import { RemoteServers } from "./remote_servers.ts";
import { ProcFs } from "./process/linux/procfs.ts";
import { LocalServers } from "./local_servers.ts";
import { mayCrash } from "./tmux/control_client.ts";
import { Attacher } from "./tmux_protocol/attacher.ts";
import { openSocketLibc } from "./ffi/sockets.ts";
import type { SessionRef } from "./tmux/rows.ts";
import type { SpoolFile } from "./tmux/spool_pipe.ts";
import type { Tmux } from "./tmux/tmux.ts";
import type { ProcessIdentity } from "./process/process_identity.ts";
import { ClientMark } from "./watch/client_mark.ts";
import { PaneLocks } from "./watch/commands/prompt/pane_lock.ts";
import type { InboxEvent } from "./watch/inbox.ts";
import { RemainOnExitLeases } from "./watch/remain_on_exit_leases.ts";
import { Supervisor } from "./watch/supervisor.ts";
import { type ServerEventHandlers, ServerEvents, type ServerObserver } from "./watch/server_events.ts";
import { ServerPoller } from "./watch/server_poller.ts";
import { WatchRecords } from "./watch/durable/watch_records.ts";
import { Watches } from "./watch/watches.ts";
import { bestEffort } from "./promises.ts";
import { within } from "./timer.ts";

/** A poll that begins once the library is unloaded fails: it stays loaded where a control client outlives this. */
const UNLOAD_MS = 1000;

export interface EngineOptions {
  options: Options;
  /** The environment tmux clients are run with, and nothing else. */
  env: Readonly<Record<string, string>>;
  /** The environment of a tmux server that is started on this machine; `env` when left out. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** True if calls may see a session; all when left out. */
  seesSession?(session: SessionRef): boolean;
  /** Takes the events that nobody waits for. */
  push(event: InboxEvent): void;
  /** Reports what goes wrong outside of calls; to nobody when left out. */
  complain?(message: string): void;
}

/** Which tmux server. */
interface ServerChoice {
  socket?: string | undefined;
  host?: string | undefined;
}

export interface Engine {
  libc: Libc;
  /** Origin of the home server's socket, as text for people. */
  socketOrigin: string;
  /** The user this program runs as. */
  uid: number;
  /** The tmux server at a socket of a machine; neither means those this server was started for. */
  connect(where?: ServerChoice): Tmux;
  /** The path of a socket as policy compares them: resolved on this machine, as given on another. */
  socketPath(socket: string, host?: string): string;
  supervisor: Supervisor;
  leases: RemainOnExitLeases;
  locks: PaneLocks;
  /** Settles when calls may come. */
  prepared: Promise<void>;
  /** Takes back what dead processes have left on a tmux server of this machine. */
  sweep(tmux: Tmux): Promise<void>;
  watch: Watches;
  /** Records on disk; undefined where they are kept in memory only. */
  records: RecordStore | undefined;
  /** Files that pipes of a tmux server copy to, and how large each may become. */
  spoolsPiped(serverPid: number): SpoolFile[];
  /** Ends the pipe of a tmux server that copies to a file. */
  endSpoolPipe(serverPid: number, path: string): void;
  /** Reports what happens on a tmux server, once it follows it. */
  observe(tmux: Tmux, handlers: ServerEventHandlers): ServerObserver;
  /** Ends every worker and tmux client of its own. */
  close(): Promise<void>;
}

/** @throws {AppError} `unsupported` when the C library cannot be loaded */
export function createEngine(
  { options, env: given, serverEnv, push, complain = () => {}, seesSession = () => true }: EngineOptions,
): Engine {
  const libc = openLibc(findLibc());
  const { env, socketOrigin } = findHomeSocket(libc, options, given);
  const probe = createProbe(libc);
  const socketLibc = openSocketLibc(libc.path);
  const attacher = new Attacher(socketLibc, (fds) => fds.forEach((fd) => socketLibc.endSocket(fd)));
  const mark = new ClientMark(libc, Deno.pid);
  const maxDescriptors = raiseDescriptorLimit(libc);
  // Without it, calls still work while there are descriptors.
  const prepared = bestEffort(prepareForFew(maxDescriptors));
  const records = openRecords({ options, env, uid: socketLibc.uid, owner: mark.identity, complain });
  const watchRecords = records && new WatchRecords(records);
  const supervisor = new Supervisor({
    token: records?.token,
    libc,
    socketLibc,
    attacher,
    bin: options.tmuxBin,
    attach: options.attach,
    maxWorkers: options.maxWorkers,
    maxWatches: options.maxWatches,
    maxDescriptors,
    clientEnvironment: mark.environment,
  });
  const leases = new RemainOnExitLeases(options);
  const ended = new AbortController();
  const observers = new Set<ServerObserver>();
  const ownClients = (): Set<number> =>
    new Set([...supervisor.clients(), ...[...observers].flatMap((each) => each.pids())]);
  const locks = new PaneLocks(mark.identity);
  const mayType = (session: SessionRef): boolean => options.safety !== "readonly" && seesSession(session);
  const sweep = async (tmux: Tmux): Promise<void> => {
    await mark.sweep(tmux);
    await locks.sweep(tmux, mayType);
  };
  const localServers = new LocalServers({
    options,
    env,
    serverEnv,
    libc,
    probe,
    socketLibc,
    mark,
    sweep,
    ownClients,
    seesSession,
    ended: ended.signal,
  });
  const watch = new Watches({
    token: records?.token,
    supervisor,
    leases,
    errorPattern: options.errorPattern,
    errorIgnorePattern: options.errorIgnorePattern,
    cursor: (tmux, paneId) => tmux.capture.cursorReading(paneId),
    records: watchRecords,
    push,
  });
  const { caller } = localServers;
  const kernel = readKernel(libc);
  const remoteServers = new RemoteServers({
    options,
    env,
    socketLibc,
    ownClients,
    seesSession,
    caller,
    kernel,
    marks: {
      variable: mark.variable,
      processMark: mark.identity?.mark,
      sweep: (tmux) => mark.sweepPanes(tmux),
      isLost: (client) =>
        mark.isOwn(client.mark)
          ? client.orphaned || !ownClients().has(client.pid)
          : mark.isOrphaned(client.mark),
    },
    ended: ended.signal,
  });
  return {
    libc,
    socketOrigin,
    uid: socketLibc.uid,
    prepared,
    connect: ({ socket, host } = {}) => {
      socketLibc.leaveRemovedFolder();
      return host !== undefined || remoteServers.isHome
        ? remoteServers.connect(host, socket)
        : localServers.connect(socket);
    },
    socketPath: (socket, host) =>
      host === undefined && !remoteServers.isHome ? localServers.path(socket) : socket,
    supervisor,
    leases,
    locks,
    sweep,
    watch,
    records,
    spoolsPiped: (serverPid) => mark.spoolsPiped(serverPid),
    endSpoolPipe: (serverPid, path) => mark.endSpoolPipe(serverPid, path),
    observe(tmux, handlers) {
      const clientEnvironment = mark.environment;
      const observer = options.attach && !mayCrash(tmux.target)
        ? new ServerEvents({ tmux, attacher, clientEnvironment, ...handlers })
        : new ServerPoller({ tmux, ...handlers });
      observers.add(observer);
      return observer;
    },
    async close(): Promise<void> {
      watchRecords?.detach();
      await leases.close();
      ended.abort(new Error("The server is closing"));
      await Promise.all([supervisor.close(), ...[...observers].map((each) => each.close())]);
      await remoteServers.close();
      const isIdle = await within(attacher.idle.then(() => true), { ms: UNLOAD_MS, late: () => false });
      if (!isIdle) return;
      socketLibc[Symbol.dispose]();
      libc.unload();
    },
  };
}

/** Opens the records on disk; undefined where they last as long as this process. */
function openRecords({ options, env, uid, owner, complain }: {
  options: Options;
  env: EngineOptions["env"];
  uid: number;
  owner: ProcessIdentity | undefined;
  complain(message: string): void;
}): RecordStore | undefined {
  // tmux itself writes what outlives this process, and masks nothing.
  if (!options.durableEnabled || options.mask.length > 0) return undefined;
  const root = findRecordsRoot(options, env);
  if (root === undefined) {
    complain(
      "Records of commands and watches last as long as this process: XDG_STATE_HOME is not set, and HOME is no folder",
    );
    return undefined;
  }
  const { durableMaxBytes: maxBytes, durableKeepHours: keepHours } = options;
  return new RecordStore({ root, uid, maxBytes, keepHours, owner, complain });
}

/** Finds the default tmux server: if no option or variable names one, it is the one this program runs in. */
function findHomeSocket(
  libc: Libc,
  { socket }: Options,
  env: EngineOptions["env"],
): { env: EngineOptions["env"]; socketOrigin: string } {
  if (socket !== undefined) return { env, socketOrigin: "chosen by configuration (socket)" };
  if (env["TMUX"] !== undefined) return { env, socketOrigin: "from the variable TMUX" };
  const above = findServerAbove(libc);
  if (above === undefined) return { env, socketOrigin: "the default" };
  const { pid, socketPath } = above;
  return {
    env: { ...env, TMUX: `${socketPath},${pid},0` },
    socketOrigin: `that of the tmux server above this process (pid ${pid})`,
  };
}

/** Identity of the kernel: two hosts with the same one see the same processes. */
function readKernel(libc: Libc): string {
  const world = new ProcFs(libc).world();
  return world === undefined ? "" : `${world.boot}\n${world.namespace}`;
}
