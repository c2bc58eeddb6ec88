// The closed list of failures that a caller can meet, and the class that carries them.

/** Every code that a failed call can return (`_meta["tmux-mcp/error"].code`). */
export const ERROR_CODES = [
  "not-found",
  "invalid-argument",
  "denied",
  "busy",
  "timeout",
  "gone",
  "incomplete-command",
  "tmux-unavailable",
  "tmux-error",
  "unsupported",
  "internal",
] as const;

/** Reason why a call failed. */
export type ErrorCode = typeof ERROR_CODES[number];

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["busy", "timeout"]);

/** Details of an error other than its code and message. */
export interface AppErrorOptions {
  /** Next step for the caller, as one sentence. */
  hint?: string;
  /** End of the message that quotes output of a program. */
  quote?: string;
  /** The underlying error. */
  cause?: unknown;
}

/** A failure that the caller can act on: what failed, and what to do next. */
export class AppError extends Error {
  /** Reason for the failure. */
  readonly code: ErrorCode;
  /** Next step for the caller. */
  readonly hint?: string;
  /** End of the message that quotes output of a program, for those who may read contents of panes. */
  readonly quote?: string;

  /** The message is in sentence case, names the value, and has no full stop. */
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.quote !== undefined) this.quote = options.quote;
  }

  /** True if the same call can succeed later without changes. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** Returns the error for an object that does not exist, naming the call that lists existing ones. */
export function notFound(kind: "session" | "window" | "pane" | "client" | "buffer", id: string): AppError {
  return new AppError("not-found", `Cannot find ${kind} "${id}"`, {
    hint: `Call list-${kind}s for the ones that exist`,
  });
}

/** Returns the error for a pane that existed and has ended. */
export function paneGone(paneId: string): AppError {
  return new AppError("gone", `Pane "${paneId}" is gone`, { hint: "Call list-panes for those that exist" });
}

/** Failure of an operation that begins, or has not finished, while this process is ending. */
export class ShuttingDown extends AppError {
  constructor() {
    super("gone", "The server is shutting down", {
      hint: "Programs keep running: once the server has started again, call list-commands or list-panes",
    });
  }
}

/** Failure of a command whose connection to another machine was lost meanwhile. */
export class ConnectionLost extends AppError {
  constructor(host: string) {
    super("gone", `The connection to host "${host}" was lost during the call`, {
      hint: "Check the state there before calling again: the command may have run",
    });
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is AppError {
  return error instanceof AppError && error.code === code;
}

/** True for the error about an object that does not exist, or no longer exists. */
export function isGone(error: unknown): boolean {
  const isAboutUs = error instanceof ConnectionLost || error instanceof ShuttingDown;
  return error instanceof AppError && !isAboutUs && (error.code === "gone" || error.code === "not-found");
}

/** Returns what a promise settles with; undefined if what it is about does not exist any more. */
export async function unlessGone<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  }
}

/** True for the error about a tmux that can't be reached, such as one on a host without a connection. */
export function isOutOfReach(error: unknown): error is AppError {
  return error instanceof ConnectionLost || hasCode(error, "timeout") || hasCode(error, "tmux-unavailable");
}

/** True for an error that says nothing about what was asked for, because tmux or a descriptor was missing to ask with. */
export function isUnanswered(error: unknown): boolean {
  return isOutOfReach(error) || hasCode(error, "busy") || lacksDescriptor(error);
}

/** Returns the code with which an error is sent to another thread, where a lost connection must not read as `gone`. */
export function sentCode(error: unknown): ErrorCode {
  if (error instanceof ConnectionLost) return "tmux-unavailable";
  return error instanceof AppError ? error.code : "internal";
}

/**
 * True if the system refused a file or a program because too many files are open (ENFILE, EMFILE). If Deno can't open
 * the configuration of a package for that reason, it reports it as invalid.
 */
export function lacksDescriptor(error: unknown): boolean {
  return error instanceof Error && /\(os error 2[34]\)|ERR_INVALID_PACKAGE_CONFIG/.test(error.message);
}

/** True for the error numbers ENFILE and EMFILE of a call of the C library. */
export function isNoDescriptor(errno: number): boolean {
  return errno === 23 || errno === 24;
}

/** Returns the error for an operation that found no file descriptor left; `what` failed is in sentence case. */
export function noDescriptor(what: string, cause?: unknown): AppError {
  return new AppError("busy", `${what}: this server has no file descriptor left`, {
    hint:
      "Stop watches with stop-watch, make fewer calls at a time, or start the server with a higher limit (ulimit -n)",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Returns the error for keys typed into a pane in a mode of tmux (`copy-mode`, `tree-mode`); `target` names the pane. */
export function inMode(target: string, mode: string): AppError {
  const why = `it is in ${mode.replace("-", " ")}, which takes the keys until q is pressed there`;
  return new AppError("busy", `Cannot type into ${target}: ${why}`, { hint: "Leave it with exit-copy-mode" });
}

/** Returns the error for a pane in which a person is answering; `what` begins with a verb. */
export function personAnswers(what: string): AppError {
  return new AppError("busy", `Cannot ${what}: a person is answering there`, {
    hint: "Wait until the person has answered, or use another pane",
  });
}

/**
 * Returns the error for a file that can't be opened or written: `not-found` for its folder, `denied`,
 * `invalid-argument`.
 */
export function unwritable(path: string, cause: unknown): AppError {
  if (cause instanceof Deno.errors.NotFound) {
    return new AppError("not-found", `Cannot write "${path}": its folder does not exist`, {
      hint: "Create the folder first, or give a path in one that exists",
      cause,
    });
  }
  if (cause instanceof Deno.errors.PermissionDenied || cause instanceof Deno.errors.NotCapable) {
    return new AppError("denied", `Cannot write "${path}": this server is not allowed to`, {
      hint: "Give a path that the user of this server may write",
      cause,
    });
  }
  return new AppError("invalid-argument", `Cannot write "${path}": ${messageOf(cause)}`, {
    hint: lacksRoom(cause)
      ? "Free space there, or give a path on another disk"
      : "Give the path of a file, new or one of your own",
    cause,
  });
}

/** True if a disk is full (ENOSPC), or a quota or limit is reached (EDQUOT of Linux and macOS, EFBIG). */
function lacksRoom(error: unknown): boolean {
  return /\(os error (27|28|69|122)\)/.test(messageOf(error));
}

/** Returns the error and the next step in one line. */
export function oneLine(error: unknown): string {
  const message = messageOf(error);
  const hint = error instanceof AppError && error.hint !== undefined ? `. ${error.hint}` : "";
  return (message + hint).replaceAll(/\s*\n\s*/g, " ");
}

/** Returns the text of whatever was thrown. Deno's advice on its flags is left out: people don't start Deno here. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, what] = /^Requires \w+ access to (.*), run again with the --allow-/s.exec(error.message) ?? [];
  return what === undefined ? error.message : `this program has no permission for ${what}`;
}
