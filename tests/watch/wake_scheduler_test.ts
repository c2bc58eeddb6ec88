// Wakes sleeping workers when a process that they wait for has used CPU time.
import { assertEquals } from "@std/assert";
import { WakeScheduler } from "../../src/watch/wake_scheduler.ts";

Deno.test("a sleeper is woken once when what it waits for has run, and nobody else is", async () => {
  const times = new Map<number, number>();
  const wakeScheduler = new WakeScheduler({ clock: (id) => times.get(~(id >> 3)) ?? 0.5 });
  const woken: string[] = [];
  const [first, second] = [{}, {}];
  const done = Promise.withResolvers<void>();
  wakeScheduler.sleep(first, [{ pid: 7, ran: 0.5 }, { pid: 8, ran: 0.5 }], () => {
    woken.push("first");
    wakeScheduler.sleep(second, [{ pid: 9, ran: 0.25 }], done.resolve);
  });
  wakeScheduler.sleep(second, [{ pid: 9, ran: 0.5 }], () => woken.push("second"));
  wakeScheduler.sleep({}, [], () => woken.push("nobody"));
  times.set(8, 1.5);
  await done.promise;
  assertEquals(woken, ["first"]);
});

Deno.test("a sleeper that was forgotten is not woken, and nothing keeps the thread awake", async () => {
  const wakeScheduler = new WakeScheduler({ clock: () => 0.5 });
  const [first, second] = [{}, {}];
  const woken = Promise.withResolvers<string>();
  wakeScheduler.sleep(first, [{ pid: 7, ran: 1.5 }], () => woken.resolve("first"));
  wakeScheduler.sleep(second, [{ pid: 7, ran: 1.5 }], () => woken.resolve("second"));
  wakeScheduler.forget(first);
  assertEquals(await woken.promise, "second");
});
