// Keeps the folder of records within its limits: by age, then by size, oldest finished record first.
import { join } from "@std/path";
import { isExitStatus } from "./exit_status_files.ts";
import { isOwnFile, listNames, removeQuietly, statIfThere } from "./files.ts";
import { hasEnded, RECORD } from "./record_file.ts";
import type { RecordFolders } from "./record_folders.ts";
import { delay } from "../timer.ts";
import { getOrCreate } from "../maps.ts";

export interface PruneOptions {
  maxBytes: number;
  /** Records that were last written before this time (epoch ms) are removed. */
  oldest: number;
  /** True if the process that is responsible for a folder, or for one record in it, may still write there. */
  mayWrite(last: LastWrite): boolean;
}

/** The last write to a folder, or to one record in it. */
export interface LastWrite {
  folder: string;
  name?: string | undefined;
  /** Time (epoch ms). */
  written: number;
}

/** A record and the files next to it. */
interface RecordFiles extends LastWrite {
  name: string;
  files: string[];
  bytes: number;
  running: boolean;
}

/** Number of files that are read in one go; calls are served in between. */
const SLICE = 200;

/** Removes records that are too old, then finished records until the rest fit into `maxBytes`. */
export async function prune(
  folders: RecordFolders,
  { maxBytes, oldest, mayWrite }: PruneOptions,
): Promise<void> {
  const records = await readAll(folders);
  records.sort((one, other) => one.written - other.written);
  let bytes = records.reduce((sum, each) => sum + each.bytes, 0);
  for (const each of records) {
    const isOld = each.written < oldest && !(each.running && mayWrite(each));
    if (!isOld && (bytes <= maxBytes || each.running)) continue;
    for (const file of each.files) removeQuietly(join(each.folder, file));
    bytes -= each.bytes;
  }
  for (const folder of idleFolders(folders, mayWrite)) removeIfEmpty(folder, oldest);
}

/** Number of records, and their bytes on disk. */
export interface RecordsSize {
  records: number;
  bytes: number;
}

/** Returns number and bytes of all records in the folders, including those of live processes. */
export async function measure(folders: RecordFolders): Promise<RecordsSize> {
  return sizeOf(await readAll(folders));
}

/** Removes every record except those of running commands and watches whose process may still write. */
export async function clean(
  folders: RecordFolders,
  mayWrite: PruneOptions["mayWrite"],
): Promise<RecordsSize> {
  const all = await readAll(folders);
  // A removed record is a change of its folder.
  const idle = idleFolders(folders, mayWrite);
  const removed = all.filter((each) => !each.running || !mayWrite(each));
  for (const { folder, files } of removed) for (const file of files) removeQuietly(join(folder, file));
  for (const folder of idle) removeIfEmpty(folder, Infinity);
  return sizeOf(removed);
}

function idleFolders(folders: RecordFolders, mayWrite: PruneOptions["mayWrite"]): string[] {
  return folders.all().filter((folder) => !mayWrite({ folder, written: changedAt(folder) }));
}

function sizeOf(records: readonly RecordFiles[]): RecordsSize {
  return { records: records.length, bytes: records.reduce((sum, each) => sum + each.bytes, 0) };
}

async function readAll(folders: RecordFolders): Promise<RecordFiles[]> {
  const kept: RecordFiles[] = [];
  let read = 0;
  for (const folder of folders.all()) {
    const records = new Map<string, RecordFiles>();
    for (const file of listNames(folder)) {
      const [, name] = /^([a-z]\d+)\./.exec(file) ?? [];
      if (name === undefined) continue;
      const none = { folder, name, files: [], bytes: 0, written: 0, running: true };
      add(getOrCreate(records, name, () => none), file, folders.uid);
      if (++read % SLICE === 0) await delay();
    }
    kept.push(...records.values());
  }
  return kept;
}

function add(record: RecordFiles, file: string, uid: number): void {
  const path = join(record.folder, file);
  const stat = statIfThere(path);
  // The file belongs to another user, or has been removed.
  if (!stat || !(isOwnFile(stat, uid) || isExitStatus(file, stat))) return;
  record.files.push(file);
  record.bytes += stat.size;
  record.written = Math.max(record.written, stat.mtime?.getTime() ?? 0);
  if (file.endsWith(RECORD)) record.running = !hasEnded(path, stat.size);
}

/** Removes a folder without records, unless it was touched recently: its process may still write to it. */
function removeIfEmpty(folder: string, oldest: number): void {
  const names = listNames(folder);
  if (names.some((name) => !name.startsWith("owner"))) return;
  try {
    if (changedAt(folder) > oldest) return;
    for (const name of names) Deno.removeSync(join(folder, name));
    Deno.removeSync(folder);
  } catch {
    // Another process has put a record there, or removed the folder.
  }
}

function changedAt(path: string): number {
  return statIfThere(path)?.mtime?.getTime() ?? 0;
}
