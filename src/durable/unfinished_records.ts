// Records of what has not ended, or whose result no client has yet.
import { isCommand, type StoredCommand } from "../commands/durable/stored_command.ts";
import type { RecordStore, StoredRecord } from "../records/record_store.ts";
import { readWatch, type StoredWatch } from "../watch/watch_records.ts";

/**
 * Ids of a tmux server's panes whose command or watch is still running according to its record, whichever process is
 * responsible for it. That process holds the panes and reads how they end, which tmux forgets once a pane is closed.
 */
export async function awaitedPanes(store: RecordStore, serverKey: string): Promise<Set<string>> {
  const records = await store.running(serverKey);
  const commands = (records as StoredCommand[]).filter(isCommand);
  const watches = (records as StoredWatch[]).filter((record) => readWatch(record) !== undefined);
  const isDue = ({ started, timeout }: StoredWatch): boolean => Date.now() >= started + timeout * 1000;
  return new Set([
    ...commands.map(({ paneId }) => paneId),
    ...watches.filter((watch) => !isDue(watch)).flatMap(({ paneIds }) => paneIds),
  ]);
}

/** Returns a test for running commands, running watches and unread events, all of whose panes are among these. */
export function isUnfinishedIn(paneIds: ReadonlySet<string>): (record: StoredRecord) => boolean {
  return (record) => {
    const command = record as StoredCommand;
    if (isCommand(command)) return command.ended === undefined && paneIds.has(command.paneId);
    const watch = record as StoredWatch;
    return readWatch(watch) !== undefined && !isKnownToClient(watch) &&
      watch.paneIds.every((id) => paneIds.has(id));
  };
}

/** True for a watch whose result needs no event: its client has the event, or reads the result as a task's. */
export function isKnownToClient({ result, isTask, isRead }: StoredWatch): boolean {
  return result !== undefined && (isTask === true || isRead === true);
}
