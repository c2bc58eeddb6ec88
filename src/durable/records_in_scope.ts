// The records that a server takes over from dead ones if its scope doesn't include every pane.
import type { StoredRecord } from "../records/record_store.ts";
import { isCommand, type StoredCommand } from "../commands/durable/stored_command.ts";
import { isWatch, type StoredWatch } from "../watch/watch_records.ts";

/** Returns a test for running commands, running watches and unread events, all of whose panes are among these. */
export function isUnfinishedIn(paneIds: ReadonlySet<string>): (record: StoredRecord) => boolean {
  return (record) => {
    const command = record as StoredCommand;
    if (isCommand(command)) return command.ended === undefined && paneIds.has(command.paneId);
    const watch = record as StoredWatch;
    return isWatch(watch) && !isKnownToClient(watch) && watch.paneIds.every((id) => paneIds.has(id));
  };
}

/** True for a watch whose result needs no event: its client has the event, or reads the result as a task's. */
export function isKnownToClient({ result, isTask, isRead }: StoredWatch): boolean {
  return result !== undefined && (isTask === true || isRead === true);
}
