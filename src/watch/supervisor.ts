// Owns the watch workers: which one serves a follow, how many there are, and their end.
import { AppError } from "../errors.ts";
import type { Libc } from "../process/libc.ts";
import type { Attacher } from "../tmux/socket/attacher.ts";
import { type ClientHandle, pidOf } from "../tmux/control_channel.ts";
import type { Command } from "../tmux/exec.ts";
import type { SocketLibc } from "../tmux/socket/libc.ts";
import { Guards } from "./guard.ts";
import type { FollowSpec, Report } from "./protocol.ts";
import { type FollowHandlers, WorkerSlot } from "./worker_slot.ts";

export interface SupervisorOptions {
  libc: Libc;
  socketLibc: SocketLibc;
  attacher: Attacher;
  /** tmux itself, the only program a worker may run, but for one that is for a host. */
  bin: string;
  maxWorkers: number;
  maxWatches: number;
  /** Put into every control client's environment (see client_mark). */
  clientEnvironment: Readonly<Record<string, string>>;
}

/** A follow as its owner holds it. */
export interface FollowHandle {
  readonly watchId: string;
  /** Settles when every byte from now on is seen; rejects when the follow fails first. */
  readonly ready: Promise<void>;
  send(commands: Command[]): Promise<string>;
  report(): Promise<Report>;
  /** `atOnce`: no client stays for the next follow, as where the caller cancelled. */
  stop(atOnce?: boolean): void;
}

/** The first follows have a worker each; later ones share. */
const OWN_WORKERS = 8;
/** A worker is given at most this much more than the one with the least to do. */
const UNEVEN = 10;
const SIGTERM = 15;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: Set<WorkerSlot> = new Set();
  readonly #guards: Guards;
  #watches = 0;
  #nextWatch = 0;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#guards = new Guards(options.attacher);
  }

  /** Pids of every control client of this program. */
  clients(): ReadonlySet<number> {
    return new Set(
      [...this.#slots].flatMap((slot) => slot.clients.map(pidOf)).concat(this.#guards.pids()),
    );
  }

  /** Has a worker ready before it is needed: one costs some 40 ms to start. */
  warm(): void {
    if (this.#closed || [...this.#slots].some(({ host }) => host === undefined)) return;
    this.#spawn({ bin: this.#options.bin });
  }

  /** `serverKey` is put where callers keep the id: pane ids begin again with each tmux server. */
  newWatchId(serverKey?: string): string {
    const id = `w${++this.#nextWatch}`;
    return serverKey === undefined ? id : `${id}-${serverKey}`;
  }

  /**
   * Follows panes in a worker.
   * @throws {AppError} `busy` when `maxWatches` are going on
   */
  follow(watchId: string, wanted: FollowSpec, handlers: Omit<FollowHandlers, "ready">): FollowHandle {
    if (this.#watches >= this.#options.maxWatches) throw tooMany(this.#options.maxWatches);
    if (this.#closed) throw new AppError("gone", "The server is shutting down");
    const spec = this.#marked(wanted);
    const guard = this.#guards.hold(spec.server, spec.panes[0]!.sessionId, spec.lingerMs);
    this.#watches++;
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => {});
    const slot = this.#pick(spec);
    let over = false;
    const end = (atOnce = false): void => {
      if (over) return;
      over = true;
      this.#watches--;
      guard.release(atOnce);
      slot.stop(watchId, atOnce);
    };
    slot.start(watchId, spec, {
      ...handlers,
      ready: () => ready.resolve(),
      failed: (error) => {
        ready.reject(error);
        end();
        handlers.failed(error);
      },
    });
    return {
      watchId,
      ready: ready.promise,
      send: (commands) => slot.send(watchId, commands),
      report: () => slot.report(watchId),
      stop: end,
    };
  }

  #marked(spec: FollowSpec): FollowSpec {
    const env = { ...spec.server.env, ...this.#options.clientEnvironment };
    return { ...spec, server: { ...spec.server, env } };
  }

  /** Ends every worker and control client of this program. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...[...this.#slots].map((slot) => slot.end()), this.#guards.close()]);
  }

  /**
   * An idle worker, else a new one while few enough, else one that has a client of the same session, else the one
   * with the least to do. Sharing a client is worth some unevenness: each is a process that tmux tells everything.
   * A host has one worker: each takes sessions of its connection, of which sshd grants ten (MaxSessions).
   */
  #pick(spec: FollowSpec): WorkerSlot {
    const { bin, via } = spec.server;
    const slots = [...this.#slots].filter(({ host }) => host === via?.host);
    if (via !== undefined) return slots[0] ?? this.#spawn({ bin: via.bin, host: via.host });
    const byLoad = slots.sort((a, b) => a.load - b.load);
    const least = byLoad[0];
    if (least?.load === 0) return least;
    const limit = Math.min(this.#options.maxWorkers, this.#watches <= OWN_WORKERS ? OWN_WORKERS : Infinity);
    if (!least || slots.length < limit) return this.#spawn({ bin });
    return byLoad.find((slot) => slot.load < least.load + UNEVEN && slot.shares(spec)) ?? least;
  }

  #spawn(program: { bin: string; host?: string }): WorkerSlot {
    const { libc } = this.#options;
    const slot = new WorkerSlot({
      libcPath: libc.path,
      ...program,
      endClient: (client) => this.#endClient(client),
      idle: () => this.#trim(),
      lost: (lost) => this.#slots.delete(lost),
    });
    this.#slots.add(slot);
    return slot;
  }

  #endClient(client: ClientHandle): void {
    const { libc, socketLibc } = this.#options;
    if (client.kind === "process") libc.kill(client.pid, SIGTERM);
    else for (const fd of client.fds) socketLibc.endSocket(fd);
  }

  /** Keeps one idle worker for the next follow here. */
  #trim(): void {
    const idle = [...this.#slots].filter((slot) => slot.load === 0 && slot.clients.length === 0);
    const near = idle.filter(({ host }) => host === undefined);
    const far = idle.filter(({ host }) => host !== undefined);
    for (const slot of [...near.slice(1), ...far]) slot.end().catch(() => {});
  }
}

function tooMany(max: number): AppError {
  return new AppError("busy", `Cannot start another watch: ${max} are going on`, {
    hint: "End one with stop-watch; watch-events lists them",
  });
}
