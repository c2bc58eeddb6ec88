// A call that its client may have as a task, and the call by which a later server process continues it.

export interface TaskCall {
  /** `keep` is called once the call is a task; it returns undefined where nothing of the call is on disk. */
  goesOnBy(keep: () => Continuation | undefined | Promise<Continuation | undefined>): void;
  /** The watch of an earlier server process that this call continues. */
  readonly watched?: KeptWatch | undefined;
}

/** Goes to disk: no text that was typed is in it. */
export interface Continuation {
  tool: string;
  /** Without the time that is left. */
  arguments: Record<string, unknown>;
  /** Epoch milliseconds, and the argument that takes the seconds which are left until then. */
  until?: { at: number; argument: string };
  watched?: KeptWatch;
  /** Path of the tmux server's socket, and the key of that server: another one can have the same. */
  socket: string;
  serverKey: string | undefined;
  /** The panes that the call is about. */
  paneIds: string[];
  /** Its answer says itself what has become of a tmux server that has ended. */
  isSelfKnown?: true;
}

/** The panes that a task is about. */
export type TaskPlace = Pick<Continuation, "socket" | "serverKey" | "paneIds">;

export interface KeptWatch {
  watchId: string;
  /** Ids that the result names in addition to its pane. */
  beside: { sessionId?: string; commandId?: string };
}
