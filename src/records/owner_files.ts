// The process that is responsible for a folder of records or for one record, and how another process takes it over.
import { lacksDescriptor, noDescriptor } from "../errors.ts";
import type { ProcessIdentity } from "../process/process_identity.ts";
import { removeQuietly, statIfThere } from "./files.ts";

/**
 * Stamp of the process that is responsible; undefined if no process is yet. `path`: path of its files without number.
 * @throws {AppError} `busy` without descriptors
 */
export function ownedBy(path: string): string | undefined {
  const last = lastOf(path);
  return last === 0 ? undefined : readStamp(path, last);
}

/** Stamp of the process that was responsible first. */
export function createdBy(path: string): string | undefined {
  return readStamp(path, 1);
}

/**
 * Makes a process responsible for what has no owner, or a dead one. Each owner is a file with the next
 * number, so of two processes that take over from the same dead one, the second finds its number taken. Returns true
 * if the process is the owner.
 */
export function takeOwnership(
  path: string,
  { stamp, isDead }: Pick<ProcessIdentity, "stamp" | "isDead">,
): boolean {
  const last = lastOf(path);
  const before = last === 0 ? undefined : readStamp(path, last);
  if (before === stamp) return true;
  if (last > 0 && (before === undefined || !isDead(before))) return false;
  const draft = `${path}-${crypto.randomUUID()}`;
  try {
    Deno.writeTextFileSync(draft, stamp, { createNew: true, mode: 0o600 });
    Deno.linkSync(draft, `${path}.${last + 1}`);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  } finally {
    removeQuietly(draft);
  }
}

/** Number of the last owner. They are numbered without gaps, and a folder can have thousands of other files. */
function lastOf(path: string): number {
  let last = 0;
  while (statIfThere(`${path}.${last + 1}`)) last++;
  return last;
}

function readStamp(path: string, number: number): string | undefined {
  const file = `${path}.${number}`;
  if (!statIfThere(file)?.isFile) return undefined;
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    if (lacksDescriptor(error)) throw noDescriptor("Cannot tell whose records these are", error);
    // The file has been removed with its folder.
    return undefined;
  }
}
