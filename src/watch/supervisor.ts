// Owns the watch workers: decides how many there are, which one serves a follow, and when they end.
import { AppError, messageOf, noDescriptor, ShuttingDown } from "../errors.ts";
import { canStartWorker, hasRoom } from "../process/descriptors.ts";
import { SIGTERM } from "../process/signals.ts";
import type { Libc } from "../ffi/libc.ts";
import type { Attacher } from "../tmux_protocol/attacher.ts";
import { type ClientHandle, pidOf } from "../tmux_exec/control_channel.ts";
import { mayCrash } from "../tmux/crash_risk.ts";
import type { SocketLibc } from "../ffi/sockets.ts";
import { NoOutputClients } from "./no_output_clients.ts";
import { type FollowSpec, type PaneRef, serverOf, type SpoolRef } from "./protocol.ts";
import { WakeScheduler } from "./wake_scheduler.ts";
import { Follow, type FollowHandle, type FollowHandlers, unattached } from "./follow.ts";
import { WorkerHandle } from "./worker_handle.ts";
import { bestEffort } from "../promises.ts";
import type { RecordIds } from "../records/record_ids.ts";

export interface SupervisorOptions {
  libc: Libc;
  socketLibc: SocketLibc;
  attacher: Attacher;
  /** Path of tmux, the only program that a worker may run; a worker for a host runs ssh instead. */
  bin: string;
  /** True if clients may attach to the user's sessions; if not, panes are read through their pipes. */
  attach: boolean;
  maxWorkers: number;
  ids: RecordIds;
  maxWatches: number;
  /** Number of files that this process may have open. */
  maxDescriptors: number;
  /** Added to the environment of every control client (see process_stamp). */
  clientEnvironment: Readonly<Record<string, string>>;
  /** Returns the file of a command that a pane's pipe copies to. */
  spoolOf(pane: PaneRef): SpoolRef | undefined;
  /** Ends the pipes of dead processes on a pane's tmux server. */
  sweepPipes(pane: PaneRef): void;
}

/** Number of workers, of about 12 MB each, that are started before any is shared. */
const OWN_WORKERS = 2;
/** Number of follows per worker at which another worker is started. */
const FULL_LOAD = 24;
/** A worker gets at most this many more follows than the least loaded one. */
const UNEVEN = 10;
const PULSE_MS = 2000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #workers: Set<WorkerHandle> = new Set();
  readonly #noOutputClients: NoOutputClients;
  readonly #wakeScheduler: WakeScheduler;
  /** Places where no client stayed attached. */
  readonly #refusing: Set<string> = new Set();
  /** One timer for all workers, running only while there are follows, because each timer wakes the thread. */
  #pulse: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#noOutputClients = new NoOutputClients(options.attacher);
    this.#wakeScheduler = new WakeScheduler(options.libc);
  }

  /** Pids of all control clients of this program. */
  clients(): ReadonlySet<number> {
    return new Set(
      [...this.#workers].flatMap((worker) => worker.clients.map(pidOf)).concat(this.#noOutputClients.pids()),
    );
  }

  /** Starts a worker before it is needed, which takes about 40 ms. */
  warm(): void {
    const { bin, attach } = this.#options;
    if (this.#closed || [...this.#workers].some((worker) => isLocal(worker) && !worker.ending)) return;
    try {
      if (canStartWorker(this.#options.libc)) this.#spawn(attach ? { bin } : { bin, affinity: PIPES });
    } catch {
      // The call that needs a worker says what is wrong.
    }
  }

  /** Returns a new watch id. `serverKey` belongs in ids that callers keep: pane ids start again with each server. */
  newWatchId(serverKey?: string): string {
    return this.#options.ids.next("w", serverKey);
  }

  /**
   * Follows panes in a worker. Commands and REPL calls (`isWatch: false`) do not count towards `maxWatches`.
   * @throws {AppError} `busy` if `maxWatches` are running, or too few descriptors are left
   */
  follow(
    spec: FollowSpec,
    handlers: FollowHandlers,
    { watchId = this.newWatchId(), isWatch = true }: { watchId?: string | undefined; isWatch?: boolean } = {},
  ): FollowHandle {
    const { maxWatches } = this.#options;
    if (isWatch && this.#follows.filter((follow) => follow.isWatch).length >= maxWatches) {
      throw tooMany(maxWatches);
    }
    if (!this.#hasRoom(Math.max(1, this.#workers.size))) throw noDescriptor("Cannot follow another pane");
    if (this.#closed) throw new ShuttingDown();
    const follow = new Follow({ watchId, spec: this.#marked(spec), handlers, isWatch });
    this.#place(follow);
    this.#pulse ??= setInterval(() => this.#checkPulses(), PULSE_MS);
    return follow;
  }

  get #follows(): Follow[] {
    return [...this.#workers].flatMap((worker) => [...worker.follows]);
  }

  /** True if there are descriptors for another follow, with this many workers. */
  #hasRoom(workers: number): boolean {
    return hasRoom(this.#options.maxDescriptors, { workers, watches: this.#follows.length + 1 });
  }

  #checkPulses(): void {
    for (const worker of this.#workers) worker.checkPulse();
    if (this.#follows.length === 0) this.#endPulse();
  }

  #endPulse(): void {
    clearInterval(this.#pulse);
    this.#pulse = undefined;
  }

  #place(follow: Follow): void {
    const { server, panes, lingerMs } = follow.spec;
    if (server.unattached) {
      this.#options.sweepPipes(panes[0]!);
      follow.readSpools(this.#options.spoolOf);
    }
    const worker = this.#pick(follow.spec);
    const release = server.unattached
      ? undefined
      : this.#noOutputClients.hold(server, panes[0]!.sessionId, lingerMs);
    follow.serve(worker, release);
  }

  /** Reads the panes through their pipes, unless that was tried already; on a host there is no other way. */
  #refused(follow: Follow, error: AppError): void {
    const { server } = follow.spec;
    if (server.unattached || server.via) return follow.fail(error);
    this.#refusing.add(placeOf(follow.spec));
    follow.becomeUnattached();
    this.#placeAgain(follow);
  }

  /** Reads the spool instead if a command has begun to use the pane's pipe after the follow was placed. */
  #failed(follow: Follow, error: AppError): void {
    const isPiped = error.code === "busy" && follow.spec.server.unattached && !follow.isReady;
    if (!isPiped || !follow.readSpools(this.#options.spoolOf)) return follow.fail(error);
    this.#placeAgain(follow);
  }

  #placeAgain(follow: Follow): void {
    try {
      this.#place(follow);
    } catch (error) {
      follow.fail(error instanceof AppError ? error : new AppError("internal", messageOf(error)));
    }
  }

  #marked(spec: FollowSpec): FollowSpec {
    const env = { ...spec.server.env, ...this.#options.clientEnvironment };
    const marked = { ...spec, server: { ...spec.server, env } };
    return this.attaches(marked) ? marked : unattached(marked);
  }

  /** True if a client would be attached; panes of another machine can't be followed in any other way. */
  attaches(spec: FollowSpec): boolean {
    const { server } = spec;
    if (mayCrash(server) && !server.via) return false;
    return this.#options.attach && !this.#refusing.has(placeOf(spec));
  }

  /** Ends every worker and control client of this program. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endPulse();
    await Promise.all([...[...this.#workers].map((worker) => worker.end()), this.#noOutputClients.close()]);
  }

  /**
   * Picks a worker, in this order: one that watches the same pane, so that two watches report what they see there in
   * its order; an idle one; a new one while there are few; one that has a client of the same session; the least
   * loaded one. Sharing a client is worth some unevenness, because tmux sends everything to each client. A host has
   * one worker: each worker takes sessions of the host's connection, of which sshd grants ten (MaxSessions). All
   * panes that are read through their pipes also share one worker.
   */
  #pick(spec: FollowSpec): WorkerHandle {
    const { bin, via } = spec.server;
    const affinity = via?.host ?? (spec.server.unattached ? PIPES : undefined);
    const workers = [...this.#workers].filter((worker) => worker.affinity === affinity && !worker.ending);
    if (affinity !== undefined) return workers[0] ?? this.#spawn({ bin: via?.bin ?? bin, affinity });
    const byLoad = workers.sort((a, b) => a.load - b.load);
    const least = byLoad[0];
    const samePane = spec.triggers.length > 0 && byLoad.find((worker) => worker.watches(spec));
    // Two workers might report the output of one pane in a different order.
    if (samePane) return samePane;
    if (least?.load === 0) return least;
    // Waking a worker costs as much as inspecting twenty idle panes.
    const limit = least && least.load >= FULL_LOAD ? Infinity : OWN_WORKERS;
    const isFew = workers.length < Math.min(this.#options.maxWorkers, limit) &&
      this.#hasRoom(workers.length + 1);
    if (!least || isFew) return this.#spawn({ bin });
    return byLoad.find((worker) => worker.load < least.load + UNEVEN && worker.shares(spec)) ?? least;
  }

  #spawn(program: { bin: string; affinity?: string | undefined }): WorkerHandle {
    const { libc, socketLibc } = this.#options;
    if (!canStartWorker(libc)) throw noDescriptor("Cannot start a watch worker");
    // Deno starts no worker in a folder that is gone.
    socketLibc.leaveRemovedFolder();
    const worker = new WorkerHandle({
      libcPath: libc.path,
      ...program,
      wakeScheduler: this.#wakeScheduler,
      endClient: (client) => this.#endClient(client),
      idle: () => this.#trim(),
      refused: (follow, error) => this.#refused(follow, error),
      failed: (follow, error) => this.#failed(follow, error),
      lost: (lost) => this.#workers.delete(lost),
    });
    this.#workers.add(worker);
    return worker;
  }

  #endClient(client: ClientHandle): void {
    const { libc, socketLibc } = this.#options;
    // A pipe's `cat` ends once nobody reads from it. If tmux is in a container, that pid belongs to another process
    // here.
    if (client.kind === "process") libc.kill(client.pid, SIGTERM);
    if (client.kind !== "process") { for (const fd of client.fds) socketLibc.endSocket(fd); }
  }

  /** Ends idle workers except the newest for this machine, which is kept for the next follow. */
  #trim(): void {
    const idle = [...this.#workers].filter((worker) => worker.idle);
    const kept = idle.findLast(isLocal);
    for (const worker of idle) if (worker !== kept) bestEffort(worker.end());
  }
}

/** Affinity of the worker that reads panes through their pipes; it contains blanks, so no host has this name. */
const PIPES = "pipes here";

function isLocal({ affinity }: WorkerHandle): boolean {
  return affinity === undefined || affinity === PIPES;
}

function placeOf({ server, panes }: FollowSpec): string {
  const { sessionId, panePid } = panes[0]!;
  return [serverOf(server), sessionId, panePid].join("\0");
}

function tooMany(max: number): AppError {
  return new AppError("busy", `Cannot start another watch: ${max} are running`, {
    hint: "End one with stop-watch; watch-events lists them",
  });
}
