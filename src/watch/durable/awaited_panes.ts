// Panes whose end somebody still has to read.
import type { RecordStore } from "../../durable/record_store.ts";
import { isCommand, type StoredCommand } from "./stored_command.ts";
import { isWatch, type StoredWatch } from "./watch_records.ts";

/**
 * Ids of the panes of a tmux server whose command or watch is still going on by its record, whichever process answers
 * for it. That process holds them, and reads how they end, which tmux forgets once a pane is closed.
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
