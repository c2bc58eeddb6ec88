// Tasks whose server was killed: a later one continues with them, within its own scope.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { envelope, RawClient, type RawMessage } from "../support/raw_client.ts";
import { testSideBySide } from "../support/side_by_side.ts";
import { TAKES_TASKS, TaskClient, TASKS } from "../support/task_client.ts";
import { filesLike } from "../support/record_files.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const test = testSideBySide("tasks that a later server continues");

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

/** Opens a stream that carries the states of tasks. */
async function listen(raw: RawClient, ...taskIds: string[]): Promise<void> {
  const notifications = { taskIds };
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

/** The result of a task once it is over. */
// deno-lint-ignore no-explicit-any -- results of many tools
async function resultOf(client: TaskClient, taskId: string): Promise<any> {
  const { status, result } = await client.until(taskId, (task) => task.status !== "working");
  assertEquals(status, "completed");
  return result.structuredContent;
}

/** Changes a record of this kind, of which there may be several. */
async function changeRecord(
  world: World,
  { named, is, change }: {
    named: RegExp;
    // deno-lint-ignore no-explicit-any -- records of two shapes
    is(record: any): boolean;
    // deno-lint-ignore no-explicit-any -- records of two shapes
    change(record: any): unknown;
  },
): Promise<void> {
  for (const path of await filesLike(world, named)) {
    const record = JSON.parse(await Deno.readTextFile(path));
    if (!is(record)) continue;
    await Deno.writeTextFile(path, `${JSON.stringify(change(record))}\n`);
    return;
  }
  throw new Error(`No such record among ${await filesLike(world, named)}`);
}

async function paneOf(world: World, command: string): Promise<string> {
  const size = ["-x", "80", "-y", "24"];
  return (await world.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", ...size, command)).trim();
}

/** A task of the server that will be killed, and what later ones are to make of it. */
interface Going {
  taskId: string;
  /** Done while no server runs. */
  meanwhile?(): Promise<unknown>;
  /** Checked with the next server. */
  later(client: TaskClient): Promise<void>;
  /** Checked with the server after that, when the next one has ended too. */
  last?(client: TaskClient): Promise<void>;
}

type Begin = (client: TaskClient, world: World) => Promise<Going>;

/** One server begins all of these and is killed; the steps are what two later servers find, one after the other. */
function testGoingOn(about: string, begun: Readonly<Record<string, Begin>>, args: string[] = []): void {
  test(about, async (t) => {
    await using world = await World.create();
    await paneOf(world, "cat");
    const going: [name: string, task: Going][] = [];
    await taskOfDead(
      world,
      async (client) => {
        for (const [name, begin] of Object.entries(begun)) {
          const task = await begin(client, world);
          assert(task.taskId, `no task: ${name}`);
          going.push([name, task]);
        }
        return going[0]![1];
      },
      undefined,
      args,
    );
    for (const [, { meanwhile }] of going) await meanwhile?.();
    {
      await using raw = new RawClient(world, args);
      for (const [name, { later }] of going) await t.step(name, () => later(new TaskClient(raw)));
    }
    const last = going.filter(([, task]) => task.last);
    if (last.length === 0) return;
    await using raw = new RawClient(world, args);
    for (const [name, task] of last) {
      await t.step(`${name}, in the server after that`, () => task.last!(new TaskClient(raw)));
    }
  });
}

const startedProgram: Begin = async (client, world) => {
  const command = "read -r word; echo now $word; read -r word; echo then $word";
  const start = { command, pattern: "^now ready", triggers: "exit", timeout: 3600 };
  const { taskId } = await client.call("start-and-watch", start);
  const { commands } = (await client.call("list-commands")).structuredContent;
  const { paneId } = commands.find((each: { command: string }) => each.command === command);
  return {
    taskId,
    async later(later) {
      assertEquals((await later.get(taskId)).status, "working");
      await typed(world, paneId, "ready");
      const { event, commandId, sessionId } = await resultOf(later, taskId);
      assertEquals(event, "pattern:^now ready");
      assertMatch(commandId, /^c/);
      assertMatch(sessionId, /^\$/);
      // Another watch reads the pane too, and continues when the command has ended.
      const watch = { paneId, triggers: "pattern:^after$", timeout: 3600 };
      const { taskId: watches } = await later.call("watch-pane", watch);
      await typed(world, paneId, "that");
      const run = await later.call("get-command-result", { commandId, waitSeconds: 20 });
      assertEquals(run.structuredContent.output, "ready\nnow ready\nthat\nthen that");
      await typed(world, paneId, "echo after");
      assertEquals((await resultOf(later, watches)).event, "pattern:^after$");
    },
  };
};

testGoingOn("tasks whose server was killed", {
  "a command's task ends with its exit code and its whole output": async (client, world) => {
    const paneId = await paneOf(world, "bash --norc");
    const command = "for i in 1 2 3; do echo line $i; done; read -r word; echo got $word; (exit 7)";
    const run = { paneId, command, onInput: "wait", timeout: 3600 };
    const { taskId } = await client.call("execute-command", run);
    const begun = new Date(Date.now() - 4 * HOUR_MS).toISOString();
    return {
      taskId,
      meanwhile: () =>
        changeRecord(world, {
          named: /^t\d.*\.json$/,
          is: ({ state }) => state.taskId === taskId,
          change: (record) => ({ ...record, state: { ...record.state, createdAt: begun } }),
        }),
      async later(later) {
        const { status, createdAt, lastUpdatedAt } = await later.get(taskId);
        assertEquals([status, createdAt], ["working", begun]);
        assert(Date.parse(createdAt) < Date.parse(lastUpdatedAt), "begun again");
        await typed(world, paneId, "blue");
        const done = await later.until(taskId, (task) => task.status !== "working");
        const { exitCode, output, status: ended } = done.result.structuredContent;
        assertEquals([done.status, ended, exitCode], ["completed", "completed", 7]);
        assertEquals(output, "line 1\nline 2\nline 3\nblue\ngot blue");
        assert(
          Date.parse(done.createdAt) + done.ttlMs > Date.parse(done.lastUpdatedAt),
          "over before its end",
        );
      },
    };
  },
  "a command's task that ended while no server ran has the view that its call asked for": async (
    client,
    world,
  ) => {
    const paneId = await paneOf(world, "bash --norc");
    const command = "seq 1 300; read -r; echo needle; seq 1 300";
    const run = { paneId, command, onInput: "wait", timeout: 3600, grep: "needle|^7$" };
    const { taskId } = await client.call("execute-command", run);
    return {
      taskId,
      async meanwhile() {
        await typed(world, paneId, "");
        const shown = () => world.tmux("capture-pane", "-p", "-S", "-", "-t", paneId);
        await until(async () => /needle\n[^]*\n300\n/.test(await shown()));
      },
      async later(later) {
        const { output, exitCode } = await resultOf(later, taskId);
        assertEquals(output.match(/needle|^\S*7$/gm).length, 3);
        assertEquals(exitCode, 0);
      },
    };
  },
  "a watch's task fires for what was printed in between": async (client, world) => {
    const paneId = await paneOf(world, "cat");
    const watch = { paneId, triggers: "pattern:^needle", timeout: 3600 };
    const { taskId } = await client.call("watch-pane", watch);
    const fires = async (later: TaskClient): Promise<void> => {
      const { event, detail, paneState } = await resultOf(later, taskId);
      assertEquals(event, "pattern:^needle");
      assertMatch(detail, /needle in the dark/);
      assertEquals("panePid" in (paneState ?? {}), false);
      // Its event is read by the agent that asks for events, and the task stays.
      await later.call("watch-events");
    };
    return { taskId, meanwhile: () => typed(world, paneId, "needle in the dark"), later: fires, last: fires };
  },
  "a wait for a text": async (client, world) => {
    const paneId = await paneOf(world, "cat");
    const { taskId } = await client.call("wait-for-text", { paneId, pattern: "over there", timeout: 3600 });
    return {
      taskId,
      async later(later) {
        assertEquals((await later.get(taskId)).status, "working");
        await typed(world, paneId, "over there");
        assertEquals((await resultOf(later, taskId)).outcome, "matched");
      },
    };
  },
  "a wait for a result": async (client, world) => {
    const paneId = await paneOf(world, "bash --norc");
    const command = "read -r a; echo $a$a";
    const begun = await client.call("execute-command", { paneId, command, background: true });
    // A call becomes a task if the shell takes long to reach its prompt.
    const { commandId } = begun.taskId === undefined
      ? begun.structuredContent
      : await resultOf(client, begun.taskId);
    const wait = { commandId, waitSeconds: 3600, onInput: "wait" };
    const { taskId } = await client.call("get-command-result", wait);
    return {
      taskId,
      async later(later) {
        assertEquals((await later.get(taskId)).status, "working");
        await typed(world, paneId, "ab");
        assertEquals((await resultOf(later, taskId)).output, "ab\nabab");
      },
    };
  },
  "a task whose call no other process can continue with has failed, and says what to do": async (
    client,
    world,
  ) => {
    const paneId = await paneOf(world, "cat");
    const { taskId } = await client.call("wait-for-content-change", { paneId, timeout: 3600 });
    return {
      taskId,
      async later(later) {
        const { status, error, statusMessage } = await later.get(taskId);
        assertEquals(status, "failed");
        assertMatch(error.message, /program that it has started may still run: call list-commands/);
        assertEquals(statusMessage, error.message);
      },
    };
  },
  "a task whose watch handed a question to a person ends with that": async (client, world) => {
    const paneId = await paneOf(world, "cat");
    const { taskId } = await client.call("watch-pane", { paneId, triggers: "bell", timeout: 3600 });
    const result = {
      ...{ paneId, event: "exit", detail: "Exited", elapsed: 1, output: "", totalLines: 0, totalBytes: 0 },
      handedOver: [{ inputKind: "line", prompt: "Name?", seconds: 1, outcome: "timeout" }],
      hint: "Attach to answer it",
    };
    return {
      taskId,
      // The server was killed between this record and the task's.
      meanwhile: () =>
        changeRecord(world, {
          named: /^w\d+\.json$/,
          is: ({ paneIds }) => paneIds.includes(paneId),
          change: (record) => ({ ...record, ended: Date.now(), result }),
        }),
      later: async (later) => assertEquals(await resultOf(later, taskId), result),
    };
  },
  "a task that is cancelled in a later server stays cancelled": async (client, world) => {
    const paneId = await paneOf(world, "cat");
    const { taskId } = await client.call("wait-for-text", { paneId, pattern: "never", timeout: 3600 });
    return {
      taskId,
      async later(later) {
        assertEquals((await later.ask("tasks/cancel", { taskId })).result?.resultType, "complete");
        assertEquals((await later.get(taskId)).status, "cancelled");
      },
      last: async (last) => assertEquals((await last.get(taskId)).status, "cancelled"),
    };
  },
  "a call in a shell that is still starting becomes a task once another server can continue it": async (
    client,
    world,
  ) => {
    const rc = `${world.folder}/slow.bashrc`;
    await Deno.writeTextFile(rc, "read -rt 2 < <(sleep 60)\nPS1='$ '\n");
    const paneId = await paneOf(world, `bash --rcfile ${rc}`);
    const run = { paneId, command: "read -r word; echo now $word", onInput: "wait", timeout: 3600 };
    const { taskId } = await client.call("execute-command", run);
    return {
      taskId,
      async later(later) {
        assertEquals((await later.get(taskId)).status, "working");
        await typed(world, paneId, "ready");
        assertEquals((await resultOf(later, taskId)).output, "ready\nnow ready");
      },
    };
  },
  "a started program's task continues and names what it began": startedProgram,
  "a resumed task asks for a person, and is heard of by those who listen": async (client, world) => {
    const paneId = await paneOf(world, "bash --norc");
    const forms = envelope({ extensions: { [TASKS]: {} }, elicitation: { form: {} } });
    const asks = `${world.folder}/asks`;
    const command =
      `until [ -e ${asks} ]; do sleep 0.1; done; printf 'Name? '; read -r word; echo hello $word`;
    const run = { paneId, command, onInput: "person", timeout: 3600 };
    const { taskId } = await client.call("execute-command", run);
    const keys = new Set<string>();
    const asked = async ({ raw }: TaskClient): Promise<void> => {
      const asking = await new TaskClient(raw, forms).until(taskId, ({ status }) => status !== "working");
      assertEquals(asking.status, "input_required");
      const [[key, request]] = Object.entries(asking.inputRequests) as [[string, { method: string }]];
      assertEquals(request.method, "elicitation/create");
      assert(!keys.has(key), "a client that has answered this key ignores it");
      keys.add(key);
    };
    return {
      taskId,
      meanwhile: () => Deno.writeTextFile(asks, ""),
      later: asked,
      async last({ raw }) {
        await asked(new TaskClient(raw));
        await listen(raw, taskId);
        await typed(world, paneId, "you");
        let message = await raw.next();
        while (message.params?.status !== "completed") message = await raw.next();
        assertMatch(message.params.result.structuredContent.output, /hello you/);
      },
    };
  },
});

testGoingOn("tasks whose server was killed, without attaching", {
  "a started program's task continues and names what it began": startedProgram,
}, ["--attach=false"]);

test("a task whose client has hung up goes on in the next server", async () => {
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

test("a watch's task continues after its machine has slept past the deadline", async () => {
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

test("a task has not failed because tmux does not answer", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const text = { paneId, pattern: "needle", timeout: 3600 };
  const taskId = await taskOfDead(world, (client) => client.call("wait-for-text", text));
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  await using raw = new RawClient(world);
  const later = new TaskClient(raw);
  await using limited = new RawClient(world, ["--allowed-sessions", "0"]);
  Deno.kill(pid, "SIGSTOP");
  try {
    const [state, { error }] = await Promise.all([
      later.get(taskId),
      new TaskClient(limited).ask("tasks/get", { taskId }),
    ]);
    assertEquals(state.status, "working");
    assertMatch(error!.message, /does not answer/);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  await typed(world, paneId, "needle");
  assertEquals((await resultOf(later, taskId)).outcome, "matched");
});

test("a task goes on in no other tmux server, whose panes have the same ids", async () => {
  await using world = await World.create();
  const paneId = await paneOf(world, "cat");
  const shell = await paneOf(world, "bash --norc");
  const text = { paneId, pattern: "needle", timeout: 3600 };
  const run = { paneId: shell, command: "sleep 1000", timeout: 3600 };
  const watch = { paneId, triggers: "pattern:^needle", timeout: 3600 };
  let [waits, runs] = ["", ""];
  const watches = await taskOfDead(world, async (client) => {
    waits = (await client.call("wait-for-text", text)).taskId;
    runs = (await client.call("execute-command", run)).taskId;
    return client.call("watch-pane", watch);
  });
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

test("a listener hears the end of a task whose other process lives, and of one whose other process is killed", async () => {
  await using world = await World.create();
  const panes = [await paneOf(world, "cat"), await paneOf(world, "cat")];
  await using first = new RawClient(world);
  const client = new TaskClient(first);
  const taskIds: string[] = [];
  for (const paneId of panes) {
    const watch = { paneId, triggers: "pattern:^over", timeout: 3600 };
    taskIds.push((await client.call("watch-pane", watch)).taskId);
  }
  await using raw = new RawClient(world);
  await listen(raw, ...taskIds);
  for (const _ of taskIds) assertEquals((await raw.next()).params.status, "working");
  for (const [at, paneId] of panes.entries()) {
    if (at === 1) first.child.kill("SIGKILL");
    await typed(world, paneId, "over");
    const isEnd = ({ params }: RawMessage) => params?.taskId === taskIds[at] && params.status === "completed";
    let message = await raw.next();
    while (!isEnd(message)) message = await raw.next();
    assertEquals(message.params.result.structuredContent.event, "pattern:^over");
  }
});

test("of two servers one continues a task, and every later one has its result", async () => {
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
  assertEquals(done.status, "completed");
  const { events } = done.result.structuredContent;
  assertEquals(events.map(({ event }: { event: string }) => event), ["pattern:^needle"]);
  first.child.kill("SIGKILL");
  await first.child.status;
  await using third = new RawClient(world);
  for (const later of [other, new TaskClient(third)]) {
    assertEquals((await later.get(taskId)).result, done.result);
  }
});

test("a server tells nothing of tasks whose panes are out of its scope", async (t) => {
  await using world = await World.create();
  const hidden = await paneOf(world, "cat");
  await world.tmux("new-session", "-d", "-s", "open", "cat");
  const paneId = (await world.tmux("list-panes", "-t", "open", "-F", "#{pane_id}")).trim();
  const watch = { paneId: hidden, timeout: 3600 };
  let [running, over] = ["", ""];
  const shown = await taskOfDead(world, async (client) => {
    running = (await client.call("watch-pane", { ...watch, triggers: "pattern:^never" })).taskId;
    over = (await client.call("watch-pane", { ...watch, triggers: "pattern:^secret" })).taskId;
    await typed(world, hidden, "secret word");
    await client.until(over, ({ status }) => status === "completed");
    return client.call("watch-pane", { paneId, triggers: "pattern:^shown", timeout: 3600 });
  });
  await typed(world, paneId, "shown");
  await using raw = new RawClient(world, ["--allowed-sessions", "open"]);
  const limited = new TaskClient(raw);
  for (const [what, taskId] of Object.entries({ "continues": running, "is over": over })) {
    await t.step(`one that ${what}`, async () => {
      for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
        const { error } = await limited.ask(method, { taskId });
        assertEquals(error?.code, -32602, method);
        assertMatch(error!.message, /Unknown task .*\. list-commands and watch-events show what runs/);
      }
      const notifications = { taskIds: [taskId] };
      await raw.send({
        id: `l ${what}`,
        method: "subscriptions/listen",
        params: { notifications, _meta: TAKES_TASKS },
      });
      assertEquals((await raw.next()).params.notifications, {});
    });
  }
  await t.step("one in scope continues", async () => {
    assertEquals((await resultOf(limited, shown)).event, "pattern:^shown");
  });
});

test("the settings of a server hold for the tasks of others", async (t) => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  const open = new TaskClient(raw);
  const cat = await paneOf(world, "cat");
  const { taskId: watch } = await open.call("watch-pane", {
    ...{ paneId: cat, triggers: "pattern:^over", timeout: 3600 },
  });
  const paneId = await paneOf(world, "bash --norc");
  const command = "echo hush$((40+2)); read -r word";
  const { taskId: run } = await open.call("execute-command", {
    ...{ paneId, command, onInput: "wait", timeout: 3600 },
  });
  await typed(world, cat, "over");
  await typed(world, paneId, "go");
  await open.until(watch, ({ status }) => status === "completed");
  const { result } = await open.until(run, ({ status }) => status === "completed");
  assertEquals(result.structuredContent.output, "hush42\ngo");
  await using closed = new RawClient(world, ["--tools", "deny:watch-pane"]);
  await using silent = new RawClient(world, ["--tools", "deny:wait-for-text", "--allow-capture=false"]);
  await t.step("where they remove a tool, no result of it is shown", async () => {
    const { error } = await new TaskClient(closed).ask("tasks/get", { taskId: watch });
    assertEquals(error?.code, -32602);
    assertEquals((await new TaskClient(silent).get(watch)).status, "completed");
  });
  await t.step("allow_capture = false: a task shows none of its output", async () => {
    const state = await new TaskClient(silent).get(run);
    const { output, exitCode } = state.result.structuredContent;
    assertEquals([state.status, output, exitCode], ["completed", undefined, 0]);
    assertEquals(JSON.parse(state.result.content[0].text), state.result.structuredContent);
    await listen(silent, run);
    const heard = await silent.next();
    assertEquals(heard.params.taskId, run);
    assertEquals(JSON.stringify([state, heard]).includes("hush42"), false);
  });
});
