// A task asks its client, and takes the answers in any order.
import { assertEquals } from "@std/assert";
import { Task } from "../../../src/server/modern/task.ts";

Deno.test("a task that asks two things stays input_required until both are answered", async () => {
  const task = new Task("call", "t-1");
  const { signal } = new AbortController();
  const first = task.ask({ method: "first" }, signal);
  const second = task.ask({ method: "second" }, signal);
  assertEquals(task.state.inputRequests, {
    "person-1": { method: "first" },
    "person-2": { method: "second" },
  });
  task.respond({ "person-2": "two", "person-9": "nobody asked" });
  assertEquals(await second, "two");
  assertEquals(task.state.status, "input_required");
  assertEquals(task.state.inputRequests, { "person-1": { method: "first" } });
  task.respond({ "person-1": "one" });
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
