// Files that tmux, or a program it starts, will write.
import { resolve } from "@std/path";
import { unwritable } from "../errors.ts";

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
