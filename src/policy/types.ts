// Input of policy: the settings, the declaration of a call, and live state.
import type { Options } from "../config/types.ts";
import type { CallerPlace } from "../tmux/caller.ts";
import type { Precondition } from "../tmux/preconditions.ts";
import type { PaneFacts } from "../tmux/server_snapshot.ts";
import type { Effect, Target, Tool } from "../tool.ts";

/** With every option named `allow…` or `filter…`. */
export type PolicySettings = Pick<
  Options,
  | Extract<keyof Options, `allow${string}` | `filter${string}`>
  | "scope"
  | "safety"
  | "instance"
  | "securityEnabled"
  | "typePasswords"
  | "tools"
  | "auditLevel"
>;

/** The part of a declaration that decisions use; resources and prompts have it too. */
export type Declaration = Pick<
  Tool,
  | "name"
  | "groups"
  | "effect"
  | "targets"
  | "effectOf"
  | "shellText"
  | "madeBuffers"
  | "synchronizes"
  | "divertsKeys"
>;

/** A pane as policy reads it: one row for each session that its window is linked into. */
export type PolicyPane = Readonly<
  Pick<
    PaneFacts,
    | "paneId"
    | "pid"
    | "windowId"
    | "windowIndex"
    | "sessionId"
    | "sessionName"
    | "linkedInto"
    | "dead"
    | "mode"
    | "inputOff"
    | "handedOver"
    | "synchronized"
    | "owner"
    | "service"
  >
>;

/** The part of a server snapshot that policy reads. */
export interface PolicySnapshot {
  /** Pid and start time of the server; ids of one server mean nothing on another. */
  readonly serverKey: string;
  readonly panes: readonly PolicyPane[];
}

/** Facts about the tmux server for a decision; each is read only if the decision needs it. */
export interface LiveFacts {
  snapshot(): Promise<PolicySnapshot>;
  /** The pane that this program runs in, if it is on this tmux server. */
  caller(): Promise<CallerPlace>;
  /** True if a client of the tmux that this program runs in is attached inside a pane. */
  showsOwnServer(paneId: string): Promise<boolean>;
  /** `@tmux_mcp_owner` of a session, window or pane, if set on the object itself. */
  ownerOf(id: string): Promise<string | undefined>;
  /** `@tmux_mcp_owner` of a session that the call does not name. */
  sessionOwner(id: string): Promise<string | undefined>;
  /** The session that a client is attached to, by the client's tty. */
  sessionOf(clientTty: string): Promise<string | undefined>;
  /** Distinguishes a buffer from earlier and later ones of its name; undefined if there is none. */
  bufferStamp(name: string): Promise<string | undefined>;
  /** True if a pane's program waits for a password. */
  asksPassword(paneId: string): Promise<boolean>;
  /** The shell in the foreground of a pane: `bash`, `zsh`, `fish`, `dash` …; undefined if it can't be seen. */
  shellOf(paneId: string): Promise<string | undefined>;
  /** Name of the program that runs the command of a new pane; undefined if it can't be known. */
  newShell(): Promise<string | undefined>;
}

export interface PolicyCall {
  readonly declaration: Declaration;
  readonly args: Readonly<Record<string, unknown>>;
  /** Absolute path of the tmux socket, on `host` if set. */
  readonly socketPath: string;
  readonly host?: string | undefined;
  readonly live: LiveFacts;
  /** Called once nothing but facts of the tmux server can deny the call, and before any is read. */
  admitted?(): Promise<void>;
}

/** Outcome of an allowed call, for the audit log. */
export interface Decision {
  readonly effect: Effect;
  readonly targets: readonly Target[];
  /** Facts on which the decision depends. */
  readonly preconditions: readonly Precondition[];
  /** Advice for the caller. */
  readonly hints: readonly string[];
  /** Lets other calls type where this one did, once it has ended. `isWhole`: it has typed all that was decided on. */
  readonly endTyping: (isWhole: boolean) => void;
}
