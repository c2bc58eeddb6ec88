// Notifications of a list of resources that is read slowly.
import { assertEquals } from "@std/assert";
import { ResourceList } from "../../../src/server/resources/resource_list.ts";
import { delay } from "../../../src/timer.ts";
import { until } from "../../support/until.ts";

/** A list whose readings end when the test says so. */
class SlowList {
  readonly reads: PromiseWithResolvers<string>[] = [];
  notices = 0;
  readonly list: ResourceList = new ResourceList({
    read: () => {
      this.reads.push(Promise.withResolvers());
      return this.reads.at(-1)!.promise;
    },
    notify: () => this.notices++,
  });

  [Symbol.dispose](): void {
    this.list.close();
  }
}

Deno.test("a change while the list is read is read afterwards: an older text is no change", async () => {
  using slow = new SlowList();
  const { list, reads } = slow;
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
  await until(() => slow.notices === 1);
});

Deno.test("the first reading is over before a client lists", async () => {
  using slow = new SlowList();
  const { list, reads } = slow;
  await list.waitForFirst();
  list.compareSoon();
  let isOver = false;
  const begun = list.waitForFirst().then(() => isOver = true);
  // A request that comes meanwhile has another reading follow, which the list does not wait for.
  list.compareSoon();
  await delay(0);
  assertEquals(isOver, false);
  reads[0]!.resolve("one");
  await begun;
  assertEquals(slow.notices, 0);
});

Deno.test("if the first reading fails, the next one is a change: the client has listed meanwhile", async () => {
  using slow = new SlowList();
  const { list, reads } = slow;
  const following = list.follow();
  reads[0]!.reject(new Error("No answer"));
  await following;
  await list.waitForFirst();
  list.changed();
  await until(() => reads.length === 2);
  reads[1]!.resolve("one");
  await until(() => slow.notices === 1);
});

Deno.test("a client's list does not wait long for a slow first reading, which then counts as a change", async () => {
  using slow = new SlowList();
  const { list, reads } = slow;
  const following = list.follow();
  await list.waitForFirst();
  reads[0]!.resolve("one");
  await following;
  assertEquals(slow.notices, 1);
});
