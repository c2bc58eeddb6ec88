// A store of records in a folder of a test, and a command for it.
import { RecordIds } from "../../../src/records/record_ids.ts";
import { RecordStore } from "../../../src/records/record_store.ts";
import type { StoredCommand } from "../../../src/commands/durable/stored_command.ts";

export function newStore(root: string, complaints: string[] = []): RecordStore {
  return new RecordStore({
    ids: new RecordIds(),
    root,
    uid: Deno.uid() ?? 0,
    maxBytes: 1 << 20,
    keepHours: 48,
    owner: undefined,
    complain: (message) => complaints.push(message),
  });
}

export function newRecord(store: RecordStore): StoredCommand {
  return {
    id: store.ids.next("c", "1234-1700000000"),
    started: Date.now(),
    paneId: "%0",
    panePid: 1,
    socket: "/tmp/none",
    command: "true",
    columns: 80,
    rows: 24,
    row: 0,
    lineCount: 1,
    status: "running",
    paneAlive: true,
    piece: 0,
  };
}
