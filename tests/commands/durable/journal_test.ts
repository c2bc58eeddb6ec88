// The record of a command whose pipe is slower than the command or never comes, or whose folder takes nothing.
import { assertEquals, assertRejects } from "@std/assert";
import { CommandJournal, trimSpool } from "../../../src/commands/durable/journal.ts";
import type { StoredCommand } from "../../../src/commands/durable/stored_command.ts";
import { within } from "../../../src/timer.ts";
import { newRecord, newStore } from "./stored_commands.ts";
import { HeldTimers } from "./held_timers.ts";

Deno.test("a command that ends before its pipe has created a file is kept without a complaint", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const complaints: string[] = [];
  const store = newStore(root, complaints);
  const record = newRecord(store);
  const { id } = record;
  const journal = new CommandJournal(store, record);
  await journal.expect("secret");
  journal.open();
  journal.spooling(true);
  journal.write(new TextEncoder().encode("hi\n"));
  // The journal cuts the file off for another minute.
  using _timers = new HeldTimers();
  journal.end({
    status: "completed",
    exitCode: 0,
    paneAlive: true,
    reason: undefined,
    isCut: false,
    endedAt: Date.now(),
  });
  assertEquals([store.read<StoredCommand>(id)?.status, store.read<StoredCommand>(id)?.piped], [
    "completed",
    3,
  ]);
  assertEquals(complaints, []);
  await Deno.remove(root, { recursive: true });
});

Deno.test("output that no file can take is written nowhere else", async () => {
  const root = await Deno.makeTempFile({ prefix: "tmux-mcp-no-folder-" });
  const store = newStore(root);
  const journal = new CommandJournal(store, newRecord(store));
  journal.open();
  journal.write(new TextEncoder().encode("hi\n"));
  await assertRejects(() => Deno.stat("undefined"), Deno.errors.NotFound);
  await Deno.remove(root);
});

Deno.test("a second pipe of a command does not count: what it copies would be read before the piece between", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const record = newRecord(store);
  const journal = new CommandJournal(store, record);
  journal.open();
  const places = [true, false, true].map((active) => {
    journal.spooling(active);
    journal.write(new TextEncoder().encode("hi\n"));
    const { piece, piped } = store.read<StoredCommand>(record.id)!;
    return [piece, piped];
  });
  assertEquals(places, [[1, undefined], [2, 3], [2, 3]]);
  assertEquals(await Deno.readTextFile(store.fileBeside(record.id, "2")!), "hi\nhi\n");
  journal.discard();
  await Deno.remove(root, { recursive: true });
});

Deno.test("a command without a pipe is let go of soon, though the clock went back since it began", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-records-" });
  const store = newStore(root);
  const journal = new CommandJournal(store, { ...newRecord(store), started: Date.now() + 3_600_000 });
  journal.open();
  assertEquals(await within(journal.detach(), { ms: 20_000, late: () => "late" }), true);
  await Deno.remove(root, { recursive: true });
});

Deno.test("what a slow pipe writes long after the end of its command is cut off", () => {
  const path = Deno.makeTempFileSync({ prefix: "tmux-mcp-spool-" });
  Deno.writeTextFileSync(path, "hi\n");
  using timers = new HeldTimers();
  trimSpool(path, 3);
  while (timers.passed < 20_000) if (!timers.next()) throw new Error(`Over after ${timers.passed} ms`);
  Deno.writeTextFileSync(path, "a prompt", { append: true });
  while (timers.next());
  assertEquals(Deno.readTextFileSync(path), "hi\n");
  Deno.removeSync(path);
});
