// Input of policy: the settings, the declaration of a call, and the live state that decides it.
import type { Options } from "../config/types.ts";
import type { CallerPlace } from "../tmux/caller.ts";
import type { Precondition } from "../tmux/preconditions.ts";
import type { PaneFacts } from "../tmux/server_snapshot.ts";
import type { Effect, Group, Target, Tool } from "../tool.ts";

/** The settings policy reads. */
export type PolicySettings = Pick<
  Options,
  | "scope"
  | "safety"
  | "instance"
  | "securityEnabled"
  | "allowExecuteCommand"
  | "allowRawMode"
  | "allowSendKeys"
  | "allowKill"
  | "allowCreate"
  | "allowSplit"
  | "allowRename"
  | "allowMove"
  | "allowCapture"
  | "allowList"
  | "typePasswords"
  | "allowedSockets"
  | "allowedSessions"
  | "allowedPanes"
  | "allowedBufferPaths"
  | "allowedOutputPaths"
  | "filterMode"
  | "filterPatterns"
  | "filterRawInput"
  | "filterEnvironment"
  | "tools"
  | "auditLevel"
>;

/** The part of a declaration that decisions use; resources and prompts have it too. */
export type Declaration = Pick<Tool, "name" | "effect" | "targets"> & {
  readonly groups: readonly Group[];
  readonly effectOf?: Tool["effectOf"];
  readonly shellText?: Tool["shellText"];
  readonly madeBuffers?: Tool["madeBuffers"];
  readonly synchronizes?: Tool["synchronizes"];
};

/** A pane's state for policy: one row for each session its window is linked into. */
export type LivePane = Readonly<
  Pick<
    PaneFacts,
    | "paneId"
    | "windowId"
    | "windowIndex"
    | "sessionId"
    | "sessionName"
    | "linkedInto"
    | "dead"
    | "inMode"
    | "inputOff"
    | "handedOver"
    | "synchronized"
    | "owner"
    | "service"
  >
>;

/** Everything on one tmux server, from one moment. */
export interface LiveServer {
  /** Its pid and start time: ids of one server mean nothing on another. */
  readonly serverKey: string;
  readonly panes: readonly LivePane[];
}

/** Facts about the tmux server for a decision; each is read only if the decision needs it. */
export interface LiveFacts {
  snapshot(): Promise<LiveServer>;
  /** The pane on it that this server runs in. */
  caller(): Promise<CallerPlace>;
  /** True if a client of the tmux that this server runs in is attached in a pane. */
  showsOwnServer(paneId: string): Promise<boolean>;
  /** `@tmux_mcp_owner` of a session, window or pane, where it has one itself. */
  ownerOf(id: string): Promise<string | undefined>;
  /** The same of a session that the call does not name. */
  sessionOwner(id: string): Promise<string | undefined>;
  /** The session a client is attached to, by its tty. */
  sessionOf(clientTty: string): Promise<string | undefined>;
  /** Distinguishes a buffer from earlier and later ones of its name; undefined if there is none. */
  bufferStamp(name: string): Promise<string | undefined>;
  /** True if a pane's program waits for a password. */
  asksPassword(paneId: string): Promise<boolean>;
  /** The shell in the foreground of a pane: `bash`, `zsh`, `fish`, `dash` …; undefined where it cannot be seen. */
  shellOf(paneId: string): Promise<string | undefined>;
}

/** One call to decide. */
export interface PolicyCall {
  readonly declaration: Declaration;
  readonly args: Readonly<Record<string, unknown>>;
  /** The tmux socket as an absolute path, on `host` where one is given. */
  readonly socketPath: string;
  readonly host?: string | undefined;
  readonly live: LiveFacts;
}

/** Outcome of an allowed call, for the audit log. */
export interface Decision {
  readonly effect: Effect;
  readonly targets: readonly Target[];
  /** Facts that the decision depends on. */
  readonly preconditions: readonly Precondition[];
  /** Advice to its caller. */
  readonly hints: readonly string[];
  /** Forgets what an allowed call typed, after it has failed or was cancelled. */
  abandon(): void;
}
