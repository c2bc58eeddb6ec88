// Keeps a control client attached that wants no output, so that no reader of ours can ever hold a program up.
import { ControlClient } from "../tmux/control_client.ts";
import type { ServerRef } from "./protocol.ts";

/** Held by one follow while it reads a pane. */
export interface GuardHold {
  release(): void;
}

interface Guard {
  server: ServerRef;
  /** Sessions that are followed, as often as they are. */
  sessions: string[];
  client?: ControlClient | undefined;
  /** Ends an unused client. */
  leaving?: ReturnType<typeof setTimeout> | undefined;
}

/** A guard outlives its last follow a little, as the readers' own clients do. */
const LINGER_MS = 5000;

/**
 * tmux stops reading a pane, and its program blocks, while every attached client is a control client that is behind
 * (`server_client_check_pane_buffer`). A client with the `no-output` flag is never behind. Seen on 3.3a: a stalled
 * reader held up `seq` for good without a guard, and not at all with one.
 */
export class Guards {
  readonly #guards: Map<string, Guard> = new Map();

  hold(server: ServerRef, sessionId: string): GuardHold {
    const key = [server.bin, ...server.socketArgs].join("\0");
    const guard = this.#guards.get(key) ?? { server, sessions: [] };
    this.#guards.set(key, guard);
    guard.sessions.push(sessionId);
    clearTimeout(guard.leaving);
    if (!guard.client) this.#attach(key, guard);
    return { release: () => this.#release(key, guard, sessionId) };
  }

  pids(): number[] {
    return [...this.#guards.values()].flatMap(({ client }) => client ? [client.pid] : []);
  }

  async close(): Promise<void> {
    const guards = [...this.#guards.values()];
    this.#guards.clear();
    await Promise.all(guards.map(({ client, leaving }) => {
      clearTimeout(leaving);
      return client?.close();
    }));
  }

  #attach(key: string, guard: Guard): void {
    const sessionId = guard.sessions.at(-1);
    if (sessionId === undefined) return;
    const { bin, socketArgs, env } = guard.server;
    const client = new ControlClient({
      target: { bin, socketArgs, env },
      sessionId,
      flags: ["no-output"],
      output: () => {},
      notification: (name, rest) => {
        // Moved to a session of the user's because its own ended (detach-on-destroy off).
        if (name === "%session-changed" && rest.split(" ")[0] !== sessionId) client.close();
      },
      closed: () => this.#closed(key, guard, sessionId),
    });
    guard.client = client;
  }

  #closed(key: string, guard: Guard, sessionId: string): void {
    guard.client = undefined;
    guard.sessions = guard.sessions.filter((session) => session !== sessionId);
    if (this.#guards.get(key) !== guard) return;
    if (guard.sessions.length > 0) this.#attach(key, guard);
    else this.#guards.delete(key);
  }

  #release(key: string, guard: Guard, sessionId: string): void {
    const at = guard.sessions.indexOf(sessionId);
    if (at >= 0) guard.sessions.splice(at, 1);
    if (guard.sessions.length > 0) return;
    guard.leaving = setTimeout(() => {
      this.#guards.delete(key);
      guard.client?.close();
    }, LINGER_MS);
  }
}
