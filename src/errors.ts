// The closed list of failures a caller can meet, and the one class that carries them.

/** Every code a failed call can answer with (`_meta["tmux-mcp/error"].code`). */
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

/** Why a call failed. */
export type ErrorCode = typeof ERROR_CODES[number];

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["busy", "timeout"]);

/** Details of an error other than its message. */
export interface AppErrorOptions {
  /** The caller's next step, as one sentence. */
  hint?: string;
  /** The error behind it. */
  cause?: unknown;
}

/** A failure the caller can act on: what failed, and what to do next. */
export class AppError extends Error {
  /** Why it failed. */
  readonly code: ErrorCode;
  /** The caller's next step. */
  readonly hint?: string;

  /** The message is in sentence case, names the value, and has no full stop. */
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
  }

  /** True if the same call can succeed later without being changed. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** The error for an object that does not exist, naming the call that lists those that do. */
export function notFound(kind: "session" | "window" | "pane" | "client" | "buffer", id: string): AppError {
  return new AppError("not-found", `Cannot find ${kind} "${id}"`, {
    hint: `Call list-${kind}s for the ones that exist`,
  });
}

/** The error for a pane that existed and has ended. */
export function paneGone(paneId: string): AppError {
  return new AppError("gone", `Pane "${paneId}" is gone`, { hint: "Call list-panes for those that exist" });
}

/** True for the error of an object that does not exist, or no longer. */
export function isGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === "gone" || error.code === "not-found");
}

/**
 * True if the system refused a file or a program because too many files are open (ENFILE, EMFILE). Deno reports the
 * configuration of a package as invalid where it can't open it.
 */
export function lacksDescriptor(error: unknown): boolean {
  return error instanceof Error && /\(os error 2[34]\)|ERR_INVALID_PACKAGE_CONFIG/.test(error.message);
}

/** The error for what needed a file descriptor when there was none; `what` failed is in sentence case. */
export function noDescriptor(what: string, cause?: unknown): AppError {
  return new AppError("busy", `${what}: this server has no file descriptor left`, {
    hint:
      "Stop watches with stop-watch, make fewer calls at once, or start the server with a higher limit (ulimit -n)",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error for a file that could not be opened to write: `not-found` for its folder, `denied`, `invalid-argument`. */
export function unwritable(path: string, cause: unknown): AppError {
  if (cause instanceof Deno.errors.NotFound) {
    return new AppError("not-found", `Cannot write "${path}": its folder does not exist`, {
      hint: "Create the folder first, or give a path in one that exists",
      cause,
    });
  }
  if (cause instanceof Deno.errors.PermissionDenied || cause instanceof Deno.errors.NotCapable) {
    return new AppError("denied", `Cannot write "${path}": this server may not`, {
      hint: "Give a path that the user of this server may write",
      cause,
    });
  }
  return new AppError("invalid-argument", `Cannot write "${path}": ${messageOf(cause)}`, {
    hint: "Give the path of a file, new or one of your own",
    cause,
  });
}

/** The error and the next step, in one line. */
export function oneLine(error: unknown): string {
  const message = messageOf(error);
  const hint = error instanceof AppError && error.hint !== undefined ? `. ${error.hint}` : "";
  return (message + hint).replaceAll(/\s*\n\s*/g, " ");
}

/** Text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
