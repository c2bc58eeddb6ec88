import { assertEquals } from "@std/assert";
import { Latch } from "../../src/commands/latch.ts";

Deno.test("a latch calls what waits for it once, in order, and at once when it is open", async () => {
  const latch = new Latch();
  const called: string[] = [];
  latch.onOpen(() => called.push("first"));
  latch.onOpen(() => called.push("second"));
  await Promise.resolve();
  assertEquals(called, []);
  latch.open();
  latch.open();
  latch.onOpen(() => called.push("late"));
  await latch.opened;
  assertEquals(called, ["first", "second", "late"]);
});

Deno.test("a call that was withdrawn is not made", async () => {
  const latch = new Latch();
  const called: string[] = [];
  const withdraw = latch.onOpen(() => called.push("withdrawn"));
  latch.onOpen(() => called.push("kept"));
  withdraw();
  latch.open();
  await latch.opened;
  assertEquals(called, ["kept"]);
});
