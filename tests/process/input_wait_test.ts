// A program asks once it has waited for a moment; one that waits for its work too, once it has been idle for long.
import { assertEquals } from "@std/assert";
import { InputWait } from "../../src/process/input_wait.ts";
import { goneInspection, type PaneInspection } from "../../src/process/probe.ts";

const INSPECTION: PaneInspection = {
  ...goneInspection(7),
  isAlive: true,
  foregroundCmd: "node",
  inputKind: "line",
};
const BUSY: PaneInspection = { ...INSPECTION, inputKind: "none" };
const ASKS: PaneInspection = { ...INSPECTION, waitingForInput: true };
const serves = (ranMs = 0): PaneInspection => ({ ...ASKS, beside: { what: "a listening socket", ranMs } });

/** When it first asks, of inspections every 50 ms; `printed` are times. */
function asksAt(
  inspectionAt: (now: number) => PaneInspection,
  printed: readonly number[] = [],
): number | undefined {
  const wait = new InputWait();
  for (let now = 1000; now < 10_000; now += 50) {
    wait.note(inspectionAt(now), now, Math.max(-Infinity, ...printed.filter((at) => at <= now)));
    if (wait.asks(now)) return now;
  }
  return undefined;
}

Deno.test("a program that waits for nothing else asks after 100 ms", () => {
  assertEquals(asksAt(() => ASKS), 1100);
  assertEquals(asksAt(() => ASKS, [1090]), 1100, "its prompt may come last");
  assertEquals(asksAt((now) => now === 1050 ? BUSY : ASKS), 1200);
  assertEquals(asksAt((now) => ({ ...ASKS, foregroundPid: now < 1100 ? 8 : 9 })), 1200);
  assertEquals(asksAt(() => BUSY), undefined);
});

Deno.test("what a wait decides is open until it counts, and of one that has begun since, is of no matter", () => {
  const wait = new InputWait();
  wait.note(ASKS, 1000, 0);
  const at = (now: number, begun: number) => wait.isUndecided(now, begun);
  assertEquals([at(1000, 1000), at(1090, 1000), at(1000, 999), at(1100, 1000)], [true, true, false, false]);
  wait.note(serves(), 1050, 0);
  assertEquals(at(1060, 1060), false, "it takes seconds");
  wait.note(BUSY, 1080, 0);
  assertEquals(at(1080, 1080), false);
});

Deno.test("a program that draws while a thread of its own reads asks once it rests", () => {
  const evidence = "epoll on /dev/pts/4, in a thread of its own";
  const every = (ms: number) => Array.from({ length: 2000 / ms }, (_, at) => 1050 + at * ms);
  const keys: PaneInspection = { ...ASKS, evidence };
  assertEquals(asksAt(() => keys), 1100);
  assertEquals(asksAt(() => keys, every(100)), 3400, "a spinner");
  assertEquals(asksAt(() => keys, [1050, ...every(530)]), 1500, "a cursor that blinks");
  assertEquals(asksAt(() => ASKS, every(100)), 1100);
});

Deno.test("an event loop that draws again asks once it rests, as any of Go's threads may read", () => {
  const loop: PaneInspection = { ...ASKS, evidence: "epoll on /dev/pts/4" };
  const every = (ms: number) => Array.from({ length: 2000 / ms }, (_, at) => 1050 + at * ms);
  assertEquals(asksAt(() => loop), 1100);
  assertEquals(asksAt(() => loop, [1050]), 1150, "its prompt");
  assertEquals(asksAt(() => loop, every(100)), 3400, "a spinner");
  assertEquals(asksAt(() => ({ ...loop, isPrompt: true }), every(100)), 1100, "a shell at its prompt");
});

Deno.test("a program that prints in the function where it may read does not ask", () => {
  const evidence = "probably: seq (7) asleep in wait_woken, holds /dev/pts/4";
  const prints = Array.from({ length: 40 }, (_, at) => 1050 + at * 50);
  assertEquals(asksAt(() => ({ ...ASKS, evidence }), prints), 3100);
  assertEquals(asksAt(() => ({ ...ASKS, evidence })), 1100);
});

Deno.test("a program that serves asks once it has been idle for three seconds", () => {
  assertEquals(asksAt(() => serves()), 4000);
  assertEquals(asksAt(() => serves(), [1500, 2000]), 5000);
  assertEquals(asksAt((now) => serves(now < 3000 ? now : 3000)), 6000, "it runs");
  assertEquals(asksAt((now) => serves(now / 100)), 4000, "a little is no work");
  assertEquals(asksAt((now) => serves(now)), undefined);
});

Deno.test("a program whose timer does nothing asks after the timer", () => {
  assertEquals(asksAt(() => ({ ...ASKS, beside: { what: "a timer", ranMs: 0 } })), 2200);
  assertEquals(asksAt(() => ({ ...ASKS, beside: { what: "a timer", ranMs: 0 } }), [2000]), 3200);
});

Deno.test("an event loop asks 100 ms after its threads were seen at work last", () => {
  const works: PaneInspection = { ...ASKS, beside: { what: "a thread at work", ranMs: 0 } };
  assertEquals(asksAt(() => works), undefined);
  assertEquals(asksAt((now) => now < 3000 || now === 3050 ? works : ASKS), 3150);
});

Deno.test("a shell at its prompt asks whatever else it waits for", () => {
  assertEquals(asksAt(() => ({ ...serves(), shell: "fish", isPrompt: true })), 1100);
  assertEquals(
    asksAt(() => ({ ...serves(), shell: "fish", isPrompt: false })),
    4000,
    "a program of its own group",
  );
});

Deno.test("the next inspection comes when it can settle something", () => {
  const wait = new InputWait();
  assertEquals(wait.dueIn(0), undefined);
  wait.note(ASKS, 0, -Infinity);
  assertEquals([wait.dueIn(0), wait.dueIn(80), wait.dueIn(200)], [50, 20, 1]);
  wait.note(serves(), 0, -Infinity);
  assertEquals([wait.dueIn(0), wait.dueIn(2900)], [250, 100]);
  wait.reset();
  assertEquals([wait.isOpen, wait.dueIn(0)], [false, undefined]);
});
