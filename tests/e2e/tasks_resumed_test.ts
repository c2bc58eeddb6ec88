// Tasks whose server was killed: a later one continues with them, within its own scope.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { envelope, RawClient } from "../support/raw_client.ts";
import { TAKES_TASKS, TaskClient, TASKS } from "../support/task_client.ts";
import { filesLike } from "../support/record_files.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const HOUR_MS = 3_600_000;

/** Begins a task in a server, does something, and kills that server. */
async function taskOfDead(
  world: World,
  call: (client: TaskClient) => Promise<{ taskId: string }>,
  meanwhile: (client: TaskClient, taskId: string) => Promise<unknown> = () => Promise.resolve(),
  args: string[] = [],
): Promise<string> {
  await using raw = new RawClient(world, args);
  const client = new TaskClient(raw);
  const { taskId } = await call(client);
  assert(taskId, "no task");
  await meanwhile(client, taskId);
  raw.child.kill("SIGKILL");
  await raw.child.status;
  return taskId;
}

/** Opens a stream that carries the states of a task. */
async function listen(raw: RawClient, taskId: string): Promise<void> {
  const notifications = { taskIds: [taskId] };
  await raw.send({
    id: "l",
    method: "subscriptions/listen",
    params: { notifications, _meta: TAKES_TASKS },
  });
  assertEquals((await raw.next()).params.notifications, notifications);
}

async function typed(world: World, paneId: string, text: string): Promise<void> {
  await world.tmux("send-keys", "-t", paneId, "-l", text);
  await world.tmux("send-keys", "-t", paneId, "Enter");
}

async function paneOf(world: World, command: string): Promise<string> {
  const size = ["-x", "80", "-y", "24"];
  return (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", ...size, command)).trim();
}

Deno.test("a command's task whose server was killed ends with its exit code and its whole output", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "bash --norc");
  const command = "for i in 1 2 3; do echo line $i; done; read -r word; echo got $word; (exit 7)";
  const run = { paneId, command, onInput: "wait", timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("execute-command", run));
  const [path] = await filesLike(world, /^t\d.*\.json$/);
  const record = JSON.parse(await Deno.readTextFile(path!));
  record.state.createdAt = new Date(Date.now() - 4 * HOUR_MS).toISOString();
  await Deno.writeTextFile(path!, JSON.stringify(record));
  await using raw = new RawClient(world);
  const later = new TaskClient(raw);
  const { status, createdAt, lastUpdatedAt } = await later.get(taskId);
  assertEquals([status, createdAt], ["working", record.state.createdAt]);
  assert(Date.parse(createdAt) < Date.parse(lastUpdatedAt), "begun again");
  await typed(world, paneId, "blue");
  const done = await later.until(taskId, (task) => task.status !== "working");
  const { exitCode, output, status: ended } = done.result.structuredContent;
  assertEquals([done.status, ended, exitCode], ["completed", "completed", 7]);
  assertEquals(output, "line 1\nline 2\nline 3\nblue\ngot blue");
  assert(Date.parse(done.createdAt) + done.ttlMs > Date.parse(done.lastUpdatedAt), "over before its end");
});

Deno.test("a task whose client has hung up goes on in the next server", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "bash --norc");
  const cat = await paneOf(world, "cat");
  const taskIds: string[] = [];
  {
    await using raw = new RawClient(world);
    const client = new TaskClient(raw);
    const run = { paneId, command: "read -r word; echo got $word", onInput: "wait", timeout: 3600 };
    taskIds.push((await client.call("execute-command", run)).taskId);
    taskIds.push(
      (await client.call("watch-pane", { paneId: cat, triggers: "pattern:^late", timeout: 3600 })).taskId,
    );
  }
  await using raw = new RawClient(world);
  const later = new TaskClient(raw);
  for (const taskId of taskIds) assertEquals((await later.get(taskId)).status, "working");
  await typed(world, paneId, "green");
  await typed(world, cat, "late");
  const [run, watch] = await Promise.all(
    taskIds.map((taskId) => later.until(taskId, ({ status }) => status !== "working")),
  );
  assertEquals(run.result.structuredContent.output, "green\ngot green");
  assertEquals(watch.result.structuredContent.event, "pattern:^late");
});

Deno.test("a command's task that ended while no server ran has the view that its call asked for", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "bash --norc");
  const command = "seq 1 300; sleep 1.5; echo needle; seq 1 300";
  const run = { paneId, command, timeout: 3600, grep: "needle|^7$" };
  const taskId = await taskOfDead(world, (client) => client.call("execute-command", run));
  await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("300\n"));
  await using raw = new RawClient(world);
  const done = await new TaskClient(raw).until(taskId, (task) => task.status !== "working");
  assertEquals(done.result.structuredContent.output.match(/needle|^\S*7$/gm).length, 3);
  assertEquals(done.result.structuredContent.exitCode, 0);
});

Deno.test("a watch's task whose server was killed fires for what was printed in between, in every later server", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const watch = { paneId, triggers: "pattern:^needle", timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("watch-pane", watch));
  await typed(world, paneId, "needle in the dark");
  for (let server = 0; server < 2; server++) {
    await using raw = new RawClient(world);
    const later = new TaskClient(raw);
    const done = await later.until(taskId, (task) => task.status !== "working");
    const { event, detail, paneState } = done.result.structuredContent;
    assertEquals([done.status, event], ["completed", "pattern:^needle"]);
    assertMatch(detail, /needle in the dark/);
    assertEquals("panePid" in (paneState ?? {}), false);
    // Its event is read by the agent that asks for events, and the task stays.
    await later.call("watch-events");
  }
});

Deno.test("a watch's task continues after its machine has slept past the deadline", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const watch = { paneId, triggers: "pattern:^needle", timeout: 600 };
  const taskId = await taskOfDead(world, (client) => client.call("watch-pane", watch));
  await using raw = new RawClient(world);
  const later = new TaskClient(raw);
  assertEquals((await later.get(taskId)).status, "working");
  await until(async () => (await world.readers()).length > 0);
  // The wall clock runs while a machine sleeps; the clock of deadlines does not.
  const [path] = await filesLike(world, /^w\d.*\.json$/);
  const record = JSON.parse(await Deno.readTextFile(path!));
  await Deno.writeTextFile(path!, JSON.stringify({ ...record, started: record.started - HOUR_MS }));
  await using other = new RawClient(world);
  const clients = [later, new TaskClient(other)];
  for (const client of clients) {
    assertEquals((await client.get(taskId)).status, "working");
    // Waits until the server has asked for the result again.
    await client.call("watch-events", { waitSeconds: 0.5 });
    assertEquals((await client.get(taskId)).status, "working");
  }
  await typed(world, paneId, "needle");
  for (const client of clients) {
    const done = await client.until(taskId, ({ status }) => status !== "working");
    assertEquals(done.result?.structuredContent.event, "pattern:^needle");
  }
});

for (const [how, args] of Object.entries({ "by clients": [], "without attaching": ["--attach=false"] })) {
  Deno.test(`a started program's task continues after the kill and names what it began, ${how}`, async (t) => {
    await using world = await World.create();
    await paneOf(world, "cat");
    const command = "read -r word; echo now $word; read -r word; echo then $word";
    const start = { command, pattern: "^now ready", triggers: "exit", timeout: 3600 };
    let paneId = "";
    const taskId = await taskOfDead(
      world,
      (client) => client.call("start-and-watch", start),
      async (client) => {
        const { commands } = (await client.call("list-commands")).structuredContent;
        paneId = commands[0].paneId;
      },
      args,
    );
    await using raw = new RawClient(world, args);
    const later = new TaskClient(raw);
    assertEquals((await later.get(taskId)).status, "working");
    await typed(world, paneId, "ready");
    const done = await later.until(taskId, (task) => task.status !== "working");
    const { event, commandId, sessionId } = done.result.structuredContent;
    assertEquals(event, "pattern:^now ready");
    assertMatch(commandId, /^c/);
    assertMatch(sessionId, /^\$/);
    await t.step("another watch reads the pane too, and continues when the command has ended", async () => {
      const watch = { paneId, triggers: "pattern:^after$", timeout: 3600 };
      const { taskId } = await later.call("watch-pane", watch);
      await typed(world, paneId, "that");
      const run = await later.call("get-command-result", { commandId, waitSeconds: 20 });
      assertEquals(run.structuredContent.output, "ready\nnow ready\nthat\nthen that");
      await typed(world, paneId, "echo after");
      const done = await later.until(taskId, ({ status }) => status !== "working");
      assertEquals(done.result.structuredContent.event, "pattern:^after$");
    });
  });
}

Deno.test("a call in a shell that is still starting becomes a task once another server can continue it", async () => {
  await using world = await World.create();
  const rc = `${world.folder}/slow.bashrc`;
  await Deno.writeTextFile(rc, "read -rt 2 < <(sleep 60)\nPS1='$ '\n");
  const paneId = await paneOf(world, `bash --rcfile ${rc}`);
  const run = { paneId, command: "read -r word; echo now $word", onInput: "wait", timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("execute-command", run));
  await using raw = new RawClient(world);
  const later = new TaskClient(raw);
  assertEquals((await later.get(taskId)).status, "working");
  await typed(world, paneId, "ready");
  const done = await later.until(taskId, (task) => task.status !== "working");
  assertEquals(done.result.structuredContent.output, "ready\nnow ready");
});

Deno.test("tasks of other waits continue after the kill: texts, results and events", async (t) => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const shell = await paneOf(world, "bash --norc");
  const goesOn = async (
    begin: (client: TaskClient) => Promise<{ taskId: string }>,
    end: (later: TaskClient) => Promise<unknown>,
  ) => {
    const taskId = await taskOfDead(world, begin);
    await using raw = new RawClient(world);
    const later = new TaskClient(raw);
    assertEquals((await later.get(taskId)).status, "working");
    await end(later);
    const { status, result } = await later.until(taskId, (task) => task.status !== "working");
    assertEquals(status, "completed");
    return result.structuredContent;
  };
  await t.step("wait-for-text", async () => {
    const wait = { paneId, pattern: "over there", timeout: 3600 };
    const { outcome } = await goesOn(
      (client) => client.call("wait-for-text", wait),
      () => typed(world, paneId, "over there"),
    );
    assertEquals(outcome, "matched");
  });
  await t.step("get-command-result", async () => {
    const { output } = await goesOn(async (client) => {
      const begun = await client.call("execute-command", {
        paneId: shell,
        command: "read -r a; echo $a$a",
        background: true,
      });
      // A call becomes a task if the shell takes long to reach its prompt.
      const started = begun.taskId === undefined
        ? begun
        : (await client.until(begun.taskId, (task) => task.status !== "working")).result;
      assert(started?.structuredContent, JSON.stringify(started));
      const { commandId } = started.structuredContent;
      return client.call("get-command-result", { commandId, waitSeconds: 3600, onInput: "wait" });
    }, () => typed(world, shell, "ab"));
    assertEquals(output, "ab\nabab");
  });
  await t.step("watch-events", async () => {
    const { events } = await goesOn(async (client) => {
      await client.call("watch-pane", {
        paneId,
        triggers: "pattern:^fired",
        background: true,
        timeout: 3600,
      });
      return client.call("watch-events", { waitSeconds: 3600 });
    }, () => typed(world, paneId, "fired"));
    assertEquals(events.map(({ event }: { event: string }) => event), ["pattern:^fired"]);
  });
});

Deno.test("a task whose call no other process can continue with has failed, and says what to do", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const wait = { paneId, timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("wait-for-content-change", wait));
  await using raw = new RawClient(world);
  const { status, error, statusMessage } = await new TaskClient(raw).get(taskId);
  assertEquals(status, "failed");
  assertMatch(error.message, /program keeps running: call list-commands/);
  assertEquals(statusMessage, error.message);
});

Deno.test("a task goes on in no other tmux server, whose panes have the same ids", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const shell = await paneOf(world, "bash --norc");
  const text = { paneId, pattern: "needle", timeout: 3600 };
  const waits = await taskOfDead(world, (client) => client.call("wait-for-text", text));
  const run = { paneId: shell, command: "sleep 1000", timeout: 3600 };
  const runs = await taskOfDead(world, (client) => client.call("execute-command", run));
  const watch = { paneId, triggers: "pattern:^needle", timeout: 3600 };
  const watches = await taskOfDead(world, (client) => client.call("watch-pane", watch));
  const tmuxPid = (await world.tmux("display-message", "-p", "#{pid}")).trim();
  await world.tmux("kill-server");
  await until(() => Deno.stat(`/proc/${tmuxPid}/exe`).then(() => false, () => true));
  assertEquals(await paneOf(world, "echo needle; exec cat"), paneId);
  await using raw = new RawClient(world);
  const later = new TaskClient(raw);
  const over = (taskId: string) => later.until(taskId, ({ status }) => status !== "working");
  const failed = await over(waits);
  assertEquals(failed.status, "failed");
  assertMatch(failed.error.message, /has ended/);
  const { structuredContent: command } = (await over(runs)).result;
  assertEquals(command.status, "lost");
  assertMatch(command.reason, /tmux server/);
  const { structuredContent: event } = (await over(watches)).result;
  assertEquals(event.event, "gone");
  await using limited = new RawClient(world, ["--allowed-sessions", "0"]);
  const { error } = await new TaskClient(limited).ask("tasks/get", { taskId: runs });
  assertEquals(error?.code, -32602);
});

Deno.test("a resumed task asks for a person, and is heard of by those who listen", async (t) => {
  await using world = await World.create();
  const paneId = await paneOf(world, "bash --norc");
  const forms = envelope({ extensions: { [TASKS]: {} }, elicitation: { form: {} } });
  const command = "printf 'Name? '; read -r word; echo hello $word";
  const taskId = await taskOfDead(
    world,
    (client) =>
      client.call("execute-command", {
        paneId,
        command: "sleep 1.5; " + command,
        onInput: "person",
        timeout: 3600,
      }),
  );
  await t.step("the form comes from the later server", async () => {
    await using raw = new RawClient(world);
    const later = new TaskClient(raw, forms);
    const asking = await later.until(taskId, ({ status }) => status !== "working");
    assertEquals(asking.status, "input_required");
    const [request] = Object.values(asking.inputRequests) as { method: string }[];
    assertEquals(request!.method, "elicitation/create");
  });
  await t.step("listening", async () => {
    await using raw = new RawClient(world);
    await listen(raw, taskId);
    await typed(world, paneId, "you");
    let message = await raw.next();
    while (message.params?.status !== "completed") message = await raw.next();
    assertMatch(message.params.result.structuredContent.output, /hello you/);
  });
});

for (const lives of [true, false]) {
  Deno.test(`a listener hears the end of a task whose other process ${lives ? "lives" : "is killed meanwhile"}`, async () => {
    await using world = await World.create();
    const paneId = await paneOf(world, "cat");
    await using first = new RawClient(world);
    const watch = { paneId, triggers: "pattern:^over", timeout: 3600 };
    const { taskId } = await new TaskClient(first).call("watch-pane", watch);
    await using raw = new RawClient(world);
    await listen(raw, taskId);
    assertEquals((await raw.next()).params.status, "working");
    if (!lives) first.child.kill("SIGKILL");
    await typed(world, paneId, "over");
    let message = await raw.next();
    while (message.params?.status !== "completed") message = await raw.next();
    assertEquals(message.params.result.structuredContent.event, "pattern:^over");
  });
}

Deno.test("a task whose watch handed a question to a person ends with that, in a later server", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const watch = { paneId, triggers: "bell", timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("watch-pane", watch));
  const [path] = await filesLike(world, /^w\d+\.json$/);
  const record = JSON.parse(await Deno.readTextFile(path!));
  const result = {
    ...{ paneId, event: "exit", detail: "Exited", elapsed: 1, output: "", totalLines: 0, totalBytes: 0 },
    handedOver: [{ inputKind: "line", prompt: "Name?", seconds: 1, outcome: "timeout" }],
    hint: "Attach to answer it",
  };
  // The server was killed between this record and the task's.
  await Deno.writeTextFile(path!, `${JSON.stringify({ ...record, ended: Date.now(), result })}\n`);
  await using raw = new RawClient(world);
  const done = await new TaskClient(raw).until(taskId, ({ status }) => status !== "working");
  assertEquals(done.result.structuredContent, result);
});

Deno.test("a task that was cancelled in a later server stays cancelled", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const wait = { paneId, pattern: "never", timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("wait-for-text", wait));
  {
    await using raw = new RawClient(world);
    const later = new TaskClient(raw);
    assertEquals((await later.ask("tasks/cancel", { taskId })).result?.resultType, "complete");
    assertEquals((await later.get(taskId)).status, "cancelled");
  }
  await using raw = new RawClient(world);
  assertEquals((await new TaskClient(raw).get(taskId)).status, "cancelled");
});

Deno.test("of two servers one continues a task, and every later one has its result", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const watch = { paneId, triggers: "pattern:^needle", background: true, timeout: 3600 };
  const taskId = await taskOfDead(world, async (client) => {
    await client.call("watch-pane", watch);
    return client.call("watch-events", { waitSeconds: 3600 });
  });
  await using first = new RawClient(world);
  await using second = new RawClient(world);
  const [one, other] = [new TaskClient(first), new TaskClient(second)];
  assertEquals((await one.get(taskId)).status, "working");
  assertEquals((await other.get(taskId)).status, "working");
  assertMatch((await other.ask("tasks/cancel", { taskId })).error!.message, /another server process runs it/);
  await typed(world, paneId, "needle");
  const done = await one.until(taskId, ({ status }) => status !== "working");
  assertEquals(done.result.structuredContent.events.length, 1);
  first.child.kill("SIGKILL");
  await first.child.status;
  await using third = new RawClient(world);
  for (const later of [other, new TaskClient(third)]) {
    assertEquals((await later.get(taskId)).result, done.result);
  }
});

Deno.test("a server tells nothing of tasks whose panes are out of its scope", async (t) => {
  await using world = await World.create();
  const hidden = await paneOf(world, "cat");
  await world.tmux("new-session", "-d", "-s", "open", "cat");
  const watch = { paneId: hidden, triggers: "pattern:^secret", timeout: 3600 };
  const limits = ["--allowed-sessions", "open"];
  const refused = async (taskId: string): Promise<void> => {
    await using raw = new RawClient(world, limits);
    const limited = new TaskClient(raw);
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      const { error } = await limited.ask(method, { taskId });
      assertEquals(error?.code, -32602, method);
      assertMatch(error!.message, /Unknown task .*\. list-commands and watch-events show what runs/);
    }
    const notifications = { taskIds: [taskId] };
    await raw.send({
      id: "l",
      method: "subscriptions/listen",
      params: { notifications, _meta: TAKES_TASKS },
    });
    assertEquals((await raw.next()).params.notifications, {});
  };
  const running = await taskOfDead(world, (client) => client.call("watch-pane", watch));
  await t.step("one that continues", () => refused(running));
  await t.step("one that is over", async () => {
    const over = await taskOfDead(
      world,
      (client) => client.call("watch-pane", watch),
      async (client, taskId) => {
        await typed(world, hidden, "secret word");
        await client.until(taskId, ({ status }) => status === "completed");
      },
    );
    await refused(over);
  });
  await t.step("one in scope continues", async () => {
    const paneId = (await world.tmux("list-panes", "-t", "open", "-F", "#{pane_id}")).trim();
    const shown = { paneId, triggers: "pattern:^shown", timeout: 3600 };
    const taskId = await taskOfDead(world, (client) => client.call("watch-pane", shown));
    await typed(world, paneId, "shown");
    await using raw = new RawClient(world, limits);
    const done = await new TaskClient(raw).until(taskId, ({ status }) => status !== "working");
    assertEquals(done.result.structuredContent.event, "pattern:^shown");
  });
});

Deno.test("a server whose settings remove a tool shows no result that another server's call of it had", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  await using raw = new RawClient(world);
  const open = new TaskClient(raw);
  const { taskId } = await open.call("watch-pane", { paneId, triggers: "pattern:^over", timeout: 3600 });
  await typed(world, paneId, "over");
  await open.until(taskId, ({ status }) => status === "completed");
  await using closed = new RawClient(world, ["--tools", "deny:watch-pane"]);
  const { error } = await new TaskClient(closed).ask("tasks/get", { taskId });
  assertEquals(error?.code, -32602);
  await using other = new RawClient(world, ["--tools", "deny:execute-command"]);
  assertEquals((await new TaskClient(other).get(taskId)).status, "completed");
});

Deno.test("allow_capture = false: a task of another server shows none of its output", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "bash --norc");
  await using raw = new RawClient(world);
  const open = new TaskClient(raw);
  const run = { paneId, command: "echo hush$((40+2)); read -r word", onInput: "wait", timeout: 3600 };
  const { taskId } = await open.call("execute-command", run);
  await typed(world, paneId, "go");
  const { result } = await open.until(taskId, ({ status }) => status === "completed");
  assertEquals(result.structuredContent.output, "hush42\ngo");
  await using closed = new RawClient(world, ["--allow-capture=false"]);
  const state = await new TaskClient(closed).get(taskId);
  const { output, exitCode } = state.result.structuredContent;
  assertEquals([state.status, output, exitCode], ["completed", undefined, 0]);
  assertEquals(JSON.parse(state.result.content[0].text), state.result.structuredContent);
  const notifications = { taskIds: [taskId] };
  await closed.send({
    id: "l",
    method: "subscriptions/listen",
    params: { notifications, _meta: TAKES_TASKS },
  });
  const heard = [await closed.next(), await closed.next()];
  assertEquals(heard[1]!.params.taskId, taskId);
  assertEquals(JSON.stringify([state, heard]).includes("hush42"), false);
});
