// Panes whose end still has to be read.
import type { RecordStore } from "../records/record_store.ts";
import { isCommand, type StoredCommand } from "../commands/durable/stored_command.ts";
import { isWatch, type StoredWatch } from "../watch/watch_records.ts";

/**
 * Ids of a tmux server's panes whose command or watch is still running according to its record, whichever process is
 * responsible for it. That process holds the panes and reads how they end, which tmux forgets once a pane is closed.
 */
export async function awaitedPanes(store: RecordStore, serverKey: string): Promise<Set<string>> {
  const records = await store.running(serverKey);
  const commands = (records as StoredCommand[]).filter(isCommand);
  const watches = (records as StoredWatch[]).filter(isWatch);
  const isDue = ({ started, timeout }: StoredWatch): boolean => Date.now() >= started + timeout * 1000;
  return new Set([
    ...commands.map(({ paneId }) => paneId),
    ...watches.filter((watch) => !isDue(watch)).flatMap(({ paneIds }) => paneIds),
  ]);
}
