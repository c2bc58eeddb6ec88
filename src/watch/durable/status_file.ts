// The file to which a command's shell writes its exit status, in case nobody reads the mark that ends its output.
import type { RecordStore } from "../../durable/record_store.ts";
import { removeQuietly } from "../../durable/files.ts";
import { exitStatus } from "../../shell/marks.ts";

const SUFFIX = "status";
// deno-lint-ignore no-control-regex
const CONTROL_CHAR = /[\x00-\x1f\x7f]/;

/** Creates the file of a command; undefined where nothing can be written. A shell that can't write to it leaves it empty. */
export function createStatusFile(store: RecordStore, commandId: string): string | undefined {
  const path = store.fileBeside(commandId, SUFFIX);
  // It becomes a part of a line that a shell reads.
  if (path === undefined || CONTROL_CHAR.test(path)) return undefined;
  const isCreated = store.attempt(() => Deno.writeFileSync(path, new Uint8Array(0), { mode: 0o600 }));
  return isCreated === undefined ? undefined : path;
}

/** The exit status that a command's shell has written. */
export function readStatusFile(store: RecordStore, commandId: string): number | undefined {
  const path = store.fileBeside(commandId, SUFFIX);
  if (path === undefined) return undefined;
  try {
    const [, status] = /^(\d{1,3})\n$/.exec(Deno.readTextFileSync(path)) ?? [];
    return status === undefined ? undefined : exitStatus(Number(status));
  } catch {
    // Older servers created none, and it goes with the command's end.
    return undefined;
  }
}

export function removeStatusFile(store: RecordStore, commandId: string): void {
  const path = store.fileBeside(commandId, SUFFIX);
  if (path !== undefined) removeQuietly(path);
}
