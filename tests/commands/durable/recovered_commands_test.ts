// Commands of other server processes, where no file can be opened for a while.
import { assertEquals, assertRejects } from "@std/assert";
import { RecordStore } from "../../../src/records/record_store.ts";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import { OutputStore } from "../../../src/commands/output_store.ts";
import { RecoveredCommands } from "../../../src/commands/durable/recovered_commands.ts";
import type { StoredCommand } from "../../../src/commands/durable/stored_command.ts";
import { until } from "../../support/until.ts";
import { newRecord, newStore } from "./stored_commands.ts";

const NO_DESCRIPTOR = "Too many open files (os error 24)";

/** A tmux that can't be reached, so that nothing ends a command but its record. */
const TMUX = {
  outlivingCall: () => TMUX,
  servers: { key: () => Promise.reject(new Error("no tmux")) },
} as unknown as Tmux;

function recovered(store: RecordStore): RecoveredCommands {
  return new RecoveredCommands({
    store,
    changesPanes: true,
    endPipe() {},
    spoolsPiped: () => [],
    abandoned: () => Promise.resolve(),
    lease: () => Promise.resolve(undefined),
    sweep() {},
    connect: () => TMUX,
    newOutputStore: () => new OutputStore({ memory: 1000, shared: { left: 1000 }, folder: store.root }),
    visiblePanes: () => Promise.resolve(undefined),
  });
}

/** Opens none of these files until it is disposed. */
function closedTo(paths: readonly string[]): Disposable {
  const open = Deno.openSync;
  Deno.openSync = (path, options) => {
    if (paths.includes(String(path))) throw new Error(NO_DESCRIPTOR);
    return open(path, options);
  };
  return { [Symbol.dispose]: () => void (Deno.openSync = open) };
}

/** Writes a running command that has printed this. */
function begin(store: RecordStore, text: string): StoredCommand {
  const record = newRecord(store);
  store.write(record);
  Deno.writeTextFileSync(store.fileBeside(record.id, "0")!, text);
  return record;
}

Deno.test("a command that can't be read keeps no other from being taken over, and is read later", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const [one, two] = [begin(store, "one\n"), begin(store, "two\n")];
  const commands = recovered(store);
  const file = store.fileBeside(one.id, "0")!;
  {
    using _ = closedTo([file]);
    await commands.takeOver([one, two]);
    await assertRejects(() => commands.find(one.id), Error, NO_DESCRIPTOR);
  }
  for (const [stored, line] of [[one, "one"], [two, "two"]] as const) {
    const record = (await commands.find(stored.id))!;
    store.write({ ...stored, status: "completed", exitCode: 3, ended: Date.now() } as StoredCommand);
    await until(() => !record.running);
    assertEquals(record.outcome?.status, "completed");
    assertEquals(record.output.lines.forward().next().value?.text, line);
  }
  commands.close();
  await Deno.remove(root, { recursive: true });
});
