// When a program counts as having woken for typed keys.
import { assertEquals } from "@std/assert";
import { UNSEEN } from "../../src/process/classify.ts";
import type { PaneInspection } from "../../src/process/probe.ts";
import { watchWaking } from "../../src/watch/waking.ts";
import { until } from "../support/until.ts";

const WAITING = {
  ...{ foregroundPid: 10, foregroundCmd: "cat", waitingForInput: true },
  evidence: "read on /dev/pts/1",
} as PaneInspection;

/** A program that has slept so many times at each look, and at all looks after the last. */
function waking(sleeps: (number | undefined)[], inspection = WAITING): ReturnType<typeof watchWaking> {
  return watchWaking({ sleeps: () => sleeps.length > 1 ? sleeps.shift() : sleeps[0] }, inspection);
}

Deno.test("a program has woken once it has slept again, or ended", async () => {
  const slow = await waking([5, 5, 6]);
  assertEquals([await slow(), await slow(), await slow()], [false, true, true]);
  assertEquals(await (await waking([5, undefined]))(), true);
});

Deno.test("a program that can't be seen to wake counts as awake", async () => {
  assertEquals(await (await waking([undefined]))(), true);
  const inThread = { ...WAITING, evidence: "read on /dev/pts/1, in a thread of its own" };
  assertEquals(await (await waking([5], inThread))(), true);
  // Under sudo without a terminal of its own, sudo is in front, and keys don't wake it.
  const hidden = { ...WAITING, evidence: `probably: /dev/pts/1 is raw, sudo (10) asleep and ${UNSEEN}` };
  assertEquals(await (await waking([5], hidden))(), true);
  assertEquals(await (await waking([5], { ...WAITING, waitingForInput: false }))(), true);
});

Deno.test("a program that never wakes counts as awake in the end", async () => {
  const asleep = await waking([5]);
  assertEquals(await asleep(), false);
  await until(asleep);
});
