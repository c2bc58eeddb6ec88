// Seeing for workers that sleep whether a process they wait for has run.
import { assertEquals } from "@std/assert";
import { Vigil } from "../../src/watch/vigil.ts";

Deno.test("a sleeper is woken once when what it waits for has run, and nobody else is", async () => {
  const times = new Map<number, number>();
  const vigil = new Vigil({ clock: (id) => times.get(~(id >> 3)) ?? 0.5 });
  const woken: string[] = [];
  const [first, second] = [{}, {}];
  const done = Promise.withResolvers<void>();
  vigil.keep(first, [{ pid: 7, ran: 0.5 }, { pid: 8, ran: 0.5 }], () => {
    woken.push("first");
    vigil.keep(second, [{ pid: 9, ran: 0.25 }], done.resolve);
  });
  vigil.keep(second, [{ pid: 9, ran: 0.5 }], () => woken.push("second"));
  vigil.keep({}, [], () => woken.push("nobody"));
  times.set(8, 1.5);
  await done.promise;
  assertEquals(woken, ["first"]);
});

Deno.test("a sleeper that was forgotten is not woken, and nothing keeps the thread awake", async () => {
  const vigil = new Vigil({ clock: () => 0.5 });
  const [first, second] = [{}, {}];
  const woken = Promise.withResolvers<string>();
  vigil.keep(first, [{ pid: 7, ran: 1.5 }], () => woken.resolve("first"));
  vigil.keep(second, [{ pid: 7, ran: 1.5 }], () => woken.resolve("second"));
  vigil.forget(first);
  assertEquals(await woken.promise, "second");
});
