// The worker's entry: keeps its follows, their control clients and one clock for all of them.
/// <reference lib="deno.worker" />
import { openLibc } from "../src/process/libc.ts";
import { createProbe, type Probe } from "../src/process/probe.ts";
import type { HostMessage, PaneRef, ServerRef, WorkerMessage } from "../src/watch/protocol.ts";
import { failureMessage, Follow } from "./follow.ts";
import { SessionLink } from "./session_link.ts";

declare const self: DedicatedWorkerGlobalScope;

/** Every follow looks at the kernel this often (ms); a look is some tens of microseconds. */
const TICK_MS = 100;

class WatchWorker {
  readonly #probe: Probe;
  readonly #follows: Map<string, Follow> = new Map();
  readonly #links: Map<string, SessionLink> = new Map();
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(probe: Probe) {
    this.#probe = probe;
  }

  handle(message: HostMessage): void {
    switch (message.kind) {
      case "setup":
        return;
      case "ping":
        return post({ kind: "pong" });
      case "start":
        return void this.#start(message).catch((error) => this.#fail(message.watchId, error));
      case "send":
        return void this.#follows.get(message.watchId)?.send(message.id, message.lines);
      case "report":
        return void this.#follows.get(message.watchId)?.report(message.id);
      case "stop":
        return this.#stop(message.watchId);
    }
  }

  async #start({ watchId, spec }: HostMessage & { kind: "start" }): Promise<void> {
    const probe = this.#probe;
    const linkFor = (pane: PaneRef): SessionLink => this.#link(spec.server, pane.sessionId);
    const follow = new Follow({ watchId, spec, probe, linkFor, post });
    this.#follows.set(watchId, follow);
    this.#clock ??= setInterval(() => this.#tick(), TICK_MS);
    await follow.begin();
  }

  #link(server: ServerRef, sessionId: string): SessionLink {
    const key = [server.bin, ...server.socketArgs, sessionId].join("\0");
    const open = this.#links.get(key);
    if (open && !open.closed) return open;
    const link = new SessionLink({
      server,
      sessionId,
      began: (pid) => post({ kind: "client", pid, alive: true }),
      ended: (pid) => {
        if (this.#links.get(key) === link) this.#links.delete(key);
        post({ kind: "client", pid, alive: false });
      },
    });
    this.#links.set(key, link);
    return link;
  }

  #tick(): void {
    const now = performance.now();
    for (const follow of this.#follows.values()) follow.tick(now);
  }

  #stop(watchId: string): void {
    const follow = this.#follows.get(watchId);
    this.#follows.delete(watchId);
    if (this.#follows.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
    follow?.stop().catch(() => {});
  }

  #fail(watchId: string, error: unknown): void {
    this.#stop(watchId);
    post(failureMessage(watchId, error));
  }
}

function post(message: WorkerMessage, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

function serve(): void {
  let worker: WatchWorker | undefined;
  self.onmessage = ({ data }: MessageEvent<HostMessage>) => {
    if (data.kind === "setup") worker = new WatchWorker(createProbe(openLibc(data.libcPath)));
    else worker?.handle(data);
  };
}

serve();
