// One batch of tmux commands, its result and its failures, however tmux is reached.

import { AppError } from "../errors.ts";

/** One tmux command and its arguments, taken literally: nothing is quoted, a trailing `;` is text. */
export type Command = readonly string[];

/** Runs tmux commands in order; returns the output of the last one. */
export type Send = (...commands: Command[]) => Promise<string>;

export interface Reply {
  code: number;
  stdout: Uint8Array;
  stderr: string;
}

export interface ExecOptions {
  /** Standard input of the client (`load-buffer -`); empty by default. */
  stdin?: Uint8Array;
  /** Aborting ends the client at once and rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds until the call fails as `timeout`; 5000 if left out. */
  timeoutMs?: number;
  /** Runs the batch in control mode, and returns only the first output after each of these tags. */
  frameTag?: string;
}

export const DEFAULT_TIMEOUT_MS = 5000;

/**
 * Runs commands in order in one tmux client; after a failing command the rest is dropped. A non-zero code is a reply,
 * not an error. Only one command of a batch can read the input, and only one can write to `-` (`save-buffer -`),
 * before all that print. If the server dies during the call, the reply has code 1 and the words of tmux's own client.
 * @throws {AppError} `timeout`, `tmux-unavailable`, `invalid-argument`, `tmux-error`, `internal`
 */
export type Exec = (commands: readonly Command[], options?: ExecOptions) => Promise<Reply>;

/** Returns the error for a program that has not replied in time. */
export function noAnswer(program: string, ms: number): AppError {
  return new AppError("timeout", `No answer from ${program} in ${ms} ms`, {
    hint: "Call again; if it keeps failing, the tmux server may be stopped or hung",
  });
}
