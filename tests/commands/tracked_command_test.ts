import { assertEquals } from "@std/assert";
import type { WaitingProgram } from "../../src/watch/handed_over.ts";
import { TrackedCommand } from "../../src/commands/tracked_command.ts";
import { OutputStore } from "../../src/commands/output_store.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";

const QUESTION: WaitingProgram = { inputKind: "raw", foregroundCmd: "bash", prompt: "half a line$ " };

/** A command that runs. */
function runningCommand(): TrackedCommand {
  const storage = new OutputStore({ memory: 1000, shared: { left: 1000 }, folder: "/nonexistent" });
  const text = { commandId: "c1", paneId: "%0", command: "printf 'half a line'" };
  const tracked = new TrackedCommand({ ...text, columns: 80, rows: 24, storage, tmux: {} as Tmux });
  for (const kind of ["typed", "ready", "given", "output"] as const) tracked.take({ kind });
  return tracked;
}

async function wait(tracked: TrackedCommand): Promise<[WaitingProgram | undefined, string]> {
  const { signal } = new AbortController();
  const waiting = await tracked.wait({ seconds: 60, onInput: "return", signal });
  return [waiting, tracked.status];
}

Deno.test("a program that waits ends the wait for its command", async () => {
  const tracked = runningCommand();
  tracked.untilWaiting = () => Promise.resolve(QUESTION);
  assertEquals(await wait(tracked), [QUESTION, "running"]);
});

Deno.test("a shell that waits once its command has ended is no question of the command's", async () => {
  const tracked = runningCommand();
  const restored = Promise.withResolvers<void>();
  tracked.untilWaiting = () => {
    void tracked.leave({ kind: "done", exitCode: 3 }, () => restored.promise);
    setTimeout(restored.resolve);
    return Promise.resolve(QUESTION);
  };
  assertEquals(await wait(tracked), [undefined, "completed"]);
  assertEquals(tracked.outcome?.exitCode, 3);
});

Deno.test("a command whose output can't be completed is over, and says that its output is cut", async () => {
  const tracked = runningCommand();
  tracked.begin(0);
  tracked.output.push(new TextEncoder().encode("kept\r\n"));
  tracked.output.finish = () => Promise.reject(new Error("no room"));
  const leaving = tracked.leave({ kind: "done", exitCode: 3 });
  await Promise.all([tracked.left, tracked.over]);
  await leaving;
  const { status, exitCode, output, outputTruncated } = await tracked.result({ maxLines: 9, maxBytes: 99 });
  assertEquals([status, exitCode, output, outputTruncated], ["completed", 3, "kept", true]);
});
