import { assertEquals, assertThrows } from "@std/assert";
import { RecordIds } from "../../src/records/record_ids.ts";
import { AppError } from "../../src/errors.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { CommandRegistry } from "../../src/commands/command_registry.ts";
import { OutputStore } from "../../src/commands/output_store.ts";
import type { FoundPane } from "../../src/watch/pane_refs.ts";

const TMUX = { outlivingCall: () => TMUX } as unknown as Tmux;

/** The records of a process that writes nothing to disk. */
function newRecords(): CommandRegistry {
  return new CommandRegistry({
    ids: new RecordIds(),
    completedRetentionMinutes: 1,
    completedMaxEntries: 10,
    newOutputStore: () => new OutputStore({ memory: 1000, shared: { left: 1000 }, folder: "/nonexistent" }),
    records: undefined,
  });
}

Deno.test("no command begins once the server leaves: its record would end as lost", async () => {
  const records = newRecords();
  const pane = { paneId: "%0", serverKey: "1-2", columns: 80, rows: 24 } as FoundPane;
  const command = { tmux: TMUX, command: "true" };
  records.create(pane, command);
  await records.detach();
  assertThrows(() => records.create(pane, command), AppError, "The server is shutting down");
  assertEquals(records.all().map(({ status }) => status), ["running"]);
});
