// Sessions: listing, making, renaming, ending.
import { AppError } from "../errors.ts";
import { literal } from "./format.ts";
import { sessionTarget } from "./ids.ts";
import type { Tmux } from "./tmux.ts";

export interface Session {
  id: string;
  name: string;
  /** How many windows are linked into it. */
  windows: number;
  /** Whether a client other than this server's own is attached. */
  attached: boolean;
  /** Epoch seconds. */
  created: number;
  activePaneId: string;
}

export interface NewSession {
  name?: string | undefined;
  startDirectory?: string | undefined;
  command?: string | undefined;
  /** Columns and rows of the detached session. */
  width?: number | undefined;
  height?: number | undefined;
  environment?: Readonly<Record<string, string>> | undefined;
}

export interface CreatedSession {
  sessionId: string;
  sessionName: string;
  windowId: string;
  paneId: string;
  created: boolean;
}

const SESSION = {
  id: "#{session_id}",
  windows: "#{session_windows}",
  attached: "#{session_attached}",
  created: "#{session_created}",
  activePaneId: "#{pane_id}",
  name: "#{session_name}",
};

const CREATED = {
  sessionId: "#{session_id}",
  windowId: "#{window_id}",
  paneId: "#{pane_id}",
  sessionName: "#{session_name}",
};

const ID = { sessionId: "#{session_id}" };

const CLIENT = { pid: "#{client_pid}", sessionId: "#{session_id}" };

export class Sessions {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** Every session; none where no server runs. */
  async list(): Promise<Session[]> {
    const { codec } = this.#tmux;
    const text = await this.#tmux.runIfServer([
      ["list-sessions", "-F", codec.format(SESSION)],
      codec.dividerCommand(),
      ["list-clients", "-F", codec.format(CLIENT)],
    ]);
    if (text === undefined) return [];
    const [sessions = "", clients = ""] = codec.split(text);
    const own = this.#tmux.ownClients();
    const ours = codec.parse(CLIENT, clients).filter((client) => own.has(Number(client.pid)));
    return codec.parse(SESSION, sessions).map((row) => ({
      id: row.id,
      name: row.name,
      windows: Number(row.windows),
      attached: Number(row.attached) > ours.filter((client) => client.sessionId === row.id).length,
      created: Number(row.created),
      activePaneId: row.activePaneId,
    }));
  }

  /** Makes a detached session, or answers the ids of the one that has this name already. */
  async create(spec: NewSession): Promise<CreatedSession> {
    if (spec.name !== undefined) checkName(spec.name);
    const made = await this.#make(spec);
    if (made === "duplicate") return await this.#reuse(spec);
    await this.#mark(made);
    return { ...made, created: true };
  }

  async rename(session: string, name: string): Promise<{ sessionId: string; name: string }> {
    checkName(name);
    const { codec } = this.#tmux;
    const target = sessionTarget(session);
    const text = await this.#tmux.run([
      ["has-session", "-t", target],
      ["display-message", "-p", "-t", `${target}:`, codec.format(ID)],
      ["rename-session", "-t", target, "--", literal(name)],
    ]).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
      throw new AppError("invalid-argument", `Cannot rename to "${name}": a session has that name`, {
        hint: "Call list-sessions for the names in use",
      });
    });
    const [row] = codec.parse(ID, text);
    return { sessionId: row!.sessionId, name };
  }

  async kill(session: string): Promise<void> {
    const target = sessionTarget(session);
    await this.#tmux.run([["has-session", "-t", target], ["kill-session", "-t", target]]);
  }

  async #reuse(spec: NewSession): Promise<CreatedSession> {
    const rows = await this.#tmux.list(CREATED, ["list-sessions"]);
    const existing = rows.find((row) => row.sessionName === spec.name);
    if (!existing) {
      throw new AppError("busy", `Session "${spec.name}" was taken and is gone again`, {
        hint: "Try once more",
      });
    }
    if (spec.command !== undefined || spec.environment !== undefined) {
      throw new AppError(
        "busy",
        `Session "${spec.name}" exists, so command and environment would not apply`,
        {
          hint: `Use pane ${existing.paneId} with execute-command, or choose another name`,
        },
      );
    }
    return { ...existing, created: false };
  }

  async #make(spec: NewSession): Promise<Omit<CreatedSession, "created"> | "duplicate"> {
    const { codec } = this.#tmux;
    const command = [
      "new-session",
      "-d",
      "-P",
      "-F",
      codec.format(CREATED),
      ...(spec.name === undefined ? [] : ["-s", literal(spec.name)]),
      ...(spec.startDirectory === undefined ? [] : ["-c", literal(spec.startDirectory)]),
      "-x",
      String(spec.width ?? 200),
      "-y",
      String(spec.height ?? 50),
      ...environmentFlags(spec.environment),
      ...(spec.command === undefined ? [] : ["--", spec.command]),
    ];
    const text = await this.#tmux.run([command]).catch((error: unknown) => {
      if (isDuplicate(error)) return undefined;
      throw error;
    });
    if (text === undefined) return "duplicate";
    const [row] = codec.parse(CREATED, text);
    if (!row) throw new AppError("tmux-error", `tmux made a session but did not describe it: ${text}`);
    return row;
  }

  async #mark(row: Omit<CreatedSession, "created">): Promise<void> {
    const owner = ["@tmux_mcp_owner", this.#tmux.owner];
    await this.#tmux.run([
      ["set-option", "-t", row.sessionId, ...owner],
      ["set-option", "-w", "-t", row.windowId, ...owner],
      ["set-option", "-p", "-t", row.paneId, ...owner],
    ]);
  }
}

/** `-e NAME=VALUE` for every variable. */
export function environmentFlags(environment: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
}

function isDuplicate(error: unknown): boolean {
  return error instanceof AppError && error.message.includes("duplicate session");
}

/** Refuses the names tmux would store differently from how they were given. */
function checkName(name: string): void {
  if (name !== "" && !/[.:\\\p{Cc}]/u.test(name)) return;
  const reason = name === ""
    ? "the name is empty"
    : 'tmux changes ".", ":", "\\" and control characters in names';
  throw new AppError("invalid-argument", `Cannot name a session ${JSON.stringify(name)}: ${reason}`, {
    hint: "Use letters, digits, dashes and underscores",
  });
}
