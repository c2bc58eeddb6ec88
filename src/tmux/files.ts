// Files that tmux, or a program it starts, is to write.
import { AppError } from "../errors.ts";

/**
 * Makes a file that only its owner can read where there is none yet: tmux would let everyone read it.
 * @throws {AppError} `not-found` for a folder that is not there, `denied`, `invalid-argument`
 */
export async function ensurePrivateFile(path: string): Promise<void> {
  try {
    (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    throw unwritable(path, error);
  }
}

function unwritable(path: string, cause: unknown): AppError {
  if (cause instanceof Deno.errors.NotFound) {
    return new AppError("not-found", `Cannot write "${path}": its folder does not exist`, { cause });
  }
  if (cause instanceof Deno.errors.PermissionDenied || cause instanceof Deno.errors.NotCapable) {
    return new AppError("denied", `Cannot write "${path}": this server may not`, { cause });
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError("invalid-argument", `Cannot write "${path}": ${reason}`, { cause });
}

/** The path of a file as a tmux command takes it, to which `-` is a stream. */
export function filePath(path: string): string {
  return path === "-" ? "./-" : path;
}
