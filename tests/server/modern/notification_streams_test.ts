// Streams of notifications: what they begin with.
import { assertEquals } from "@std/assert";
import { NotificationStreams, type StreamSources } from "../../../src/server/modern/notification_streams.ts";
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
