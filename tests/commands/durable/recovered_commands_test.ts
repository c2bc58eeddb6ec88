// Commands of other server processes, where no file can be opened for a while.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError, ConnectionLost, notFound, ShuttingDown } from "../../../src/errors.ts";
import { sha256Of } from "../../../src/bytes.ts";
import { RecordStore } from "../../../src/records/record_store.ts";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import { OutputStore } from "../../../src/commands/output_store.ts";
import { RecoveredCommands } from "../../../src/commands/durable/recovered_commands.ts";
import { serverKeyOf, type StoredCommand } from "../../../src/commands/durable/stored_command.ts";
import { until } from "../../support/until.ts";
import { newRecord, newStore } from "./stored_commands.ts";
import { HeldTimers } from "./held_timers.ts";

const NO_DESCRIPTOR = "Too many open files (os error 24)";

/** A tmux that can't be reached, so that nothing ends a command but its record. */
const TMUX = {
  outlivingCall: () => TMUX,
  servers: { key: () => Promise.reject(new Error("no tmux")) },
} as unknown as Tmux;

function recovered(store: RecordStore, tmux = TMUX): RecoveredCommands {
  return new RecoveredCommands({
    store,
    changesPanes: true,
    endPipe() {},
    spoolsPiped: () => [],
    abandoned: () => Promise.resolve(),
    lease: () => Promise.resolve(undefined),
    sweep() {},
    connect: () => tmux,
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

Deno.test("a command ends with its pane, and not because tmux could not be asked for it", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const stored = begin(store, "one\n");
  let error: Error;
  const tmux = {
    outlivingCall: () => tmux,
    servers: { key: () => Promise.resolve(serverKeyOf(stored.id)) },
    rows: { read: () => Promise.reject(error) },
  } as unknown as Tmux;
  const commands = recovered(store, tmux);
  const unanswered = new AppError("timeout", "tmux did not answer");
  const statuses: unknown[] = [];
  for (error of [new ShuttingDown(), new ConnectionLost("far"), unanswered, notFound("pane", "%0")]) {
    await commands.takeOver([stored]);
    const { outcome } = (await commands.find(stored.id))!;
    statuses.push(outcome?.status);
  }
  assertEquals(statuses, [undefined, undefined, undefined, "lost"]);
  commands.close();
  await Deno.remove(root, { recursive: true });
});

/** Returns what calls an interval that `act` starts, as if its time had passed. */
async function heldInterval(act: () => Promise<void>): Promise<() => Promise<void>> {
  const start = globalThis.setInterval;
  let held = (): Promise<void> => Promise.resolve();
  globalThis.setInterval = ((tick: typeof held) => (held = tick, 0)) as unknown as typeof setInterval;
  await act().finally(() => globalThis.setInterval = start);
  return () => held();
}

Deno.test("a host that refuses the login is asked less and less often about a command, unless a call asks", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const stored = { ...begin(store, "one\n"), host: "far" };
  store.write(stored);
  let logins = 0;
  const key = () => (logins++, Promise.reject(new AppError("tmux-unavailable", "it refused the login")));
  const tmux = { outlivingCall: () => tmux, servers: { key } } as unknown as Tmux;
  const commands = recovered(store, tmux);
  const tick = await heldInterval(() => commands.takeOver([stored]));
  for (let second = 0; second < 100; second++) for (let each = 0; each < 5; each++) await tick();
  assertEquals(logins < 10, true, `${logins} logins`);
  const before = logins;
  await commands.find(stored.id);
  await tick();
  assertEquals(logins, before + 1);
  commands.close();
  await Deno.remove(root, { recursive: true });
});

Deno.test("a command whose end was read before its process died ends once this one is responsible", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const secret = "f00d".repeat(8);
  const stored = { ...newRecord(store), piece: 1, doneHash: await sha256Of(secret) };
  store.write(stored);
  await Deno.writeTextFile(store.fileBeside(stored.id, "1")!, `one\r\n\x1b]133;D;3;${secret}\x07$ `);
  let owns = false;
  store.owns = () => owns;
  const commands = recovered(store);
  const before = (await commands.find(stored.id))!;
  assertEquals([before.running, before.output.lines.bytes > 0], [true, true]);
  owns = true;
  // For about a minute, later output of the pipe is cut off.
  using _ = new HeldTimers();
  const after = (await commands.find(stored.id))!;
  assertEquals([after.outcome?.status, after.exitCode], ["completed", 3]);
  assertEquals(store.read<StoredCommand>(stored.id)?.exitCode, 3);
  commands.close();
  await Deno.remove(root, { recursive: true });
});
