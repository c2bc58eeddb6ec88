import { assert, assertEquals } from "@std/assert";
import { delay } from "../../../src/timer.ts";
import { untilPlaced } from "../../../workers/sources/pane_source.ts";

const LATE = { failed: false, text: "", printed: "", isLate: true };

Deno.test("untilPlaced() runs commands 30 times although each attempt takes long", async () => {
  const taken: boolean[] = [];
  await untilPlaced(async (onReply) => {
    await delay(25);
    onReply(LATE);
  }, (_, again) => taken.push(again));
  assert(taken.length >= 30, `${taken.length} attempts`);
  assertEquals(taken.lastIndexOf(false), taken.indexOf(false), "one last answer");
});

Deno.test("untilPlaced() takes an answer whose place is certain at once", async () => {
  const taken: boolean[] = [];
  await untilPlaced((onReply) => {
    onReply({ ...LATE, isLate: taken.length < 2 });
    return Promise.resolve();
  }, (_, again) => taken.push(again));
  assertEquals(taken, [true, true, false]);
});
