// Files that tmux, or a program it starts, will write.
import { resolve } from "@std/path";
import { AppError, messageOf } from "../errors.ts";

/**
 * Makes a file that only its owner can read where there is none yet, since tmux would let everyone read it, and
 * returns its absolute path.
 * @throws {AppError} `not-found` for a folder that is not there, `denied`, `invalid-argument`
 */
export async function ensurePrivateFile(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    (await Deno.open(absolute, { write: true, createNew: true, mode: 0o600 })).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw unwritable(path, error);
    await checkWritable(path, absolute);
  }
  return absolute;
}

/** Checks before tmux does: a program that tmux starts reports no failure to open a file. */
async function checkWritable(path: string, absolute: string): Promise<void> {
  const there = await Deno.stat(absolute).catch(() => undefined);
  if (there?.isDirectory) throw unwritable(path, new Error("it is a folder"));
  if (!there?.isFile) return;
  const file = await Deno.open(absolute, { append: true }).catch((error) => {
    throw unwritable(path, error);
  });
  file.close();
}

function unwritable(path: string, cause: unknown): AppError {
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
  const reason = messageOf(cause);
  return new AppError("invalid-argument", `Cannot write "${path}": ${reason}`, {
    hint: "Give the path of a file, new or one of your own",
    cause,
  });
}

/** The path of a file as a tmux command takes it, to which `-` is a stream. */
export function filePath(path: string): string {
  return path === "-" ? "./-" : path;
}
