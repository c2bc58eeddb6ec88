// Events of one tmux server as they happen: objects that come, go or change, and panes that print.
import type { Attacher } from "../tmux_protocol/attacher.ts";
import { pidOf } from "../tmux/control_channel.ts";
import { ControlClient } from "../tmux/control_client.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { bestEffort, settled } from "../promises.ts";

export interface ServerEventHandlers {
  /** A session, window or pane came, went, or was renamed, moved or sized; or the server itself came or went. */
  changed(): void;
  /** One of the followed panes printed. */
  printed(paneId: string): void;
}

/** Reports events of a tmux server while someone listens. */
export interface ServerObserver {
  /** Pids of its clients. */
  pids(): number[];
  /** Settles once all later events are reported, and these panes' output. */
  follow(paneIds: ReadonlySet<string>): Promise<void>;
  /** Stops reporting and leaves no client attached. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

export interface ServerEventsOptions extends ServerEventHandlers {
  tmux: Tmux;
  attacher: Attacher;
  /** Added to the environment of its clients, to mark them as this server's. */
  clientEnvironment: Readonly<Record<string, string>>;
}

/** Notifications about objects that tmux sends to control clients. */
const CHANGES: ReadonlySet<string> = new Set([
  "%sessions-changed",
  "%session-renamed",
  "%session-window-changed",
  "%window-add",
  "%window-close",
  "%window-renamed",
  "%window-pane-changed",
  "%unlinked-window-add",
  "%unlinked-window-close",
  "%unlinked-window-renamed",
  "%layout-change",
]);

/** Somebody detached a client of ours: it comes back after this pause. */
const RETURN_MS = 100;
/** tmux does not announce that a server starts: while there is none, it is looked for this often (ms). */
const AWAIT_SERVER_MS = 2000;
/** After this many seconds behind, tmux drops a pane's output instead of holding more of it. */
const PAUSE_AFTER_SECONDS = 10;

/**
 * Keeps a client attached to every session, since tmux tells of a session's panes only there, and a second one to
 * those with followed panes. The first kind wants no output, so that the second never holds a program up.
 */
export class ServerEvents implements ServerObserver {
  readonly #options: ServerEventsOptions;
  readonly #observers: Map<string, ControlClient> = new Map();
  readonly #readers: Map<string, ControlClient> = new Map();
  #followed: ReadonlySet<string> = new Set();
  #wanted = false;
  #syncing: Promise<void> | undefined;
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #alive: boolean | undefined;
  #closed = false;

  constructor(options: ServerEventsOptions) {
    this.#options = options;
  }

  pids(): number[] {
    return [...this.#observers.values(), ...this.#readers.values()].map(({ handle }) => pidOf(handle));
  }

  async follow(paneIds: ReadonlySet<string>): Promise<void> {
    this.#wanted = true;
    this.#followed = paneIds;
    await this.#sync();
  }

  async rest(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#timer);
    await settled(this.#syncing);
    await this.#detach();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.rest();
  }

  async #detach(): Promise<void> {
    const clients = [...this.#observers.values(), ...this.#readers.values()];
    this.#observers.clear();
    this.#readers.clear();
    await Promise.all(clients.map((client) => client.close()));
  }

  /** Brings the clients in line with the sessions there are: one look at a time, and one more if asked meanwhile. */
  async #sync(): Promise<void> {
    this.#again = true;
    this.#syncing ??= this.#lookWhileAsked();
    await this.#syncing;
  }

  async #lookWhileAsked(): Promise<void> {
    try {
      while (this.#again && this.#wanted && !this.#closed) {
        this.#again = false;
        await this.#look();
      }
    } finally {
      this.#syncing = undefined;
    }
  }

  async #look(): Promise<void> {
    const { panes } = await this.#options.tmux.snapshot();
    clearTimeout(this.#timer);
    if (panes.length === 0) this.#later(AWAIT_SERVER_MS);
    const alive = panes.length > 0;
    if (this.#alive !== undefined && this.#alive !== alive) this.#options.changed();
    this.#alive = alive;
    const sessions = new Set(panes.map((pane) => pane.sessionId));
    const wanted = new Map<string, string>();
    for (const { paneId, sessionId } of panes) {
      if (this.#followed.has(paneId) && !wanted.has(paneId)) wanted.set(paneId, sessionId);
    }
    const read = new Set(wanted.values());
    await Promise.all([
      ...[...sessions].map((id) => this.#attach(this.#observers, id, ["no-output"])),
      ...[...read].map((id) => this.#attach(this.#readers, id, [`pause-after=${PAUSE_AFTER_SECONDS}`])),
      ...[...this.#readers].filter(([id]) => !read.has(id)).map(([id, client]) => this.#drop(id, client)),
    ]);
    for (const [sessionId, client] of this.#readers) {
      const others = panes.filter((pane) =>
        pane.sessionId === sessionId && wanted.get(pane.paneId) !== sessionId
      );
      for (const { paneId } of others) await client.send(`refresh-client -A '${paneId}:off'`);
      for (const [paneId, where] of wanted) {
        if (where === sessionId) await client.send(`refresh-client -A '${paneId}:on'`);
      }
    }
  }

  async #attach(clients: Map<string, ControlClient>, sessionId: string, flags: string[]): Promise<void> {
    if (clients.has(sessionId) || this.#closed || !this.#wanted) return;
    const { tmux: { target }, attacher, clientEnvironment } = this.#options;
    const client = new ControlClient({
      target: { ...target, env: { ...target.env, ...clientEnvironment } },
      sessionId,
      attacher,
      flags,
      output: (paneId) => this.#printed(paneId),
      notification: (name, rest) => this.#notified(client, { name, rest, sessionId }),
      closed: () => {
        if (clients.get(sessionId) === client) clients.delete(sessionId);
        this.#later(RETURN_MS);
      },
    });
    clients.set(sessionId, client);
    await settled(client.attached);
  }

  async #drop(sessionId: string, client: ControlClient): Promise<void> {
    this.#readers.delete(sessionId);
    await client.close();
  }

  #printed(paneId: string): void {
    if (this.#followed.has(paneId)) this.#options.printed(paneId);
  }

  #notified(client: ControlClient, { name, rest, sessionId }: {
    name: string;
    rest: string;
    sessionId: string;
  }): void {
    if (name === "%pause") {
      const paneId = rest.split(" ")[0]!;
      this.#printed(paneId);
      bestEffort(client.send(`refresh-client -A '${paneId}:continue'`));
    }
    // detach-on-destroy off: the session is gone and tmux moved us to one of the user's others.
    if (name === "%session-changed" && rest.split(" ")[0] !== sessionId) bestEffort(client.close());
    if (!CHANGES.has(name)) return;
    this.#options.changed();
    this.#later(0);
  }

  #later(ms: number): void {
    if (this.#closed || !this.#wanted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A failed look is repeated.
      this.#sync().catch(() => this.#later(AWAIT_SERVER_MS));
    }, ms);
  }
}
