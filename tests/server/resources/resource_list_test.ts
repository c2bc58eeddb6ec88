// Notifications of a list of resources that is read slowly.
import { assertEquals } from "@std/assert";
import { ResourceList } from "../../../src/server/resources/resource_list.ts";
import { delay } from "../../../src/timer.ts";
import { until } from "../../support/until.ts";

Deno.test("a change while the list is read is read afterwards: an older text is no change", async () => {
  const reads: PromiseWithResolvers<string>[] = [];
  let notices = 0;
  const list = new ResourceList({
    read: () => {
      reads.push(Promise.withResolvers());
      return reads.at(-1)!.promise;
    },
    notify: () => notices++,
  });
  try {
    const following = list.follow();
    reads[0]!.resolve("one");
    await following;
    list.changed();
    await until(() => reads.length === 2);
    list.changed();
    // Its own delay is over by then.
    await delay(300);
    assertEquals(reads.length, 2);
    reads[1]!.resolve("one");
    await until(() => reads.length === 3);
    reads[2]!.resolve("two");
    await until(() => notices === 1);
  } finally {
    list.close();
  }
});
