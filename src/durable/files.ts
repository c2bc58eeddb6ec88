// Files and folders of this user alone: nothing that somebody else put there is read, and no link is followed.
import { AppError } from "../errors.ts";

/** One block, for which a full disk has no room. */
const PROBE_BYTES = 4096;

/** Returns why a folder can't be trusted with records; undefined if it can, or is not there yet. */
export function findFault(path: string, uid: number): string | undefined {
  const found = statIfThere(path);
  if (!found) return undefined;
  if (found.isSymlink) return `"${path}" is a link. Set durable.path to the folder itself`;
  if (!found.isDirectory) return `"${path}" is not a folder`;
  if (!isOf(found, uid)) return `"${path}" belongs to another user`;
  return ((found.mode ?? 0) & 0o022) === 0
    ? undefined
    : `others can write to "${path}". Empty it and call chmod 700`;
}

/** Creates a folder that only this user can enter, and closes an existing one that others could read. */
export function ensureFolder(path: string, uid: number): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  const fault = findFault(path, uid);
  if (fault !== undefined) throw new AppError("denied", fault);
  if (((Deno.statSync(path).mode ?? 0) & 0o077) !== 0) Deno.chmodSync(path, 0o700);
}

/**
 * Writes a file into a folder and removes it, and the folder too where it was not there.
 * @throws if nothing can be written there
 */
export function tryToWrite(folder: string, uid: number): void {
  const isNew = statIfThere(folder) === undefined;
  ensureFolder(folder, uid);
  const path = `${folder}/probe-${crypto.randomUUID()}`;
  try {
    Deno.writeFileSync(path, new Uint8Array(PROBE_BYTES), { mode: 0o600, createNew: true });
  } finally {
    removeQuietly(path);
    if (isNew) removeQuietly(folder);
  }
}

/** A reader sees the old text or the new one, whenever this process is killed. */
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
    // Missing, not a folder, or not readable: none of these holds anything of ours.
    return [];
  }
}

/** Removes a file if it is there. */
export function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Somebody else has removed it.
  }
}

/** A file as it is on disk; undefined for what is not there, and for a link, a device or another user's file. */
export function statOwnFile(path: string, uid: number): Deno.FileInfo | undefined {
  const found = statIfThere(path);
  return found?.isFile && isOf(found, uid) ? found : undefined;
}

/** True for a folder of this user, also one that others can enter; false for a link. */
export function isFolderOf(path: string, uid: number): boolean {
  const found = statIfThere(path);
  return found?.isDirectory === true && isOf(found, uid);
}

/** A file, folder or link itself; undefined where there is nothing, or nothing that this user can see. */
export function statIfThere(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    // Missing, or in a folder that this user can't enter.
    return undefined;
  }
}

function isOf({ uid: owner }: Deno.FileInfo, uid: number): boolean {
  return owner === null || owner === uid;
}
