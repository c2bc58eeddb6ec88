// Files that only their owner can read, written whole or not at all.
import { AppError } from "../errors.ts";

/** Creates a folder that only this user can enter, and closes one of theirs that others could. */
export function ensureFolder(path: string, uid: number): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  const { isDirectory, uid: owner, mode } = Deno.statSync(path);
  if (!isDirectory || (owner !== null && owner !== uid)) {
    throw new AppError("denied", `"${path}" belongs to another user`);
  }
  if (((mode ?? 0) & 0o077) !== 0) Deno.chmodSync(path, 0o700);
}

/** Whoever reads sees the old text or the new one, whenever this process is killed. */
export function writeAtomically(path: string, text: string): void {
  const draft = `${path}~`;
  Deno.writeTextFileSync(draft, text, { mode: 0o600 });
  try {
    Deno.renameSync(draft, path);
  } catch (error) {
    removeQuietly(draft);
    throw error;
  }
}

/** Names of what is in a folder; none where there is no such folder. */
export function listNames(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    // Not there, no folder, or not ours to read: all three hold nothing of ours.
    return [];
  }
}

export function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Somebody else has removed it.
  }
}
