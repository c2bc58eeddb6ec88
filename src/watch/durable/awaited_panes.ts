// Panes whose end somebody still has to read.
import type { RecordStore } from "../../durable/record_store.ts";
import { isCommand, LETTER, type StoredCommand } from "./stored_command.ts";
import { isWatch, type StoredWatch, WATCH_LETTER } from "./watch_records.ts";

/**
 * Ids of the panes of a tmux server whose command or watch is still going on by its record, whichever process answers
 * for it. That process holds them, and reads how they end, which tmux forgets once a pane is closed.
 */
export function awaitedPanes(store: RecordStore, serverKey: string): Set<string> {
  const commands = store.list<StoredCommand>(serverKey, LETTER).filter(isCommand);
  const watches = store.list<StoredWatch>(serverKey, WATCH_LETTER).filter(isWatch);
  const now = Date.now();
  return new Set([
    ...commands.filter(({ ended }) => ended === undefined).map(({ paneId }) => paneId),
    ...watches.filter(({ ended, started, timeout }) => ended === undefined && now < started + timeout * 1000)
      .flatMap(({ paneIds }) => paneIds),
  ]);
}
