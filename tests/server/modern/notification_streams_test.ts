// Streams of notifications: what they begin with, and tasks that can't be read for a while.
import { assertEquals } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { NotificationStreams, type StreamSources } from "../../../src/server/modern/notification_streams.ts";
import { HurriedClock } from "../../support/hurried_clock.ts";
import { TAKES_TASKS } from "../../support/task_client.ts";

Deno.test("a stream opens without a task that can't be read", async () => {
  const sent: unknown[] = [];
  const sources = {
    send: (message: unknown) => void sent.push(message),
    findTask: (taskId: string) =>
      taskId === "t1" ? Promise.reject(new Error("the disk is gone")) : Promise.resolve({ taskId }),
  };
  const streams = new NotificationStreams(sources as unknown as StreamSources);
  const notifications = { taskIds: ["t1", "t2"] };
  await streams.open({ id: 1, params: { notifications, _meta: TAKES_TASKS } });
  streams.cancel(1);
  assertEquals(sent[0], {
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: {
      notifications: { taskIds: ["t2"] },
      _meta: { "io.modelcontextprotocol/subscriptionId": 1 },
    },
  });
});

Deno.test("a stream follows a task on to its end, also past a time in which it can't be read", async () => {
  using _ = new HurriedClock();
  const states = ["working", "working", undefined, undefined, "completed"];
  const ended = Promise.withResolvers<void>();
  const sources = {
    send({ params: { status } }: { params: { status?: string } }) {
      if (status === "completed") ended.resolve();
    },
    findTask(taskId: string) {
      const status = states.shift();
      return status === undefined
        ? Promise.reject(new AppError("timeout", "tmux does not answer"))
        : Promise.resolve({ taskId, status });
    },
  };
  const streams = new NotificationStreams(sources as unknown as StreamSources);
  await streams.open({ id: 1, params: { notifications: { taskIds: ["t1"] }, _meta: TAKES_TASKS } });
  await ended.promise;
  streams.cancel(1);
});
