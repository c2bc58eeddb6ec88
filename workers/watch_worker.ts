// Entry of the worker: the panes that it follows for each watch, their sources, and one clock for all of them.
/// <reference lib="deno.worker" />
import { type ErrorCode, messageOf, sentCode } from "../src/errors.ts";
import { openLibc } from "../src/ffi/libc.ts";
import type { Probe } from "../src/process/probe.ts";
import { createProbe } from "../src/process/create_probe.ts";
import { UNSEEN } from "../src/process/unseen.ts";
import { openSocketLibc } from "../src/ffi/sockets.ts";
import { Poller } from "../src/ffi/poller.ts";
import type {
  FollowEnd,
  FollowSpec,
  HostMessage,
  PaneRef,
  Setup,
  WorkerMessage,
} from "../src/watch/protocol.ts";
import { PollScheduler, type Sleep, sleepOfAll } from "./poll_scheduler.ts";
import { RemoteProbe } from "./processes/remote_probe.ts";
import { PaneFollow } from "./pane_follow.ts";
import { Patterns } from "./text/patterns.ts";
import { Outbox } from "./outbox.ts";
import { Refusal } from "./sources/pane_source.ts";
import { PaneSources } from "./sources/pane_sources.ts";
import { bestEffort } from "../src/promises.ts";

declare const self: DedicatedWorkerGlobalScope;

type StartMessage = HostMessage & { kind: "start" };

class WatchWorker {
  readonly #probe: Probe;
  readonly #patterns = new Patterns();
  readonly #pulse: Int32Array;
  /** Reports only ends of processes; it sleeps while panes print. */
  readonly #ends: Poller;
  readonly #sources: PaneSources;
  readonly #follows: Map<string, PaneFollow[]> = new Map();
  /** Follows whose panes are being inspected for the first time. */
  readonly #preparing: Map<string, Promise<void>> = new Map();
  /** Panes on another machine, by the watch that follows them. */
  readonly #tracked: Map<string, readonly PaneRef[]> = new Map();
  #remote: RemoteProbe | undefined;
  readonly #clock = new PollScheduler({
    poll: () => this.#tick(),
    sleeps: (awaited) => post({ kind: "sleeps", awaited }),
  });

  constructor({ libcPath, pulse }: Setup) {
    this.#pulse = new Int32Array(pulse);
    const libc = openLibc(libcPath);
    this.#probe = createProbe(libc);
    const socketLibc = openSocketLibc(libcPath);
    this.#ends = new Poller(socketLibc);
    this.#sources = new PaneSources({
      libc,
      socketLibc,
      began: (handle) => post({ kind: "client", handle, alive: true }),
      ended: (handle) => post({ kind: "client", handle, alive: false }),
    });
  }

  handle(message: Exclude<HostMessage, Setup>): void {
    switch (message.kind) {
      case "start":
        this.#clock.pollSoon();
        return this.#prepare(message);
      case "send":
        return this.#run(message.watchId, ([pane]) => pane!.requests.send(message.id, message.commands));
      case "read":
        return this.#run(message.watchId, ([pane]) => pane!.requests.read(message.id, message.commands));
      case "report":
        return this.#report(message);
      case "stop":
        return this.#stop(message.watchId, message);
      case "rest":
        return this.#follows.get(message.watchId)?.forEach((pane) => pane.rest(message.bytes));
      case "answered":
        this.#clock.pollSoon();
        return this.#follows.get(message.watchId)?.forEach((pane) => pane.answered());
      case "assumeBegun":
        return this.#follows.get(message.watchId)?.forEach((pane) => pane.assumeBegun());
      case "wake":
        return this.#clock.wake();
      case "detach":
        return this.#detach();
      case "close":
        return void Promise.all([this.#ends.idle, this.#sources.idle]).finally(() =>
          post({ kind: "closed" })
        );
      default:
        message satisfies never;
    }
  }

  #prepare(message: StartMessage): void {
    const { watchId, spec: { server: { via, isUnseen }, panes } } = message;
    if (via === undefined) return this.#start(message, isUnseen ? UNSEEN : this.#probe);
    const probe = this.#remote ??= new RemoteProbe(via);
    this.#tracked.set(watchId, panes);
    const started = bestEffort(probe.track(panes)).then(() => {
      if (this.#preparing.delete(watchId)) this.#start(message, probe);
    });
    this.#preparing.set(watchId, started);
  }

  #start({ watchId, spec }: StartMessage, probe: Probe): void {
    const panes: PaneFollow[] = [];
    this.#follows.set(watchId, panes);
    this.#run(watchId, async () => {
      for (const pane of spec.panes) panes.push(this.#follow(watchId, spec, { pane, probe }));
      await Promise.all(panes.map((pane) => pane.begin()));
      post({ kind: "ready", watchId });
    });
  }

  #follow(watchId: string, spec: FollowSpec, { pane, probe }: { pane: PaneRef; probe: Probe }): PaneFollow {
    return new PaneFollow({
      pane,
      spec,
      probe,
      poller: this.#ends,
      patterns: this.#patterns,
      sourceOf: (place) => this.#sources.of(spec.server, place),
      placeOfOther: () => this.#placeOf(pane, spec),
      post: (message) => this.#post({ ...message, watchId, paneId: pane.paneId }),
      failed: (error) => this.#fail(watchId, error),
      pollSoon: () => this.#follows.has(watchId) && this.#clock.pollSoon(),
    });
  }

  #placeOf({ paneId }: PaneRef, { server }: FollowSpec): number | undefined {
    const others = [...this.#follows.values()].flat();
    return others.find((other) => other.follows(paneId, server) && other.place !== undefined)?.place;
  }

  /** Posts a message; the first event ends the watch of all its panes. */
  #post(message: WorkerMessage): void {
    if (message.kind === "event") this.#follows.get(message.watchId)?.forEach((pane) => pane.finish());
    post(message);
  }

  #report({ watchId, id, paneId, commands }: HostMessage & { kind: "report" }): void {
    this.#run(watchId, async (panes) => {
      // Events from before its deadline may still fire a watch whose process was stopped, or is behind.
      await Promise.all(panes.map((pane) => pane.requests.catchUp()));
      for (const pane of panes) pane.finish();
      await (panes.find((pane) => pane.paneId === paneId) ?? panes[0]!).requests.report(id, commands);
    });
  }

  /** Runs an action of a follow once the follow has started; a failure ends the follow, never the worker. */
  #run(watchId: string, act: (panes: PaneFollow[]) => Promise<void>): void {
    const started = this.#preparing.get(watchId);
    if (started) return void started.then(() => this.#run(watchId, act));
    const panes = this.#follows.get(watchId);
    if (panes) act(panes).catch((error) => this.#fail(watchId, error));
  }

  #tick(): Sleep | undefined {
    Atomics.add(this.#pulse, 0, 1);
    for (const [watchId, panes] of this.#follows) {
      try {
        for (const pane of panes) pane.tick();
      } catch (error) {
        this.#fail(watchId, error);
      }
    }
    return this.#preparing.size > 0 ? undefined : sleepOfAll([...this.#follows.values()].flat());
  }

  #stop(watchId: string, end: FollowEnd): void {
    const panes = this.#follows.get(watchId) ?? [];
    this.#untrack(watchId);
    this.#follows.delete(watchId);
    if (this.#follows.size + this.#preparing.size === 0) this.#clock.stop();
    // A follow that was still beginning rejects for its callers, but it has no callers any more.
    for (const pane of panes) bestEffort(pane.leave(end));
  }

  #detach(): void {
    for (const watchId of [...this.#follows.keys()]) this.#stop(watchId, { atOnce: true, keepsSpool: true });
    this.#sources.endUnused();
  }

  #untrack(watchId: string): void {
    this.#preparing.delete(watchId);
    this.#remote?.untrack(this.#tracked.get(watchId) ?? []);
    this.#tracked.delete(watchId);
  }

  #fail(watchId: string, error: unknown): void {
    if (!this.#follows.has(watchId)) return;
    this.#stop(watchId, { atOnce: false });
    post(failureMessage(watchId, error));
  }
}

/** Returns the message that reports a follow's failure to the host. */
function failureMessage(watchId: string, error: unknown): WorkerMessage {
  if (error instanceof Refusal) return { kind: "refused", watchId, message: error.message };
  return { kind: "failed", watchId, ...describe(error) };
}

function describe(error: unknown): { code: ErrorCode; message: string } {
  return { code: sentCode(error), message: messageOf(error) };
}

const outbox: Outbox = new Outbox((messages, transfer) => self.postMessage(messages, transfer));

function post(message: WorkerMessage): void {
  outbox.post(message);
}

function serve(): void {
  let worker: WatchWorker | undefined;
  const take = (message: HostMessage): void => {
    if (message.kind !== "setup") return worker?.handle(message);
    try {
      worker = new WatchWorker(message);
    } catch (error) {
      post({ kind: "unusable", ...describe(error) });
    }
  };
  self.onmessage = ({ data }: MessageEvent<HostMessage[]>) => data.forEach(take);
}

serve();
