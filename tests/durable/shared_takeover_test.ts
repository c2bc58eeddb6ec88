// Takeovers that run while calls wait: how many run, and which a call waits for.
import { assertEquals } from "@std/assert";
import { SharedTakeover } from "../../src/durable/shared_takeover.ts";
import { until } from "../support/until.ts";

/** A takeover whose runs end one by one, as the test says. */
function steps() {
  const begun: string[][] = [];
  const ends: (() => void)[] = [];
  const shared = new SharedTakeover((cursors) => {
    begun.push([...cursors]);
    return new Promise((resolve) => ends.push(resolve));
  });
  return { begun, ends, shared };
}

/** Lets everything happen that needs no timer. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

Deno.test("a thousand calls that wait share each takeover", async () => {
  const over = Promise.withResolvers<void>();
  let runs = 0;
  const shared = new SharedTakeover(() => {
    if (++runs === 3) over.resolve();
    return Promise.resolve();
  });
  const calls = Array.from({ length: 1000 }, () => shared.during(() => over.promise, undefined));
  await until(() => runs >= 3);
  await Promise.all(calls);
  assertEquals([runs, shared.isIdle], [3, true]);
});

Deno.test("a call waits for a takeover that began after it, and such calls share one", async () => {
  const { begun, ends, shared } = steps();
  const waiting: string[] = [];
  const over = Promise.withResolvers<void>();
  const wait = (name: string, cursor?: string): Promise<void> =>
    shared.during(() => {
      waiting.push(name);
      return over.promise;
    }, cursor);
  const calls = [wait("first", "a-1")];
  await settle();
  calls.push(wait("second", "b-1"), wait("third", "b-1"), wait("fourth"));
  await settle();
  assertEquals([begun, waiting], [[["a-1"]], []]);
  ends[0]!();
  await settle();
  assertEquals([begun, waiting], [[["a-1"], ["a-1", "b-1"]], ["first"]]);
  ends[1]!();
  await settle();
  assertEquals([begun.length, waiting], [2, ["first", "second", "third", "fourth"]]);
  over.resolve();
  await Promise.all(calls);
});

Deno.test("a takeover that fails holds up no call", async () => {
  const shared = new SharedTakeover(() => Promise.reject(new Error("no server")));
  assertEquals(await shared.during(() => "done", undefined), "done");
  assertEquals(await shared.during(() => "done again", undefined), "done again");
});
