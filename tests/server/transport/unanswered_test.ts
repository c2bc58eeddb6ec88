// Requests that are still answered after the client has closed stdin.
import { assertEquals } from "@std/assert";
import { delay } from "../../../src/timer.ts";
import { Unanswered } from "../../../src/server/transport/unanswered.ts";

const request = (id: string | number) => ({ jsonrpc: "2.0" as const, id, method: "ping" });
const call = (id: string | number, name: string) => ({
  ...request(id),
  method: "tools/call",
  params: { name },
});
const waits = (tool: string): boolean => tool === "watch-pane";
const answer = (id: string | number) => ({ jsonrpc: "2.0" as const, id, result: {} });

/** True if it settles without a timer. */
async function isSettled(settled: Promise<void>): Promise<boolean> {
  let over = false;
  settled.then(() => over = true);
  await new Promise((resolve) => setTimeout(resolve));
  return over;
}

Deno.test("a client that closes is waited with until its last answer is sent", async () => {
  const unanswered = new Unanswered(waits);
  for (const id of [0, "a", 2]) unanswered.received(request(id));
  const cancelled = { method: "notifications/cancelled", params: { requestId: 2 } };
  unanswered.received({ jsonrpc: "2.0", ...cancelled });
  const settled = unanswered.settled();
  unanswered.sent(answer(0));
  assertEquals(await isSettled(settled), false);
  unanswered.sent(answer("a"));
  assertEquals(await isSettled(settled), true);
});

Deno.test("where nothing is asked, or a program holds up the answer, nobody waits for long", async () => {
  const unanswered = new Unanswered(waits);
  assertEquals(await isSettled(unanswered.settled()), true);
  unanswered.received(request(0));
  unanswered.sent(answer(0));
  assertEquals(await isSettled(unanswered.settled()), true);
  unanswered.received(call(1, "watch-pane"));
  const settled = unanswered.settled();
  assertEquals(await isSettled(settled), false);
  await settled;
});

Deno.test("time in which the process can't run shortens no wait for an answer that comes by itself", async () => {
  const unanswered = new Unanswered(waits);
  unanswered.received(call(0, "list-sessions"));
  const settled = unanswered.settled();
  for (const until = performance.now() + 2500; performance.now() < until;);
  assertEquals(await isSettled(settled), false);
  unanswered.sent(answer(0));
  await settled;
});

Deno.test("each answer gives the next one its time", async () => {
  const unanswered = new Unanswered(waits);
  for (const id of [0, 1]) unanswered.received(call(id, "list-sessions"));
  const settled = unanswered.settled();
  await delay(700);
  unanswered.sent(answer(0));
  await delay(700);
  assertEquals(await isSettled(settled), false);
  unanswered.sent(answer(1));
  await settled;
});
