// Keeps a control client attached that takes no output, so that no reader of ours can ever block a program.
import type { Attacher } from "../tmux_protocol/attacher.ts";
import { pidOf } from "../tmux_exec/control_channel.ts";
import { ControlClient } from "../tmux/control_client.ts";
import { type FollowEnd, serverOf, type ServerRef } from "./protocol.ts";
import { getOrCreate } from "../maps.ts";

/** Releases the client for one follow, which no longer reads a pane. */
export type ReleaseClient = (end: FollowEnd) => void;

interface NoOutputClient {
  /** Key of the server among the clients. */
  key: string;
  server: ServerRef;
  /** Followed sessions, one entry for each follow. */
  sessions: string[];
  client?: ControlClient | undefined;
  /** Ends an unused client, or attaches a lost one again. */
  timer?: ReturnType<typeof setTimeout> | undefined;
}

/** Pause (ms) before a no-output client that somebody detached (`attach -d`) attaches again. */
const RETURN_MS = 100;

/**
 * Clients that take no output. tmux stops reading a pane, and its program blocks, while every attached client is a
 * control client that is behind (`server_client_check_pane_buffer`). A client with the `no-output` flag is never
 * behind. Observed on 3.3a: a stalled reader blocked `seq` permanently without such a client, and not at all with one.
 */
export class NoOutputClients {
  readonly #attacher: Attacher;
  readonly #noOutputClients: Map<string, NoOutputClient> = new Map();

  constructor(attacher: Attacher) {
    this.#attacher = attacher;
  }

  /**
   * Holds a client. It stays `lingerMs` after its last lease, as long as the reader's own client.
   * @throws {AppError} if none can be attached, such as `busy` without descriptors
   */
  hold(server: ServerRef, sessionId: string, lingerMs: number): ReleaseClient {
    const key = serverOf(server);
    const noOutputClient = getOrCreate(this.#noOutputClients, key, () => ({ key, server, sessions: [] }));
    noOutputClient.sessions.push(sessionId);
    clearTimeout(noOutputClient.timer);
    if (!noOutputClient.client) this.#attachFor(noOutputClient);
    return ({ atOnce }) => this.#release(noOutputClient, { sessionId, lingerMs: atOnce ? 0 : lingerMs });
  }

  pids(): number[] {
    return [...this.#noOutputClients.values()].flatMap(({ client }) => client ? [pidOf(client.handle)] : []);
  }

  async close(): Promise<void> {
    const noOutputClients = [...this.#noOutputClients.values()];
    this.#noOutputClients.clear();
    await Promise.all(noOutputClients.map(({ client, timer }) => {
      clearTimeout(timer);
      return client?.close();
    }));
  }

  /** Attaches a client for the last of the sessions, which is not followed if that fails. */
  #attachFor(noOutputClient: NoOutputClient): void {
    try {
      this.#attach(noOutputClient);
    } catch (error) {
      noOutputClient.sessions.pop();
      this.#attachLater(noOutputClient);
      throw error;
    }
  }

  #attach(noOutputClient: NoOutputClient): void {
    const sessionId = noOutputClient.sessions.at(-1);
    if (sessionId === undefined) return;
    let moved = false;
    let attached = false;
    const client = new ControlClient({
      target: noOutputClient.server,
      attacher: this.#attacher,
      sessionId,
      flags: ["no-output"],
      output: () => {},
      notification: (name, rest) => {
        if (name !== "%session-changed") return;
        // The session ended, and with `detach-on-destroy off` tmux moved the client to one of the user's sessions.
        moved = rest.split(" ")[0] !== sessionId;
        if (moved) client.close();
      },
      closed: () => this.#closed(noOutputClient, { sessionId, lost: moved || !attached }),
    });
    client.attached.then(() => attached = true, () => {});
    noOutputClient.client = client;
  }

  #closed(noOutputClient: NoOutputClient, { sessionId, lost }: { sessionId: string; lost: boolean }): void {
    noOutputClient.client = undefined;
    if (lost) noOutputClient.sessions = noOutputClient.sessions.filter((session) => session !== sessionId);
    this.#attachLater(noOutputClient);
  }

  /** Attaches a client again after a pause, until that succeeds or nothing is followed. */
  #attachLater(noOutputClient: NoOutputClient): void {
    if (this.#noOutputClients.get(noOutputClient.key) !== noOutputClient) return;
    if (noOutputClient.sessions.length === 0) this.#noOutputClients.delete(noOutputClient.key);
    else noOutputClient.timer = setTimeout(() => this.#attachAgain(noOutputClient), RETURN_MS);
  }

  #attachAgain(noOutputClient: NoOutputClient): void {
    try {
      this.#attach(noOutputClient);
    } catch {
      this.#attachLater(noOutputClient);
    }
  }

  #release(
    noOutputClient: NoOutputClient,
    { sessionId, lingerMs }: { sessionId: string; lingerMs: number },
  ): void {
    const at = noOutputClient.sessions.indexOf(sessionId);
    if (at >= 0) noOutputClient.sessions.splice(at, 1);
    if (noOutputClient.sessions.length > 0) return;
    clearTimeout(noOutputClient.timer);
    if (lingerMs === 0) this.#detach(noOutputClient);
    else noOutputClient.timer = setTimeout(() => this.#detach(noOutputClient), lingerMs);
  }

  #detach(noOutputClient: NoOutputClient): void {
    if (this.#noOutputClients.get(noOutputClient.key) === noOutputClient) {
      this.#noOutputClients.delete(noOutputClient.key);
    }
    noOutputClient.client?.close();
  }
}
