// Keeps a control client attached that wants no output, so that no reader of ours can ever hold a program up.
import type { Attacher } from "../tmux/socket/attacher.ts";
import { pidOf } from "../tmux/control_channel.ts";
import { ControlClient } from "../tmux/control_client.ts";
import type { ServerRef } from "./protocol.ts";

/** Held by one follow while it reads a pane. */
export interface GuardHold {
  /** `atOnce`: its client does not stay for the next one. */
  release(atOnce?: boolean): void;
}

interface Guard {
  server: ServerRef;
  /** Sessions that are followed, as often as they are. */
  sessions: string[];
  client?: ControlClient | undefined;
  /** Ends an unused client, or attaches a lost one again. */
  timer?: ReturnType<typeof setTimeout> | undefined;
}

/** Somebody detached the guard (`attach -d`): it comes back, but does not fight. */
const RETURN_MS = 100;

/**
 * tmux stops reading a pane, and its program blocks, while every attached client is a control client that is behind
 * (`server_client_check_pane_buffer`). A client with the `no-output` flag is never behind. Seen on 3.3a: a stalled
 * reader held up `seq` permanently without a guard, and not at all with one.
 */
export class Guards {
  readonly #attacher: Attacher;
  readonly #guards: Map<string, Guard> = new Map();

  constructor(attacher: Attacher) {
    this.#attacher = attacher;
  }

  /** The guard stays `lingerMs` after its last hold, as long as the reader's own client. */
  hold(server: ServerRef, sessionId: string, lingerMs: number): GuardHold {
    const key = [server.via?.host ?? "", server.bin, ...server.socketArgs].join("\0");
    const guard = this.#guards.get(key) ?? { server, sessions: [] };
    this.#guards.set(key, guard);
    guard.sessions.push(sessionId);
    clearTimeout(guard.timer);
    if (!guard.client) this.#attach(key, guard);
    return {
      release: (atOnce) => this.#release(key, guard, { sessionId, lingerMs: atOnce ? 0 : lingerMs }),
    };
  }

  pids(): number[] {
    return [...this.#guards.values()].flatMap(({ client }) => client ? [pidOf(client.handle)] : []);
  }

  async close(): Promise<void> {
    const guards = [...this.#guards.values()];
    this.#guards.clear();
    await Promise.all(guards.map(({ client, timer }) => {
      clearTimeout(timer);
      return client?.close();
    }));
  }

  #attach(key: string, guard: Guard): void {
    const sessionId = guard.sessions.at(-1);
    if (sessionId === undefined) return;
    let moved = false;
    let attached = false;
    const client = new ControlClient({
      target: guard.server,
      attacher: this.#attacher,
      sessionId,
      flags: ["no-output"],
      output: () => {},
      notification: (name, rest) => {
        if (name !== "%session-changed") return;
        // Its own session ended, and detach-on-destroy off gave it one of the user's.
        moved = rest.split(" ")[0] !== sessionId;
        if (moved) client.close();
      },
      closed: () => this.#closed(key, guard, { sessionId, lost: moved || !attached }),
    });
    client.attached.then(() => attached = true, () => {});
    guard.client = client;
  }

  #closed(key: string, guard: Guard, { sessionId, lost }: { sessionId: string; lost: boolean }): void {
    guard.client = undefined;
    if (lost) guard.sessions = guard.sessions.filter((session) => session !== sessionId);
    if (this.#guards.get(key) !== guard) return;
    if (guard.sessions.length === 0) this.#guards.delete(key);
    else guard.timer = setTimeout(() => this.#attach(key, guard), RETURN_MS);
  }

  #release(
    key: string,
    guard: Guard,
    { sessionId, lingerMs }: { sessionId: string; lingerMs: number },
  ): void {
    const at = guard.sessions.indexOf(sessionId);
    if (at >= 0) guard.sessions.splice(at, 1);
    if (guard.sessions.length > 0) return;
    clearTimeout(guard.timer);
    if (lingerMs === 0) this.#leave(key, guard);
    else guard.timer = setTimeout(() => this.#leave(key, guard), lingerMs);
  }

  #leave(key: string, guard: Guard): void {
    if (this.#guards.get(key) === guard) this.#guards.delete(key);
    guard.client?.close();
  }
}
