// A task asks its client, takes the answers in any order, and is kept for an hour after its end.
import { assert, assertEquals } from "@std/assert";
import { Task } from "../../../src/server/modern/task.ts";

const HOUR_MS = 3_600_000;

Deno.test("a task that asks two things stays input_required until both are answered", async () => {
  const task = new Task("call", "t-1");
  const { signal } = new AbortController();
  const first = task.ask({ method: "first" }, signal);
  const second = task.ask({ method: "second" }, signal);
  const asked = task.state.inputRequests!;
  assertEquals(Object.values(asked), [{ method: "first" }, { method: "second" }]);
  const [one, two] = Object.keys(asked) as [string, string];
  task.respond({ [two]: "two", "nobody asked": "nine" });
  assertEquals(await second, "two");
  assertEquals(task.state.status, "input_required");
  assertEquals(task.state.inputRequests, { [one]: { method: "first" } });
  task.respond({ [one]: "one" });
  assertEquals(await first, "one");
  assertEquals(task.state.status, "working");
  assertEquals(task.state.inputRequests, undefined);
});

Deno.test("a request that is no longer wanted is withdrawn", async () => {
  const task = new Task("call", "t-1");
  const abort = new AbortController();
  const asking = task.ask({ method: "first" }, abort.signal);
  abort.abort();
  assertEquals(await asking, undefined);
  assertEquals(task.state.status, "working");
});

for (const hours of [undefined, -4, 4, NaN]) {
  const begun = hours === undefined ? "begun here" : `begun ${hours} hours from now elsewhere`;
  Deno.test(`a task ${begun} is kept for an hour after its end, counted from its creation`, () => {
    const createdAt = new Date(Date.now() + hours! * HOUR_MS);
    const before = new Task("call", "t-1").state;
    const written = isNaN(hours!) ? "a date" : createdAt.toISOString();
    const task = new Task("call", "t-1", hours === undefined ? undefined : { ...before, createdAt: written });
    task.cancel();
    const { state, started, ended = 0 } = task;
    const end = started + state.ttlMs!;
    assertEquals(new Date(started).toISOString(), state.createdAt);
    assert(end >= ended + HOUR_MS);
    // A clock set back counts as no time.
    assertEquals(end - HOUR_MS, Math.max(started, ended));
  });
}
