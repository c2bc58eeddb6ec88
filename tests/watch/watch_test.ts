// The start of a watch whose pane, or whose connection to the pane, is lost.
import { assertEquals, assertRejects } from "@std/assert";
import { type AppError, ConnectionLost, paneGone, ShuttingDown } from "../../src/errors.ts";
import { Watch, type WatchOptions } from "../../src/watch/watch.ts";

function watchThatFails(error: AppError): Watch {
  const source = { panes: [{ paneId: "%7", dead: false }], begin: () => Promise.reject(error) };
  const part = { triggers: [{ kind: "exit", event: "exit" }] };
  return new Watch({ watchId: "w1", source, part, timeout: 1 } as unknown as WatchOptions);
}

Deno.test("a pane that is gone before a watch begins has ended, one that this process no longer reaches has not", async () => {
  assertEquals((await watchThatFails(paneGone("%7")).result).event, "exit");
  await assertRejects(() => watchThatFails(new ConnectionLost("far")).result, ConnectionLost);
  await assertRejects(() => watchThatFails(new ShuttingDown()).result, ShuttingDown);
});
