// What one batch of tmux commands is, and what comes back.

/** One tmux command and its arguments, as meant: nothing quoted, a trailing `;` is text. */
export type Command = readonly string[];

/** What one tmux client printed, and its exit code. */
export interface Reply {
  code: number;
  stdout: Uint8Array;
  stderr: string;
}

export interface ExecOptions {
  /** What the client reads as its standard input (`load-buffer -`); none when left out. */
  stdin?: Uint8Array;
  /** Aborting ends the client at once and rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds until the call fails as `timeout`; 5000 when left out. */
  deadlineMs?: number;
}

export const DEFAULT_DEADLINE_MS = 5000;

/**
 * Runs commands in order in one tmux client; a failing command drops the rest. A non-zero code is a reply, not an error.
 * @throws {AppError} `timeout`, `tmux-unavailable`, `gone`, `invalid-argument`, `tmux-error`
 */
export type Exec = (commands: readonly Command[], options?: ExecOptions) => Promise<Reply>;
