import { assertEquals, assertRejects } from "@std/assert";
import { waitForCommand } from "../../src/commands/command_wait.ts";
import { Latch } from "../../src/commands/latch.ts";

const RUNNING = { state: "running", untilWaiting: undefined } as const;

/** A latch that counts the calls it holds. */
class CountingLatch extends Latch {
  held = 0;

  override onOpen(act: () => void): () => void {
    const withdraw = super.onOpen(act);
    this.held++;
    return () => {
      this.held--;
      withdraw();
    };
  }
}

Deno.test("a wait that is over leaves nothing on the command", async () => {
  const ends = [new CountingLatch(), new CountingLatch()];
  const stop = new AbortController();
  const { signal } = stop;
  for (let look = 0; look < 3; look++) {
    await waitForCommand(RUNNING, ends, { seconds: 0, onInput: "return", signal });
  }
  assertEquals(ends.map(({ held }) => held), [0, 0]);
  const waiting = waitForCommand(RUNNING, ends, { seconds: 60, onInput: "return", signal });
  assertEquals(ends.map(({ held }) => held), [1, 1]);
  stop.abort();
  await assertRejects(() => waiting, DOMException);
  assertEquals(ends.map(({ held }) => held), [0, 0]);
});

Deno.test("any of a command's ends ends the wait", async () => {
  for (const index of [0, 1]) {
    const ends = [new CountingLatch(), new CountingLatch()];
    const { signal } = new AbortController();
    const waiting = waitForCommand(RUNNING, ends, { seconds: 60, onInput: "wait", signal });
    ends[index]!.open();
    assertEquals(await waiting, undefined);
  }
});
