// A call that can become a task, and the call with which a later server process continues it.
import type { SourceRun } from "../watch/watch_source.ts";

export interface TaskCall {
  /** `keep` is called once the call is a task; it returns undefined if nothing of the call is on disk. */
  continueWith(keep: () => Continuation | undefined | Promise<Continuation | undefined>): void;
  /** The watch of an earlier server process that this call continues. */
  readonly watched?: KeptWatch | undefined;
}

/** Call that continues a task, as written to disk: it holds no typed text. */
export interface Continuation {
  tool: string;
  /** Arguments, without the remaining time. */
  arguments: Record<string, unknown>;
  /** Deadline (epoch ms), and the name of the argument that takes the seconds until then. */
  until?: { at: number; argument: string };
  watched?: KeptWatch;
  /** Path of the tmux server's socket; `serverKey` tells that server from a later one at the same path. */
  socket: string;
  serverKey: string | undefined;
  paneIds: string[];
  /** Set if the call's own result reports that a tmux server has ended. */
  isSelfKnown?: true;
}

/** Place of a task: its tmux server and panes. */
export type TaskPlace = Pick<Continuation, "socket" | "serverKey" | "paneIds">;

export interface KeptWatch {
  watchId: string;
  /** Ids that the result names in addition to its pane. */
  beside: SourceRun["ids"];
}
