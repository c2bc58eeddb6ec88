import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RecordIds } from "../../src/records/record_ids.ts";
import { AppError } from "../../src/errors.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { CommandRegistry } from "../../src/commands/command_registry.ts";
import { OutputStore } from "../../src/commands/output_store.ts";
import type { TrackedCommand } from "../../src/commands/tracked_command.ts";
import type { FoundPane } from "../../src/watch/pane_refs.ts";
import { compileRegex } from "../../src/regex.ts";
import { within } from "../../src/timer.ts";

const TMUX = { outlivingCall: () => TMUX } as unknown as Tmux;

const PANE = { paneId: "%0", serverKey: "1-2", columns: 80, rows: 24 } as FoundPane;

/** The records of a process that writes nothing to disk but output for which there is no memory. */
function newRecords(memory = 1000, folder = "/nonexistent"): CommandRegistry {
  return new CommandRegistry({
    ids: new RecordIds(),
    completedRetentionMinutes: 1,
    completedMaxEntries: 200,
    newOutputStore: () => new OutputStore({ memory, shared: { left: 1000 }, folder }),
    records: undefined,
  });
}

/** Runs a command that prints this to its end. */
async function run(records: CommandRegistry, printed: string): Promise<TrackedCommand> {
  const tracked = records.create(PANE, { tmux: TMUX, command: "x" });
  for (const kind of ["typed", "ready", "given", "output"] as const) tracked.take({ kind });
  tracked.begin(0);
  tracked.output.push(new TextEncoder().encode(printed));
  await tracked.leave({ kind: "done", exitCode: 0 });
  return tracked;
}

Deno.test("no command begins once the server leaves: its record would end as lost", async () => {
  const records = newRecords();
  const command = { tmux: TMUX, command: "true" };
  records.create(PANE, command);
  await records.detach();
  assertThrows(() => records.create(PANE, command), AppError, "The server is shutting down");
  assertEquals(records.all().map(({ status }) => status), ["running"]);
});

Deno.test("of the commands whose output is on disk the last 128 are kept", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  try {
    const records = newRecords(1, folder);
    const inMemory = await run(records, "");
    const onDisk: TrackedCommand[] = [];
    for (let count = 0; count < 129; count++) onDisk.push(await run(records, `${count}\r\n`));
    assertEquals([inMemory.hasFile, onDisk.every(({ hasFile }) => hasFile)], [false, true]);
    const ids = (tracked: readonly TrackedCommand[]) => tracked.map(({ commandId }) => commandId);
    assertEquals(ids(records.all()), ids([inMemory, ...onDisk.slice(1)]));
    assertEquals(onDisk.map(({ hasFile }) => hasFile).indexOf(true), 1);
    const { output } = await onDisk[1]!.result({ maxLines: 9, maxBytes: 99 });
    assertEquals(output, "1");
    for (const { commandId } of records.all()) records.drop(commandId);
  } finally {
    await Deno.remove(folder);
  }
});

Deno.test("an output that is searched is read to its end though its command is dropped, and not later", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  const late = new AbortController();
  try {
    const records = newRecords(1, folder);
    const tracked = await run(records, "line\r\n".repeat(300_000));
    const pattern = await compileRegex("^line$");
    const grep = { pattern, context: 0, signal: late.signal };
    const search = () =>
      tracked.result({ maxLines: 1, maxBytes: 99 }, { query: { part: "head", from: 0, grep } });
    const searching = search();
    records.drop(tracked.commandId);
    assertEquals((await within(searching, { ms: 20_000 }))?.matches, 300_000);
    await assertRejects(search, AppError, "not kept any more");
  } finally {
    late.abort();
    await Deno.remove(folder);
  }
});
