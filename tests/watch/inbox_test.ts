// The inbox: in order, once each, and honest about what it dropped.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { Inbox, type WatchResult } from "../../src/watch/inbox.ts";

function result(output = ""): WatchResult {
  return { paneId: "%1", event: "exit", detail: "", elapsed: 1, output, totalLines: 0, totalBytes: 0 };
}

function filled(count: number): Inbox {
  const inbox = new Inbox();
  for (let i = 1; i <= count; i++) inbox.add(`w${i}`, result());
  return inbox;
}

/** Waits for an event, and fails if that takes longer than any wake-up. */
async function woken(inbox: Inbox, cursor?: string): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error("The reader still waits")), 20_000);
  await inbox.wait(cursor, 60, late.signal).finally(() => clearTimeout(timer));
}

Deno.test("events come in order and once, a page at a time", () => {
  const inbox = filled(5);
  const first = inbox.read(undefined, 3);
  assertEquals(first.events.map(({ watchId }) => watchId), ["w1", "w2", "w3"]);
  const second = inbox.read(first.cursor, 3);
  assertEquals(second.events.map(({ watchId }) => watchId), ["w4", "w5"]);
  assertEquals(inbox.read(second.cursor, 3).events, []);
  assertEquals([first.missed, second.missed], [undefined, undefined]);
});

Deno.test("a limit of 0 is no events, and the cursor stays where it was", () => {
  const inbox = filled(2);
  const page = inbox.read(undefined, 0);
  assertEquals(page.events, []);
  assertEquals(inbox.read(page.cursor, 5).events.length, 2);
});

Deno.test("a thousand events are kept; a reader learns how many it missed", () => {
  const inbox = filled(3);
  const { cursor } = inbox.read(undefined, 1);
  for (let i = 0; i < 1005; i++) inbox.add("more", result());
  const page = inbox.read(cursor, 2);
  assertEquals(page.missed, 7);
  assertEquals(page.events[0]?.seq, 9);
  assertEquals(inbox.read(cursor, 5000).events.length, 1000);
});

Deno.test("results that their callers have are dropped first, and nobody missed them", () => {
  const inbox = filled(1);
  for (let i = 0; i < 1500; i++) inbox.add("answered", result(), { answered: true });
  const { events, missed } = inbox.read(undefined, 5);
  assertEquals([events.map(({ watchId }) => watchId), missed], [["w1"], undefined]);
});

Deno.test("without a cursor a reader is given what nobody was given yet", () => {
  const inbox = filled(2);
  const { cursor } = inbox.read(undefined, 1);
  inbox.add("answered", result(), { answered: true });
  inbox.add("w3", result());
  const ids = (page: { events: { watchId: string }[] }) => page.events.map(({ watchId }) => watchId);
  assertEquals(ids(inbox.read(cursor, 5)), ["w2", "answered", "w3"]);
  assertEquals(ids(inbox.read(undefined, 5)), []);
  inbox.add("answered", result(), { answered: true });
  inbox.add("w4", result());
  assertEquals(ids(inbox.read(undefined, 5)), ["w4"]);
  assertEquals(inbox.read(undefined, 5).missed, undefined);
});

Deno.test("a reader with a later cursor hides no event that nobody was given", () => {
  const inbox = filled(1);
  const { cursor } = inbox;
  for (const id of ["w2", "w3", "w4"]) inbox.add(id, result());
  const ids = (page: { events: { watchId: string }[] }) => page.events.map(({ watchId }) => watchId);
  assertEquals(ids(inbox.beginning(inbox.read(cursor, 5), 2)), ["w2", "w3"]);
  assertEquals(ids(inbox.read(undefined, 5)), ["w1", "w4"]);
  assertEquals(ids(inbox.read(undefined, 5)), []);
});

Deno.test("of a page that is too long, a reader without a cursor is given only what nobody was given yet", () => {
  const inbox = filled(5);
  const { cursor } = inbox.read(undefined, 0);
  const ids = (page: { events: { watchId: string }[] }) => page.events.map(({ watchId }) => watchId);
  assertEquals(ids(inbox.read(undefined, 3)), ["w1", "w2", "w3"]);
  const again = inbox.read(cursor, 5);
  for (const most of [4, 1]) inbox.beginning(again, most);
  const page = inbox.read(undefined, 5);
  for (const most of [2, 1]) assertEquals(ids(inbox.beginning(page, most)).length, most);
  assertEquals(ids(page), ["w4", "w5"]);
  assertEquals(ids(inbox.read(undefined, 5)), ["w5"]);
});

Deno.test("a result that its caller was given wakes no reader", async () => {
  for (const cursor of [undefined, new Inbox().cursor]) {
    const inbox = new Inbox();
    const waiting = woken(inbox, cursor && inbox.cursor);
    let over = false;
    waiting.then(() => over = true);
    inbox.add("answered", result(), { answered: true });
    await new Promise((resolve) => setTimeout(resolve));
    assert(!over, "The reader was woken");
    inbox.add("w1", result());
    await waiting;
  }
});

Deno.test("another server's cursor is gone, and nonsense is no cursor", () => {
  const { cursor } = filled(1).read(undefined, 1);
  const inbox = new Inbox();
  const ahead = inbox.cursor.replace(/\d+$/, "7");
  for (const [foreign, code] of [[cursor, "gone"], ["x", "invalid-argument"], [ahead, "invalid-argument"]]) {
    const error = assertThrows(() => inbox.read(foreign!, 1), AppError);
    assertEquals(error.code, code, foreign);
  }
});

Deno.test("an event's output is its last 2 KiB, whole characters", () => {
  const inbox = new Inbox();
  const { output, outputTruncated } = inbox.add("w1", result("é".repeat(1500) + "!"));
  assertEquals(outputTruncated, true);
  assert(new TextEncoder().encode(output).length <= 2048);
  assert(/^é+!$/.test(output), output.slice(0, 5));
});

Deno.test("a reader that waits is woken by the next event, and by nothing else", async () => {
  const inbox = filled(1);
  const { cursor } = inbox.read(undefined, 1);
  const waiting = woken(inbox, cursor);
  inbox.add("w2", result());
  await waiting;
  assertEquals(inbox.read(cursor, 5).events.map(({ watchId }) => watchId), ["w2"]);
});

Deno.test("a reader does not wait for what is there already", async () => {
  await woken(filled(1));
});

Deno.test("a reader that repeats its cursor does not wait for what it was given", async () => {
  const inbox = new Inbox();
  inbox.add("answered", result(), { answered: true });
  const { cursor } = inbox;
  inbox.add("w1", result());
  for (let i = 0; i < 2; i++) {
    await woken(inbox, cursor);
    assertEquals(inbox.read(cursor, 5).events.map(({ watchId }) => watchId), ["w1"]);
  }
  assertEquals(inbox.read(undefined, 5).events, []);
});

Deno.test("a cancelled reader leaves", async () => {
  const controller = new AbortController();
  const waiting = new Inbox().wait(undefined, 60, controller.signal);
  controller.abort(new Error("cancelled"));
  await assertRejects(() => waiting, Error, "cancelled");
  let refused = false;
  new Inbox().wait(undefined, 60, controller.signal).catch(() => refused = true);
  await new Promise((resolve) => setTimeout(resolve));
  assert(refused, "A reader that was cancelled before it began waits");
});

Deno.test("of two readers that wait without a cursor, each is given one event", async () => {
  const inbox = new Inbox();
  const { signal } = new AbortController();
  const readers = [1, 2].map(() => inbox.next({ cursor: undefined, limit: 50 }, 60, signal));
  inbox.add("w1", result());
  await Promise.race(readers);
  inbox.add("w2", result());
  const pages = await Promise.all(readers);
  assertEquals(pages.map(({ events }) => events.map(({ watchId }) => watchId)), [["w1"], ["w2"]]);
});
