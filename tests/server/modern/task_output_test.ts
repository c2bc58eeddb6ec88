// A task that another server process recorded, for a client without capture.
import { assertEquals } from "@std/assert";
import type { TaskState } from "../../../src/server/modern/task.ts";
import { withoutOutput } from "../../../src/server/modern/task_output.ts";

const TIMES = { createdAt: "2026-01-01", lastUpdatedAt: "2026-01-02", ttlMs: null, pollIntervalMs: 1000 };
const TASK = { taskId: "t-1", ...TIMES };

function finished(result: unknown): TaskState {
  return { ...TASK, status: "completed", result };
}

Deno.test("progress and forms of a task quote no pane", () => {
  const inputRequests = { "person-1": { params: { message: "asks hush" } } };
  const asking: TaskState = { ...TASK, status: "input_required", statusMessage: "hush", inputRequests };
  assertEquals(withoutOutput(asking), { ...TASK, status: "working" });
  const failed: TaskState = { ...TASK, status: "failed", statusMessage: "why", error: { code: -32603 } };
  assertEquals(withoutOutput(failed), failed);
});

Deno.test("the result of a task holds no output in its fields, its text and the results of its calls", () => {
  const fields = { exitCode: 0, event: "error", detail: "Error line: hush", output: "hush" };
  const text = (value: unknown) => [{ type: "text", text: JSON.stringify(value) }];
  const shown = { exitCode: 0, event: "error", detail: "Error line" };
  assertEquals(
    withoutOutput(finished({ structuredContent: fields, content: text(fields) })),
    finished({ structuredContent: shown, content: text(shown) }),
  );
  const calls = { results: [{ tool: "capture-pane", ok: true, result: "hush" }] };
  const { result } = withoutOutput(finished({ structuredContent: calls, content: text(calls) }));
  assertEquals(JSON.stringify(result).includes("hush"), false);
  assertEquals(JSON.stringify(result).includes("capture-pane"), true);
  const picture = {
    content: [{ type: "text", text: "hush" }, { type: "image", data: "hush" }],
    isError: true,
  };
  assertEquals(
    withoutOutput(finished(picture)).result,
    { isError: true, content: [{ type: "text", text: "Left out: security.allow_capture = false" }] },
  );
});
