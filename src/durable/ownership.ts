// The process that is responsible for a folder of records, and how another process takes the folder over.
import { join } from "@std/path";
import type { ProcessIdentity } from "../process/process_identity.ts";
import { removeQuietly, statIfThere } from "./files.ts";

/** Mark of the process that is responsible for a folder; undefined if there is none yet. */
export function ownedBy(folder: string): string | undefined {
  const last = lastOf(folder);
  return last === 0 ? undefined : readMark(folder, last);
}

/**
 * Makes a process responsible for a folder that has no owner, or a dead one. Each owner is a file with the next
 * number, so of two processes that take over from the same dead one, the second finds its number taken. Returns true
 * if the process is the owner.
 */
export function takeOwnership(folder: string, { mark, isDead }: ProcessIdentity): boolean {
  const last = lastOf(folder);
  const before = last === 0 ? undefined : readMark(folder, last);
  if (before === mark) return true;
  if (last > 0 && (before === undefined || !isDead(before))) return false;
  const draft = join(folder, `owner-${crypto.randomUUID()}`);
  Deno.writeTextFileSync(draft, mark, { createNew: true, mode: 0o600 });
  try {
    Deno.linkSync(draft, join(folder, `owner.${last + 1}`));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  } finally {
    removeQuietly(draft);
  }
}

/** Number of the last owner. They are numbered without gaps, and a folder can have thousands of other files. */
function lastOf(folder: string): number {
  let last = 0;
  while (statIfThere(join(folder, `owner.${last + 1}`))) last++;
  return last;
}

function readMark(folder: string, number: number): string | undefined {
  const path = join(folder, `owner.${number}`);
  if (!statIfThere(path)?.isFile) return undefined;
  try {
    return Deno.readTextFileSync(path);
  } catch {
    // The file has been removed with its folder.
    return undefined;
  }
}
