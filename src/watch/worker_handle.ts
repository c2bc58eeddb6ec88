// The host's side of one worker: its lifetime, its heartbeat, and the follows that it serves.
import { AppError, type ErrorCode, ShuttingDown } from "../errors.ts";
import type { ClientHandle } from "../tmux_exec/control_channel.ts";
import { CLIENT_ENDED } from "../tmux/control_client.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { WakeScheduler } from "./wake_scheduler.ts";
import { type Follow, type FollowWorker, type OnRead, watchEnded } from "./follow.ts";
import type { FollowEnd, FollowSpec, HostMessage, Report, WorkerMessage } from "./protocol.ts";
import { serverOf } from "./protocol.ts";
import { PendingRequests, type WorkerReply } from "./pending_requests.ts";
import { within } from "../timer.ts";

export interface WorkerHandleOptions {
  libcPath: string;
  /** The only program that it may run: tmux, or ssh for a host. */
  bin: string;
  /** Machine that the worker is reserved for, or the pipes of panes here; undefined: it serves any follow. */
  affinity?: string | undefined;
  /** The worker's module; by default the watch worker. */
  entry?: URL;
  /** Wakes the worker while it sleeps. */
  wakeScheduler: WakeScheduler;
  /** Ends a control client of a worker that no longer responds, or frees what an ended client held. */
  endClient(client: ClientHandle): void;
  /** Called when the worker serves nothing and has no client left. */
  idle(): void;
  /** Called when no client stays attached where a follow reads; this worker does not serve that follow any more. */
  refused(follow: Follow, error: AppError): void;
  /** Called when a follow's panes can't be read; this worker does not serve that follow any more. */
  failed(follow: Follow, error: AppError): void;
  /** Called when the worker can no longer be used. */
  lost(worker: WorkerHandle): void;
}

const ENTRY = new URL("../../workers/watch_worker.ts", import.meta.url);
const MISSED_BEATS = 3;
/** Missed beats allowed while a worker is still loading: on a busy machine without a cache that took 9 s. */
const MISSED_AT_START = 15;
/** Time (ms) for control clients to detach at the end. */
const DETACH_MS = 1000;
/** Time (ms) for the worker to close its descriptors. */
const CLOSE_MS = 500;

export class WorkerHandle implements FollowWorker {
  readonly #clients: Map<string, ClientHandle> = new Map();
  readonly affinity: string | undefined;
  readonly #options: WorkerHandleOptions;
  readonly #worker: Worker;
  readonly #follows: Map<string, Follow> = new Map();
  readonly #pending: PendingRequests = new PendingRequests();
  /** Counter that the worker changes. A message would cost two threads a wake-up each; this costs none. */
  readonly #pulse = new Int32Array(new SharedArrayBuffer(4));
  #lastPulse = 0;
  #missed = 0;
  #hasResponded = false;
  readonly #unsent: HostMessage[] = [];
  #ended = false;
  #closing: PromiseWithResolvers<void> | undefined;
  /** Settles when the last control client is gone. */
  #detached: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(options: WorkerHandleOptions) {
    this.#options = options;
    this.affinity = options.affinity;
    this.#worker = new Worker(options.entry ?? ENTRY, {
      type: "module",
      name: "tmux-mcp watch",
      deno: { permissions: { run: [options.bin], ffi: [options.libcPath] } },
    });
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerMessage[]>) =>
      data.forEach((message) => this.#handle(message));
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#lose(`The watch worker crashed: ${event.message}`);
    };
    this.post({ kind: "setup", libcPath: options.libcPath, pulse: this.#pulse.buffer });
  }

  get follows(): Iterable<Follow> {
    return this.#follows.values();
  }

  /** Number of follows that it serves. */
  get load(): number {
    return this.#follows.size;
  }

  /** True if it could end: nothing is followed, attached or pending. */
  get idle(): boolean {
    return this.load === 0 && this.#clients.size === 0 && this.#pending.size === 0 && !this.ending;
  }

  /** True if it accepts no more follows. */
  get ending(): boolean {
    return this.#closing !== undefined;
  }

  watches({ server, panes }: FollowSpec): boolean {
    return [...this.#follows.values()].some(({ spec }) =>
      spec.triggers.length > 0 && serverOf(spec.server) === serverOf(server) &&
      spec.panes.some(({ paneId }) => panes.some((pane) => pane.paneId === paneId))
    );
  }

  /** True if one of its follows already has the control client that this follow would use. */
  shares({ server, panes }: FollowSpec): boolean {
    return [...this.#follows.values()].some(({ spec }) =>
      spec.panes[0]?.sessionId === panes[0]?.sessionId && serverOf(spec.server) === serverOf(server)
    );
  }

  get clients(): ClientHandle[] {
    return [...this.#clients.values()];
  }

  /** Posts a message. Messages of one turn go together, because each post costs some 70 µs to wake the other thread. */
  post(message: HostMessage): void {
    if (this.#unsent.push(message) > 1) return;
    queueMicrotask(() => this.#worker.postMessage(this.#unsent.splice(0)));
  }

  start(follow: Follow): void {
    const { watchId, spec } = follow;
    this.#follows.set(watchId, follow);
    this.post({ kind: "start", watchId, spec });
  }

  /** Runs commands where the follow reads its pane; see `FollowHandle.send`. */
  async send(watchId: string, commands: Command[]): Promise<string> {
    return textOf(await this.#ask(watchId, (id) => ({ kind: "send", watchId, id, commands })));
  }

  /** Runs commands that only read; see `FollowHandle.read`. */
  async read(watchId: string, commands: Command[], onRead: OnRead): Promise<void> {
    textOf(await this.#ask(watchId, (id) => ({ kind: "read", watchId, id, commands }), onRead));
  }

  /** Returns a pane's output up to now (by default the first pane's). It ends the watch, but not the stream. */
  async report(watchId: string, paneId?: string, commands: Command[] = []): Promise<Report> {
    const reply = await this.#ask(watchId, (id) => ({ kind: "report", watchId, id, paneId, commands }));
    if (reply.kind !== "report") throw new Error("A reply came for a report");
    return reply.report;
  }

  stop(watchId: string, end: FollowEnd): void {
    const follow = this.#follows.get(watchId);
    if (!follow) return;
    this.#follows.delete(watchId);
    // A worker that has yet to begin a follow replies to none of its requests.
    if (!follow.hasBegun) this.#pending.reject(watchId, watchEnded());
    this.post({ kind: "stop", watchId, ...end });
    if (this.#follows.size > 0) return;
    this.#options.wakeScheduler.forget(this);
    this.#checkIdle();
  }

  /** Gives up a worker that should be busy and has shown no sign of life for several calls. Call it at intervals. */
  checkPulse(): void {
    const pulse = Atomics.load(this.#pulse, 0);
    const alive = pulse !== this.#lastPulse || this.#follows.size === 0;
    this.#lastPulse = pulse;
    this.#missed = alive ? 0 : this.#missed + 1;
    if (this.#missed > (this.#hasResponded ? MISSED_BEATS : MISSED_AT_START)) {
      this.#lose("The watch worker stopped responding");
    }
  }

  /** Lets the control clients detach, so that tmux has nothing left to send, then ends the worker. */
  async end(): Promise<void> {
    if (this.#closing) return await this.#closing.promise;
    this.#closing = Promise.withResolvers();
    const ending = new ShuttingDown();
    for (const watchId of [...this.#follows.keys()]) this.#failFollow(watchId, ending);
    this.post({ kind: "detach" });
    if (this.#clients.size > 0) await within(this.#detached.promise, { ms: DETACH_MS });
    this.post({ kind: "close" });
    await within(this.#closing.promise, { ms: CLOSE_MS, late: () => this.#closing?.resolve() });
    this.#lose(ending.message);
  }

  #handle(message: WorkerMessage): void {
    this.#hasResponded = true;
    this.#missed = 0;
    if (message.kind === "client") this.#noteClient(message);
    else if (message.kind === "closed") this.#closing?.resolve();
    else if (message.kind === "unusable") this.#lose(message.message, message.code);
    else if (message.kind === "sleeps") {
      this.#options.wakeScheduler.sleep(this, message.awaited, () => this.post({ kind: "wake" }));
    } else if (message.kind === "reply" || message.kind === "report") {
      this.#pending.resolve(message);
      this.#checkIdle();
    } else if (message.kind === "refused") this.#refuse(message.watchId, message.message);
    else if (message.kind === "failed") {
      this.#fail(message.watchId, new AppError(message.code, message.message));
    } else this.#follows.get(message.watchId)?.receive(message);
  }

  #noteClient({ handle: client, alive }: WorkerMessage & { kind: "client" }): void {
    if (alive) this.#clients.set(keyOf(client), client);
    else if (this.#clients.delete(keyOf(client)) && client.kind === "socket") this.#options.endClient(client);
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.#clients.size > 0) return;
    this.#detached.resolve();
    this.#detached = Promise.withResolvers();
    if (this.idle) this.#options.idle();
  }

  #ask(watchId: string, message: (id: number) => HostMessage, onRead?: OnRead): Promise<WorkerReply> {
    const follow = this.#follows.get(watchId);
    if (this.#ended || !follow) throw watchEnded();
    const { server } = follow.spec;
    return this.#pending.ask({ watchId, server, onRead, post: (id) => this.post(message(id)) });
  }

  #failFollow(watchId: string, error: AppError): void {
    this.#drop(watchId, error)?.fail(error);
  }

  #fail(watchId: string, error: AppError): void {
    const follow = this.#drop(watchId, error);
    if (follow) this.#options.failed(follow, error);
  }

  #refuse(watchId: string, reason: string): void {
    const panes = this.#follows.get(watchId)?.spec.panes.map(({ paneId }) => `"${paneId}"`).join(", ");
    const error = new AppError("unsupported", `Cannot keep following ${panes}: ${reason}`, {
      hint: "Use capture-since to read their output",
    });
    const follow = this.#drop(watchId, error);
    if (follow) this.#options.refused(follow, error);
  }

  #drop(watchId: string, error: AppError): Follow | undefined {
    const follow = this.#follows.get(watchId);
    this.#follows.delete(watchId);
    this.#pending.reject(watchId, error);
    return follow;
  }

  #lose(reason: string, code: ErrorCode = "internal"): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.wakeScheduler.forget(this);
    for (const client of this.#clients.values()) this.#options.endClient(client);
    this.#clients.clear();
    this.#worker.terminate();
    const error = new AppError(code, reason, { hint: "Start the watch again" });
    for (const watchId of [...this.#follows.keys()]) this.#failFollow(watchId, error);
    this.#pending.rejectAll(error);
    this.#options.lost(this);
  }
}

const LOST_HINT = "Check the pane with capture-pane before you call again. " +
  "If a hook detaches every client, panes can be read without one: --attach=false";

function textOf(reply: WorkerReply): string {
  if (reply.kind !== "reply") throw new Error("A report came for a command");
  if (reply.code) throw new AppError(reply.code, reply.text);
  if (!reply.failed) return reply.text;
  const isLost = reply.text === CLIENT_ENDED;
  throw new AppError("tmux-error", `tmux refused: ${reply.text}`, isLost ? { hint: LOST_HINT } : {});
}

function keyOf(client: ClientHandle): string {
  return client.kind === "process" ? `${client.pid}` : client.fds.join(" ");
}
