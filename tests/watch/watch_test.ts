// The start of a watch whose pane, or whose connection to the pane, is lost.
import { assertEquals, assertRejects } from "@std/assert";
import { type AppError, ConnectionLost, paneGone, ShuttingDown } from "../../src/errors.ts";
import type { FollowHandlers } from "../../src/watch/follow.ts";
import { Watch, type WatchOptions } from "../../src/watch/watch.ts";
import { delay } from "../../src/timer.ts";

function watchThatFails(error: AppError): Watch {
  const source = { panes: [{ paneId: "%7", dead: false }], begin: () => Promise.reject(error) };
  const part = { triggers: [{ kind: "exit", event: "exit" }] };
  return new Watch({ watchId: "w1", source, part, timeout: 1 } as unknown as WatchOptions);
}

Deno.test("of several panes, a watch names the one that is gone before it begins", async () => {
  const panes = ["%7", "%8"].map((paneId) => ({ paneId, dead: false }));
  const begin = () => Promise.reject(paneGone("%8"));
  const ended = () => Promise.resolve({ paneId: "%8", ending: { exitCode: 3 } });
  const source = { panes, begin, ended };
  const options = { watchId: "w1", source, part: { triggers: [] }, timeout: 1 };
  const { paneId, event, exitCode } = await new Watch(options as unknown as WatchOptions).result;
  assertEquals([paneId, event, exitCode], ["%8", "gone", 3]);
});

Deno.test("a pane that is gone before a watch begins has ended, one that this process no longer reaches has not", async () => {
  assertEquals((await watchThatFails(paneGone("%7")).result).event, "exit");
  await assertRejects(() => watchThatFails(new ConnectionLost("far")).result, ConnectionLost);
  await assertRejects(() => watchThatFails(new ShuttingDown()).result, ShuttingDown);
});

Deno.test("a watch that is cancelled asks no person any longer", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const begin = (_: string, __: unknown, handlers: FollowHandlers) => {
    queueMicrotask(() => handlers.asks!({ kind: "asks", watchId: "w1", paneId: "%7", detail: "" }));
    return Promise.resolve({ handle: {}, end() {}, ids: {} });
  };
  const handOver = (_: unknown, __: number, signal: AbortSignal) => {
    asked.resolve(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const source = { panes: [{ paneId: "%7", dead: false }], begin };
  const options = { watchId: "w1", source, part: { triggers: [] }, timeout: 100, handOver };
  const watch = new Watch(options as unknown as WatchOptions);
  const signal = await asked.promise;
  watch.cancel();
  for (let turn = 0; turn < 3; turn++) await delay();
  assertEquals([signal.aborted, (await watch.result).event], [true, "cancelled"]);
});
