import { assertEquals } from "@std/assert";
import type { WaitingProgram } from "../../src/watch/handed_over.ts";
import { CommandRecord } from "../../src/commands/record.ts";
import { OutputStore } from "../../src/commands/output_store.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";

const QUESTION: WaitingProgram = { inputKind: "raw", foregroundCmd: "bash", prompt: "half a line$ " };

/** A command that runs. */
function runningRecord(): CommandRecord {
  const storage = new OutputStore({ memory: 1000, shared: { left: 1000 }, folder: "/nonexistent" });
  const text = { commandId: "c1", paneId: "%0", command: "printf 'half a line'" };
  const record = new CommandRecord({ ...text, columns: 80, rows: 24, storage, tmux: {} as Tmux });
  for (const kind of ["typed", "ready", "given", "output"] as const) record.take({ kind });
  return record;
}

async function wait(record: CommandRecord): Promise<[WaitingProgram | undefined, string]> {
  const { signal } = new AbortController();
  const waiting = await record.wait({ seconds: 60, onInput: "return", signal });
  return [waiting, record.status];
}

Deno.test("a program that waits ends the wait for its command", async () => {
  const record = runningRecord();
  record.untilWaiting = () => Promise.resolve(QUESTION);
  assertEquals(await wait(record), [QUESTION, "running"]);
});

Deno.test("a shell that waits once its command has ended is no question of the command's", async () => {
  const record = runningRecord();
  const restored = Promise.withResolvers<void>();
  record.untilWaiting = () => {
    void record.leave({ kind: "done", exitCode: 3 }, () => restored.promise);
    setTimeout(restored.resolve);
    return Promise.resolve(QUESTION);
  };
  assertEquals(await wait(record), [undefined, "completed"]);
  assertEquals(record.outcome?.exitCode, 3);
});

Deno.test("a command whose output can't be completed is over, and says that its output is cut", async () => {
  const record = runningRecord();
  record.begin(0);
  record.output.push(new TextEncoder().encode("kept\r\n"));
  record.output.finish = () => Promise.reject(new Error("no room"));
  const leaving = record.leave({ kind: "done", exitCode: 3 });
  await Promise.all([record.left, record.over]);
  await leaving;
  const { status, exitCode, output, outputTruncated } = await record.result({ maxLines: 9, maxBytes: 99 });
  assertEquals([status, exitCode, output, outputTruncated], ["completed", 3, "kept", true]);
});
