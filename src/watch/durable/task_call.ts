// A call that can become a task, and the call with which a later server process continues it.

export interface TaskCall {
  /** `keep` is called once the call is a task; it returns undefined where nothing of the call is on disk. */
  continueWith(keep: () => Continuation | undefined | Promise<Continuation | undefined>): void;
  /** The watch of an earlier server process that this call continues. */
  readonly watched?: KeptWatch | undefined;
}

/** Written to disk: it holds no typed text. */
export interface Continuation {
  tool: string;
  /** Without the time that is left. */
  arguments: Record<string, unknown>;
  /** Epoch milliseconds, and the argument that takes the seconds left until then. */
  until?: { at: number; argument: string };
  watched?: KeptWatch;
  /** Path of the tmux server's socket, and the key of that server: another one can have the same. */
  socket: string;
  serverKey: string | undefined;
  /** The panes that the call is about. */
  paneIds: string[];
  /** Its answer itself reports that a tmux server has ended. */
  isSelfKnown?: true;
}

/** The panes that a task is about. */
export type TaskPlace = Pick<Continuation, "socket" | "serverKey" | "paneIds">;

export interface KeptWatch {
  watchId: string;
  /** Ids that the result names in addition to its pane. */
  beside: { sessionId?: string; commandId?: string };
}
