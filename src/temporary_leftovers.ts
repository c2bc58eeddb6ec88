// Removes what killed servers of this user left in the folders for temporary files.
import { join } from "@std/path";
import { type Fifos, openFifos } from "./ffi/fifos.ts";
import type { ProcessIdentity } from "./process/process_identity.ts";
import { bestEffort } from "./promises.ts";
import { delay } from "./timer.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { OWNER_FILE, socketParents } from "./tmux/ssh/private_folder.ts";
import { isFolderOf, statIfThere, statOwnFile } from "./records/files.ts";

export interface LeftoverOptions {
  env: Readonly<Record<string, string>>;
  uid: number;
  libcPath: string;
  /** Identity of this process; undefined if other processes can't be seen, and then no folder is removed. */
  owner: ProcessIdentity | undefined;
  /** Aborted when this server closes. */
  ended: AbortSignal;
}

/** Pause (ms) after the start: a client's first calls come then. */
const PAUSE_MS = 3000;
/** A living server opens its fifo at once, and removes the name within seconds. */
const FIFO_AGE_MS = 60_000;
/** Deno reads all names of a folder at once: about 20 ms for 6,000 names, which take this many bytes on ext4. */
const MAX_FOLDER_BYTES = 1 << 19;
const MAX_REMOVED = 1000;
const FIFO = /^tmux-mcp-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const FOLDER = /^tmux-mcp-[\da-f]{1,16}$/;

/** Removes fifos that no process reads, and folders whose owner is dead, a few seconds after the start. */
export async function removeLeftovers(options: LeftoverOptions): Promise<void> {
  const { env, ended, libcPath, uid } = options;
  await delay(PAUSE_MS, ended);
  if (ended.aborted) return;
  using fifos = openFifos(libcPath);
  const home = temporaryFolder(env);
  for (const folder of new Set([home, ...socketParents(env)])) {
    const isLeft = (path: string, name: string): boolean =>
      (folder === home && FIFO.test(name) && isLeftFifo(path, fifos, uid)) ||
      (FOLDER.test(name) && isLeftFolder(path, options));
    await bestEffort(sweep({ folder, ended }, isLeft));
  }
}

async function sweep(
  { folder, ended }: { folder: string; ended: AbortSignal },
  isLeft: (path: string, name: string) => boolean,
): Promise<void> {
  if (ended.aborted || (statIfThere(folder)?.size ?? 0) > MAX_FOLDER_BYTES) return;
  let removed = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (ended.aborted || removed === MAX_REMOVED) return;
    const path = join(folder, name);
    if (!isLeft(path, name)) continue;
    removed++;
    await bestEffort(Deno.remove(path, { recursive: true }));
  }
}

function isLeftFifo(path: string, fifos: Fifos, uid: number): boolean {
  const found = statIfThere(path);
  const isOld = (found?.mtime?.getTime() ?? Infinity) < Date.now() - FIFO_AGE_MS;
  return found?.isFifo === true && found.uid === uid && isOld && fifos.isUnread(path);
}

function isLeftFolder(path: string, { uid, owner }: LeftoverOptions): boolean {
  if (!owner || !isFolderOf(path, uid)) return false;
  const file = join(path, OWNER_FILE);
  return statOwnFile(file, uid) !== undefined && owner.isDead(Deno.readTextFileSync(file));
}
