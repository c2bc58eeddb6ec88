// Calls take turns at a tmux server.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { Semaphore } from "../../src/tmux_protocol/semaphore.ts";

/** Calls that end when told to, and which of them have begun. */
function calls(turns: Semaphore) {
  const begun: number[] = [];
  const begins: PromiseWithResolvers<void>[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const call = (signal?: AbortSignal): Promise<void> => {
    const id = ends.push(Promise.withResolvers()) - 1;
    begins.push(Promise.withResolvers());
    const act = (): Promise<void> => {
      begun.push(id);
      begins[id]!.resolve();
      return ends[id]!.promise;
    };
    return turns.run(act, signal);
  };
  return { begun, begins, ends, call };
}

Deno.test("turns: as many as there are begin, the others in order as those end, failed ones too", async () => {
  const { begun, begins, ends, call } = calls(new Semaphore(2));
  const running = [call(), call(), call(), call()];
  assertEquals(begun, [0, 1]);
  ends[1]!.reject(new Error("lost"));
  await assertRejects(() => running[1]!, Error, "lost");
  await begins[2]!.promise;
  assertEquals(begun, [0, 1, 2]);
  ends[0]!.resolve();
  await begins[3]!.promise;
  assertEquals(begun, [0, 1, 2, 3]);
  for (const end of ends) end.resolve();
  await Promise.all([running[0], running[2], running[3]]);
  const after = call();
  ends[4]!.resolve();
  await after;
});

Deno.test("turns: one that is called off leaves, and takes no turn", async () => {
  const { begun, begins, ends, call } = calls(new Semaphore(1));
  const first = call();
  const off = new AbortController();
  const second = call(off.signal);
  const third = call();
  off.abort(new Error("called off"));
  await assertRejects(() => second, Error, "called off");
  await assertRejects(() => call(off.signal), Error, "called off");
  ends[0]!.resolve();
  await Promise.all([first, begins[2]!.promise]);
  assertEquals(begun, [0, 2]);
  ends[2]!.resolve();
  await third;
});

Deno.test("turns: where none ends, waiters learn that there is no answer", async () => {
  const { begun, ends, call } = calls(new Semaphore(1, 1));
  const first = call();
  const { code } = await assertRejects(() => call(), AppError, "No answer from tmux");
  assertEquals([code, begun], ["timeout", [0]]);
  ends[0]!.resolve();
  await first;
});
