// Services that are being started, as far as another process can tell.
import { assert } from "@std/assert";
import { PendingStarts } from "../../src/services/pending_starts.ts";

Deno.test("a start of a process that can't be checked is over in time, also if its clock was ahead", () => {
  const pending = new PendingStarts(undefined);
  const has = (seconds: number): boolean =>
    pending.has({ command: "sleep", startedAt: Math.round(Date.now() / 1000) + seconds });
  assert(has(0) && has(-3) && has(3));
  assert(!has(-60));
  assert(!has(60));
});
