// Files and folders that only this user can use: nothing that somebody else put there is read, and no link is followed.
import { AppError, lacksDescriptor, noDescriptor } from "../errors.ts";

/** Size of a probe file: one block, for which a full disk has no room. */
const PROBE_BYTES = 4096;
const ELSEWHERE = "Set durable.path to a folder of yours";

/** Returns why a folder can't be trusted with records; undefined if it can, or does not exist yet. */
export function findFault(path: string, uid: number): string | undefined {
  const found = statIfThere(path);
  if (!found) return undefined;
  if (found.isSymlink) return `"${path}" is a link. Set durable.path to the folder itself`;
  if (!found.isDirectory) return `"${path}" is not a folder. ${ELSEWHERE}`;
  if (!isOwnedBy(found, uid)) return `"${path}" belongs to another user. ${ELSEWHERE}`;
  return ((found.mode ?? 0) & 0o022) === 0
    ? undefined
    : `others can write to "${path}". ${ELSEWHERE}, or empty it and call chmod 700`;
}

/** Creates a folder that only this user can enter, and closes an existing one to others. */
export function ensureFolder(path: string, uid: number): void {
  if (!statIfThere(path)) Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  const fault = findFault(path, uid);
  if (fault !== undefined) throw new AppError("denied", fault);
  if (((Deno.statSync(path).mode ?? 0) & 0o077) !== 0) Deno.chmodSync(path, 0o700);
}

/**
 * Checks that files can be written to a folder: creates one and removes it, and the folder too if it is new.
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

/** Writes a file so that a reader sees the old text or the new one, whenever this process is killed. */
export function writeAtomically(path: string, text: string): void {
  const draft = `${path}~`;
  try {
    Deno.writeTextFileSync(draft, text, { mode: 0o600 });
    Deno.renameSync(draft, path);
  } catch (error) {
    removeQuietly(draft);
    throw error;
  }
}

/**
 * Names of the entries of a folder; none if there is no such folder.
 * @throws {AppError} `busy` without descriptors
 */
export function listNames(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    if (lacksDescriptor(error)) throw noDescriptor("Cannot list records", error);
    // The folder is missing, not a folder, or not readable: in all cases it holds nothing of ours.
    return [];
  }
}

export function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Another process has removed it.
  }
}

/** Facts about a file of this user; undefined if it is missing, a link, a device or another user's file. */
export function statOwnFile(path: string, uid: number): Deno.FileInfo | undefined {
  const found = statIfThere(path);
  return found && isOwnFile(found, uid) ? found : undefined;
}

/** True for a file of this user; false for a link, a device, a folder, or another user's file. */
export function isOwnFile(found: Deno.FileInfo, uid: number): boolean {
  return found.isFile && isOwnedBy(found, uid);
}

/** True for a folder of this user, even one that others can enter; false for a link. */
export function isFolderOf(path: string, uid: number): boolean {
  const found = statIfThere(path);
  return found?.isDirectory === true && isOwnedBy(found, uid);
}

/** Facts about a file, folder or link itself; undefined if there is nothing that this user can see. */
export function statIfThere(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    // It is missing, or in a folder that this user can't enter.
    return undefined;
  }
}

function isOwnedBy({ uid: owner }: Deno.FileInfo, uid: number): boolean {
  return owner === null || owner === uid;
}
