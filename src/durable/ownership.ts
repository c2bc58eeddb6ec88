// The process that answers for a folder of records, and how another takes the folder over.
import { join } from "@std/path";
import type { ProcessIdentity } from "../process/process_identity.ts";
import { removeQuietly, statIfThere } from "./files.ts";

/** Mark of the process that answers for a folder; undefined where none does yet. */
export function ownedBy(folder: string): string | undefined {
  const last = lastOf(folder);
  return last === 0 ? undefined : readMark(folder, last);
}

/**
 * Makes a process answer for a folder that nobody does, or a dead one. Each owner is a file with the next number: of
 * two that take over from the same dead one, the second finds its number taken. Returns whether it is the owner.
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

/** Owners are numbered without a gap, and a folder can have thousands of other files. */
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
    // It has been removed with its folder.
    return undefined;
  }
}
