// Sessions: listing, creating, renaming, ending.
import { AppError, notFound } from "../../errors.ts";
import { bestEffort } from "../../promises.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { int, type RowOf } from "../columns.ts";
import { settle, sizeNewSession } from "../new_objects.ts";
import { literal } from "../row_codec.ts";
import { idKind } from "../../ids.ts";
import { checkSessionName } from "../names.ts";
import { type NewProgram, programFlags, type Unclaimed } from "../new_program.ts";
import { ownerCommand } from "../ownership.ts";
import { markUnclaimed } from "../unclaimed_panes.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import type { TmuxGateway } from "../gateway.ts";
import { isProgram } from "./clients.ts";
import type { Panes } from "./panes.ts";
import { ServerObjects } from "./server_objects.ts";

/** A session to create. */
export interface NewSession extends NewProgram {
  /** Name; if left out, tmux chooses one. */
  name?: string | undefined;
  /** Columns of the detached session; 200 if left out. */
  width?: number | undefined;
  /** Rows; 50 if left out. */
  height?: number | undefined;
  /** Variables that a new session gets as well as its `environment`; one that exists may lack them. */
  defaults?: Readonly<Record<string, string>> | undefined;
}

/** Ids of a session, its window and its pane. */
export interface CreatedSession {
  /** Such as `$1`. */
  sessionId: string;
  /** Name, as tmux spells it. */
  sessionName: string;
  /** Such as `@3`. */
  windowId: string;
  /** Such as `%5`. */
  paneId: string;
  /** False if a session with this name already existed. */
  created: boolean;
}

const SESSION = {
  id: "#{session_id}",
  name: "#{session_name}",
  windows: int("#{session_windows}"),
  attached: int("#{session_attached}"),
  created: int("#{session_created}"),
  activePaneId: "#{pane_id}",
};

/** A session with the times when it was last attached to (0: never) and last used, in epoch seconds. */
const LISTED = {
  ...SESSION,
  lastAttached: int("#{session_last_attached}"),
  activity: int("#{session_activity}"),
};

/** A session. `attached`: a client other than this program's own is attached to it. */
export type Session = Omit<RowOf<typeof SESSION>, "attached"> & { attached: boolean };
type Listed = Omit<RowOf<typeof LISTED>, "attached"> & { attached: boolean };

const CREATED = {
  sessionId: "#{session_id}",
  windowId: "#{window_id}",
  paneId: "#{pane_id}",
  sessionName: "#{session_name}",
};

const MADE = { ...CREATED, exitsUnattached: "#{exit-unattached}" };

const CLIENT = { pid: int("#{client_pid}"), name: "#{client_name}", sessionId: "#{session_id}" };

export class Sessions extends ServerObjects {
  readonly #panes: Panes;

  constructor(tmux: TmuxGateway, panes: Panes) {
    super(tmux);
    this.#panes = panes;
  }

  /** Returns every session; none if no server runs. */
  async list(): Promise<Session[]> {
    return (await this.#read()).map(sessionOf);
  }

  /** Returns the session given by id or exact name; an id takes precedence over a session of that name. */
  async info(session: string): Promise<Session> {
    const sessions = await this.list();
    const match = sessions.find(({ id }) => id === session) ?? sessions.find(({ name }) => name === session);
    if (!match) throw notFound("session", session);
    return match;
  }

  /**
   * Returns the session of this program's own pane, else the one most recently attached to, else most recently used.
   * Sessions with a person come first, because our own clients attach too.
   * @param among Ids of the sessions in question; absent: all
   */
  async current(among?: ReadonlySet<string>): Promise<Session> {
    const [all, panes] = await Promise.all([
      this.#read(),
      this.tmux.caller === undefined ? [] : this.#panes.list(),
    ]);
    const sessions = among === undefined ? all : all.filter(({ id }) => among.has(id));
    const callerSession = panes.find((pane) => pane.isCaller)?.sessionId;
    const current = sessions.find(({ id }) => id === callerSession) ??
      sessions.toSorted((a, b) =>
        Number(b.attached) - Number(a.attached) || b.lastAttached - a.lastAttached || b.activity - a.activity
      )[0];
    if (!current) {
      throw new AppError("not-found", "Cannot find a current session: there is none", {
        hint: "Call create-session to make one",
      });
    }
    return sessionOf(current);
  }

  /** Returns the owner option that names the server that created a session; undefined without one. */
  async ownerOf(id: string): Promise<string | undefined> {
    return (await this.tmux.run([ownerCommand({ kind: "session", id })])).trimEnd() || undefined;
  }

  /** Returns the id of a session given by id or exact name; a name costs a round trip. */
  async idOf(session: string, snapshot: () => Promise<ServerSnapshot>): Promise<string> {
    if (idKind(session) === "session") return session;
    const { panes } = await snapshot();
    const pane = panes.find((pane) => pane.sessionName === session);
    if (!pane) throw notFound("session", session);
    return pane.sessionId;
  }

  /** Creates a detached session, or returns the ids of the existing one with this name. */
  async create(spec: NewSession & Unclaimed): Promise<CreatedSession> {
    await this.#checkSocket();
    if (spec.name !== undefined) await checkSessionName(this.tmux, spec.name, { starts: true });
    const environment = { ...await this.#updates(), ...spec.defaults, ...spec.environment };
    const row = await this.#make({ ...spec, environment });
    if (row === "duplicate") return await this.#reuse(spec);
    const { exitsUnattached, ...made } = row;
    if (["1", "on"].includes(exitsUnattached)) await this.#checkServerStays(made);
    const { sessionId: session, windowId: window, paneId: pane } = made;
    await settle(this.tmux, { session, window, pane });
    return { ...made, created: true };
  }

  async rename(sessionId: string, name: string): Promise<void> {
    await checkSessionName(this.tmux, name);
    try {
      await this.tmux.run([
        ["has-session", "-t", sessionId],
        ["rename-session", "-t", sessionId, "--", literal(name)],
      ]);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      throw new AppError("invalid-argument", `Cannot rename to "${name}": a session has that name`, {
        hint: "Call list-sessions for the names in use",
      });
    }
  }

  async kill(sessionId: string): Promise<void> {
    await this.tmux.run([["has-session", "-t", sessionId], ["kill-session", "-t", sessionId]]);
  }

  /** @throws {AppError} `tmux-error` for a new session on a server that ends because no person is attached */
  async #checkServerStays({ sessionId, sessionName }: Omit<CreatedSession, "created">): Promise<void> {
    const sessions = await this.list();
    if (sessions.some(({ attached }) => attached)) return;
    // Our own clients may still hold the server.
    await bestEffort(this.kill(sessionId));
    const reason = "its tmux server ends while nobody is attached (exit-unattached is on)";
    throw new AppError("tmux-error", `Cannot keep session "${sessionName}": ${reason}`, {
      hint: "Have a person attach first, or set exit-unattached off in the tmux configuration",
    });
  }

  /** Refuses a path with a file that is not a socket: tmux would replace it when starting a server. */
  async #checkSocket(): Promise<void> {
    const { machine, socket } = this.tmux;
    if (!socket.includes("/") || !await machine.wouldReplaceFile(socket)) return;
    const what = `Cannot use socket "${socket}": the file there is not a socket`;
    throw new AppError("invalid-argument", what, { hint: "Give a name, or a path that does not exist" });
  }

  async #read(): Promise<Listed[]> {
    const { codec } = this.tmux;
    const text = await this.tmux.runIfServer([
      ["list-sessions", "-F", codec.format(LISTED)],
      codec.dividerCommand(),
      ["list-clients", "-F", codec.format(CLIENT)],
    ]);
    if (text === undefined) return [];
    const [sessions = "", clients = ""] = codec.split(text);
    const own = this.tmux.ownClients();
    const ours = codec.parse(CLIENT, clients).filter((client) => isProgram(client, own));
    return codec.parse(LISTED, sessions).map((row) => ({
      ...row,
      attached: row.attached > ours.filter((client) => client.sessionId === row.id).length,
    }));
  }

  async #reuse(spec: NewSession): Promise<CreatedSession> {
    const rows = await this.tmux.rows.list(CREATED, ["list-sessions"]);
    const existing = rows.find((row) => row.sessionName === spec.name);
    if (!existing) {
      throw new AppError("busy", `Session "${spec.name}" existed when the call began, and ended during it`, {
        hint: "Call again",
      });
    }
    if (spec.command !== undefined || Object.keys(spec.environment ?? {}).length > 0) {
      const what = `Session "${spec.name}" exists, so command and environment would not apply`;
      throw new AppError("busy", what, {
        hint: `Use pane ${existing.paneId} with execute-command, or choose another name`,
      });
    }
    return { ...existing, created: false };
  }

  /**
   * Returns our own variables that tmux would update in a new session. Without `-E`, it would also remove those that
   * the server has and our environment lacks, such as XAUTHORITY. A server that starts has all of them.
   */
  async #updates(): Promise<Record<string, string>> {
    const [updated = "", own] = await Promise.all([
      this.tmux.runIfServer([["show-options", "-gv", "update-environment"]]),
      this.tmux.machine.environment(),
    ]);
    const patterns = updated.split("\n").map(fromWildcards);
    const isUpdated = (name: string): boolean => patterns.some((pattern) => pattern.test(name));
    return Object.fromEntries(Object.entries(own).filter(([name]) => isUpdated(name)));
  }

  async #make(spec: NewSession & Unclaimed): Promise<RowOf<typeof MADE> | "duplicate"> {
    const text = await this.tmux.run(await this.#creation(spec)).catch((error: unknown) => {
      if (isDuplicate(error)) return undefined;
      throw error;
    });
    if (text === undefined) return "duplicate";
    const [row] = this.tmux.codec.parse(MADE, text);
    if (row) return row;
    // tmux reports that on stderr and exits with success (3.3a).
    if (text === "") {
      throw new AppError("tmux-error", `tmux could not start on socket "${this.tmux.socket}"`, {
        hint: "Give a path in a folder that exists",
      });
    }
    throw new AppError("tmux-error", `tmux created a session but did not describe it: ${text}`);
  }

  async #creation(spec: NewSession & Unclaimed): Promise<Command[]> {
    const { codec, machine } = this.tmux;
    const { width = 200, height = 50 } = spec;
    const named = spec.name === undefined ? [] : ["-s", literal(spec.name)];
    const size = ["-x", `${width}`, "-y", `${height}`];
    const program = await programFlags(machine, spec);
    // Without a name, tmux takes the session used last: the new one, because our client names no pane.
    const target = spec.name === undefined ? ":" : `=${spec.name}:`;
    return [
      ["new-session", "-d", "-E", "-P", "-F", codec.format(MADE), ...named, ...size, ...program],
      // A user's destroy-unattached would end the session before anyone sees it.
      ["set-option", "-t", target, "destroy-unattached", "off"],
      ...(spec.createdBy === undefined ? [] : [markUnclaimed(target, spec.createdBy)]),
      sizeNewSession(width, height),
    ];
  }
}

function sessionOf({ lastAttached: _attached, activity: _activity, ...session }: Listed): Session {
  return session;
}

/** Returns a regex for a pattern of `update-environment`, but for character classes. */
function fromWildcards(pattern: string): RegExp {
  return new RegExp(`^${RegExp.escape(pattern).replaceAll("\\*", ".*").replaceAll("\\?", ".")}$`);
}

function isDuplicate(error: unknown): boolean {
  return error instanceof AppError && error.message.includes("duplicate session");
}
