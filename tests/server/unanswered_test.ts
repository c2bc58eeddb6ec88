// Which requests a client that has closed is still answered.
import { assert, assertEquals } from "@std/assert";
import { Unanswered } from "../../src/server/unanswered.ts";

const request = (id: string | number) => ({ jsonrpc: "2.0" as const, id, method: "ping" });
const answer = (id: string | number) => ({ jsonrpc: "2.0" as const, id, result: {} });

Deno.test("a client that closes is waited with until its last answer is sent", async () => {
  const unanswered = new Unanswered();
  for (const id of [0, "a", 2]) unanswered.received(request(id));
  const cancelled = { method: "notifications/cancelled", params: { requestId: 2 } };
  unanswered.received({ jsonrpc: "2.0", ...cancelled });
  let over = false;
  const settled = unanswered.settled().then(() => over = true);
  unanswered.sent(answer(0));
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(over, false);
  unanswered.sent(answer("a"));
  await settled;
});

Deno.test("where nothing is asked, or no answer comes, nobody waits for long", async () => {
  await new Unanswered().settled();
  const unanswered = new Unanswered();
  unanswered.received(request(1));
  const began = performance.now();
  await unanswered.settled();
  assert(performance.now() > began);
});
