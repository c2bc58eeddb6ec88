// Calls that become tasks, for clients that declare the tasks extension of MCP 2026-07-28.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { envelope, RawClient, type RawMessage } from "../support/raw_client.ts";
import { TAKES_TASKS, TaskClient, TASKS } from "../support/task_client.ts";
import { World } from "../support/world.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

/** A tmux in which one session stays, and the client of the one server on it. */
interface Given {
  world: World;
  raw: RawClient;
}

const declared: { name: string; run(given: Given, t: Deno.TestContext): Promise<void> }[] = [];

/** Declares a step of the test of one server, which costs 0.3 s of CPU. */
function test(name: string, run: (given: Given, t: Deno.TestContext) => Promise<void>): void {
  declared.push({ name, run });
}

Deno.test("tasks of one server", async (t) => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "keep", "cat");
  await using raw = new RawClient(world);
  for (const { name, run } of declared) await t.step(name, (step) => run({ world, raw }, step));
});

test(
  "a call that takes longer is a task, whose result is what the call would have returned",
  async ({ raw }, t) => {
    const client = new TaskClient(raw);
    const { capabilities } = (await client.ask("server/discover", {})).result;
    assertEquals(capabilities.extensions[TASKS], {});
    const paneId = await client.pane();
    const watch = { paneId, triggers: "pattern:ready", timeout: 3600, mode: "line" };
    const task = await client.call("watch-pane", watch);
    await t.step("what it begins with", () => {
      const { taskId, createdAt, lastUpdatedAt, _meta, ...rest } = task;
      assertMatch(taskId, /^t\d+-[0-9a-f]{8}-/);
      assert(Date.parse(createdAt) <= Date.parse(lastUpdatedAt));
      assertEquals(rest, { resultType: "task", status: "working", ttlMs: null, pollIntervalMs: 1000 });
    });
    await t.step("its progress is the status message", async () => {
      await client.call("send-keys", { paneId, keys: "hello\n" });
      const { statusMessage, status } = await client.until(task.taskId, (each) => "statusMessage" in each);
      assertEquals(status, "working");
      assertMatch(statusMessage, new RegExp(paneId));
    });
    await t.step("its result", async () => {
      await client.call("send-keys", { paneId, keys: "ready\n" });
      const done = await client.until(task.taskId, ({ status }) => status !== "working");
      assertEquals([done.status, done.resultType], ["completed", "complete"]);
      // Its last progress would look new.
      assertEquals(done.statusMessage, undefined);
      assertEquals(done.result.structuredContent.event, "pattern:ready");
      assertEquals(JSON.parse(done.result.content[0].text), done.result.structuredContent);
      assertEquals(typeof done.ttlMs, "number");
    });
    await t.step("calls that are over at once, other tools and other clients get no task", async () => {
      const quick = await client.call("watch-pane", { paneId, triggers: "pattern:never", timeout: 0.01 });
      assertEquals([quick.resultType, quick.structuredContent.event], ["complete", "timeout"]);
      const { result } = await raw.modern("plain", "tools/call", {
        name: "watch-pane",
        arguments: { paneId, triggers: "pattern:never", timeout: 1.5 },
      });
      assertEquals([result.resultType, result.structuredContent.event], ["complete", "timeout"]);
    });
    await t.step("a call that fails is a completed task with its error", async () => {
      const { sessionId, ...made } =
        (await client.call("create-session", { command: "cat" })).structuredContent;
      const watched = { paneId: made.paneId, triggers: "bell", timeout: 3600 };
      const failing = await client.call("watch-pane", watched);
      await client.call("kill-session", { sessionId });
      const { status, result } = await client.until(failing.taskId, (each) => each.status !== "working");
      assertEquals(status, "completed");
      assert(result.isError || result.structuredContent.event !== "bell");
    });
  },
);

test("tasks/cancel ends the wait and leaves the program", async ({ raw }) => {
  const client = new TaskClient(raw);
  const paneId = await client.pane("bash --norc");
  const { taskId } = await client.call("execute-command", { paneId, command: "sleep 1000", timeout: 3600 });
  assertEquals((await client.ask("tasks/cancel", { taskId })).result.resultType, "complete");
  const cancelled = await client.get(taskId);
  assertEquals(cancelled.status, "cancelled");
  assertMatch(cancelled.statusMessage, /keeps running/);
  const state = await client.call("pane-state", { paneId });
  assertEquals(state.structuredContent.foregroundCmd, "sleep");
  assertEquals((await client.ask("tasks/cancel", { taskId })).result.resultType, "complete");
  assertEquals((await client.get(taskId)).status, "cancelled");
});

test(
  "questions about tasks that can't be answered are refused by name, and harm nothing",
  async ({ raw }, t) => {
    const client = new TaskClient(raw);
    const paneId = await client.pane();
    const { taskId } = await client.call("watch-pane", { paneId, triggers: "pattern:ready", timeout: 3600 });
    await t.step("without the capability", async () => {
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const { error } = await raw.modern(method, method, { taskId });
        assertEquals(error?.code, -32021, method);
        assertEquals(error?.data, { requiredCapabilities: { extensions: { [TASKS]: {} } } });
      }
      const listening = { notifications: { taskIds: [taskId] } };
      assertEquals((await raw.modern("l", "subscriptions/listen", listening)).error?.code, -32021);
    });
    await t.step("tasks that there are not", async () => {
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        for (const id of ["task-of-another-server", "", 7, null, "x".repeat(100_000)]) {
          const { error } = await client.ask(method, { taskId: id });
          assertEquals(error?.code, -32602, method);
          assert(error!.message.length < 300, "the error repeats all of the id");
        }
      }
    });
    await t.step("an update that nobody asked for", async () => {
      const inputResponses = { name: { action: "accept" } };
      assertEquals(
        (await client.ask("tasks/update", { taskId, inputResponses })).result.resultType,
        "complete",
      );
      assertEquals((await client.get(taskId)).status, "working");
      for (const wrong of [3, [], null, undefined]) {
        const { error } = await client.ask("tasks/update", { taskId, inputResponses: wrong });
        assertEquals(error?.code, -32602, String(wrong));
      }
    });
    await t.step("but an update to a finished task, which came too late, is ignored", async () => {
      await client.call("send-keys", { paneId, keys: "ready\n" });
      await client.until(taskId, ({ status }) => status === "completed");
      const inputResponses = { late: { action: "accept" } };
      const { result } = await client.ask("tasks/update", { taskId, inputResponses });
      assertEquals(result, { resultType: "complete" });
    });
  },
);

test("those who listen get each state of a task, also of one that has finished", async ({ raw }) => {
  const client = new TaskClient(raw);
  const paneId = await client.pane();
  const { taskId } = await client.call("watch-pane", { paneId, triggers: "pattern:ready", timeout: 3600 });
  const listen = async (id: string): Promise<RawMessage[]> => {
    const notifications = { taskIds: [taskId, "task-of-another-server"] };
    await raw.send({ id, method: "subscriptions/listen", params: { notifications, _meta: TAKES_TASKS } });
    return [await raw.next(), await raw.next()];
  };
  const [acknowledged, first] = await listen("one");
  assertEquals(acknowledged!.params.notifications, { taskIds: [taskId] });
  assertEquals([first!.method, first!.params.status], ["notifications/tasks", "working"]);
  await raw.send({
    id: "type",
    method: "tools/call",
    params: { name: "send-keys", arguments: { paneId, keys: "ready\n" }, _meta: TAKES_TASKS },
  });
  // The answer to the keys can come after the end of the watch.
  const came: RawMessage[] = [];
  const completed = () => came.find(({ params }) => params?.status === "completed");
  while (!completed() || !came.some(({ id }) => id === "type")) came.push(await raw.next());
  const message = completed()!;
  assertEquals([message.method, message.params._meta[SUBSCRIPTION]], ["notifications/tasks", "one"]);
  const { _meta, ...notified } = message.params;
  const { resultType, ...read } = await client.get(taskId);
  assertEquals([resultType, notified], ["complete", read]);
  const [, late] = await listen("two");
  assertEquals(late!.params.result, read.result);
});

test("an id that was answered with a task may be used again, and cancelling it cancels no task", async ({ raw }) => {
  const client = new TaskClient(raw);
  const paneId = await client.pane();
  const watch = { name: "watch-pane", arguments: { paneId, triggers: "bell", timeout: 3600 } };
  const ids: string[] = [];
  for (let times = 0; times < 2; times++) {
    ids.push((await raw.modern("same", "tools/call", watch, TAKES_TASKS)).result.taskId);
  }
  assert(ids[0] !== ids[1]);
  await raw.send({ method: "notifications/cancelled", params: { requestId: "same" } });
  for (const taskId of ids) assertEquals((await client.get(taskId)).status, "working");
  // Before it is a task, cancelling ends the call, and nothing is answered.
  await raw.send({ id: "gone", method: "tools/call", params: { ...watch, _meta: TAKES_TASKS } });
  await raw.send({ method: "notifications/cancelled", params: { requestId: "gone" } });
  const { result } = await raw.modern("next", "tools/call", {
    name: "watch-pane",
    arguments: { paneId, triggers: "bell", timeout: 1.5 },
  });
  assertEquals(result.structuredContent.event, "timeout");
});

test("200 tasks at once are answered one by one, and a client that polls without a pause slows nobody", async ({ raw }) => {
  const client = new TaskClient(raw);
  const paneId = await client.pane();
  const { cursor } = (await client.call("watch-events")).structuredContent;
  const params = { name: "watch-events", arguments: { cursor, waitSeconds: 3600 }, _meta: TAKES_TASKS };
  for (let id = 0; id < 200; id++) await raw.send({ id: `c${id}`, method: "tools/call", params });
  const taskIds = new Set<string>();
  while (taskIds.size < 200) {
    const { result } = await raw.next();
    assertEquals(result.resultType, "task");
    taskIds.add(result.taskId);
  }
  const [polled] = taskIds;
  for (let polls = 0; polls < 200; polls++) assertEquals((await client.get(polled!)).status, "working");
  await client.call("watch-pane", { paneId, triggers: "pattern:ready", background: true });
  await client.call("send-keys", { paneId, keys: "ready\n" });
  for (const taskId of taskIds) {
    const { result } = await client.until(taskId, ({ status }) => status === "completed");
    assertEquals(result.structuredContent.events[0].event, "pattern:ready");
  }
});

test("a task asks for a person, in a form without a field, until the program was answered or they decline", async ({ world, raw }) => {
  const forms = envelope({ extensions: { [TASKS]: {} }, elicitation: { form: {} } });
  const client = new TaskClient(raw, forms);
  const paneId = await client.pane("bash --norc");
  const command = "read -s -p 'Key: ' word; echo; echo ${#word}";
  const run = { paneId, command, onInput: "person", timeout: 600 };

  const { taskId } = await client.call("execute-command", run);
  const asking = await client.until(taskId, ({ status }) => status === "input_required");
  const [request] = Object.values(asking.inputRequests) as {
    method: string;
    params: Record<string, unknown>;
  }[];
  assertEquals(request!.method, "elicitation/create");
  assertEquals(request!.params["requestedSchema"], { type: "object", properties: {} });
  assertMatch(String(request!.params["message"]), /bash waits for a password: Key:\n.*tmux -S /);
  await world.tmux("send-keys", "-t", paneId, "secret", "Enter");
  const done = await client.until(taskId, ({ status }) => status === "completed");
  assertEquals("inputRequests" in done, false);
  const { output, handedOver } = done.result.structuredContent;
  assertEquals([output, handedOver[0].outcome], ["Key: \n6", "answered"]);

  const second = await client.call("execute-command", run);
  const { inputRequests } = await client.until(second.taskId, ({ status }) => status === "input_required");
  const [key] = Object.keys(inputRequests);
  for (const wrong of [null, "accept", {}, { action: "perhaps" }]) {
    const { error } = await client.ask("tasks/update", {
      taskId: second.taskId,
      inputResponses: { [key!]: wrong },
    });
    assertEquals(error?.code, -32602);
    assertMatch(error!.message, /Invalid inputResponses.*accept, decline, cancel/);
  }
  assertEquals((await client.get(second.taskId)).status, "input_required");
  const inputResponses = { [key!]: { action: "decline" } };
  await client.ask("tasks/update", { taskId: second.taskId, inputResponses });
  const declined = await client.until(second.taskId, ({ status }) => status === "completed");
  const answer = declined.result.structuredContent;
  assertEquals([answer.status, answer.handedOver[0].outcome], ["waiting", "declined"]);
  await world.tmux("send-keys", "-t", paneId, "secret", "Enter");

  const third = await client.call("execute-command", run);
  await client.until(third.taskId, ({ status }) => status === "input_required");
  await client.ask("tasks/cancel", { taskId: third.taskId });
  const cancelled = await client.get(third.taskId);
  assertEquals([cancelled.status, "inputRequests" in cancelled], ["cancelled", false]);
});

// The last step, because a connection that has become a session stays one.
test("sessions have no tasks", async ({ raw }) => {
  const client = new TaskClient(raw);
  const watch = { paneId: await client.pane(), triggers: "bell", timeout: 3600 };
  const { taskId } = await client.call("watch-pane", watch);
  assertEquals((await client.get(taskId)).status, "working");
  await raw.initialize("s");
  await raw.send({ id: "t", method: "tasks/get", params: { taskId } });
  assertEquals((await raw.answer("t")).error?.code, -32601);
});

Deno.test("after_seconds 0 makes no task", async () => {
  await using world = await World.create();
  await using raw = new RawClient(world, ["--tasks-after-seconds", "0"]);
  const client = new TaskClient(raw);
  const { extensions } = (await client.ask("server/discover", {})).result.capabilities;
  assertEquals(extensions[TASKS], undefined);
  const waited = await client.call("watch-events", { waitSeconds: 1.2 });
  assertEquals([waited.resultType, waited.structuredContent.events], ["complete", []]);
  assertEquals((await client.ask("tasks/get", { taskId: "x" })).error?.code, -32601);
});

Deno.test("another server reports on a task while its own lives, when it has died, and when it is over", async (t) => {
  await using world = await World.create();
  await using other = new RawClient(world);
  const later = new TaskClient(other);
  const watch = { triggers: "pattern:ready", timeout: 3600 };
  await using raw = new RawClient(world);
  const client = new TaskClient(raw);
  const paneId = await client.pane();
  const { taskId } = await client.call("watch-pane", { paneId, ...watch });
  await t.step("one that goes on there", async () => {
    assertEquals((await later.get(taskId)).status, "working");
    const { error } = await later.ask("tasks/cancel", { taskId });
    assertMatch(error!.message, /another server process runs it/);
  });
  await t.step("one that has finished there", async () => {
    await client.call("send-keys", { paneId, keys: "ready\n" });
    const { _meta, ...done } = await client.until(taskId, ({ status }) => status === "completed");
    assertEquals(await later.get(taskId), done);
    assertEquals((await later.ask("tasks/update", { taskId, inputResponses: {} })).error, undefined);
  });
  await t.step("one whose server was killed", async () => {
    raw.child.kill("SIGKILL");
    await raw.child.status;
    assertEquals((await later.get(taskId)).status, "completed");
  });
});
