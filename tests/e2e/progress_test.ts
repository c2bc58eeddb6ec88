// Calls that wait report progress, for clients that give up a silent call after a minute.
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { ElicitRequestSchema } from "../support/sdk.ts";
import { onOneServer, type Served } from "../support/one_server.ts";
import { envelope, RawClient } from "../support/raw_client.ts";
import { TASKS } from "../support/task_client.ts";
import { World } from "../support/world.ts";

/** A client whose form nobody closes. */
const test = onOneServer("progress of waits", (world) =>
  world.serve({}, {
    capabilities: { elicitation: {} },
    prepare(client) {
      client.setRequestHandler(ElicitRequestSchema, (_request, { signal }) => {
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener("abort", () => reject(signal.reason));
        return promise;
      });
    },
  }));

interface Update {
  total?: number | undefined;
  message?: string | undefined;
}

/** First progress of a call, which is cancelled then. */
async function firstProgress(
  { client }: Served,
  name: string,
  args: Record<string, unknown>,
): Promise<Update> {
  const first = Promise.withResolvers<Update>();
  const controller = new AbortController();
  const options = { onprogress: first.resolve, signal: controller.signal };
  const call = client.call(name, args, options).then(
    ({ content }) => first.reject(new Error(`${name} reported nothing: ${content[0]?.text}`)),
    () => {},
  );
  const update = await first.promise;
  controller.abort();
  await call;
  return update;
}

const timeout = 10;
const workspace = {
  "session_name": "work",
  windows: [{ panes: [{ shell_command: "sleep 60", ready: { pattern: "never" } }] }],
};
const WAITS: [name: string, args: Record<string, unknown>, says: RegExp][] = [
  ["watch-events", { waitSeconds: timeout }, /^\[\+\d+\.\ds\] \d+ watches running, no new event$/],
  ["wait-for-channel", { channel: "never", timeout }, /^\[\+\d+\.\ds\] no signal on channel never yet$/],
  ["apply-workspace", { workspace, timeout }, /^\[\+\d+\.\ds\] .* of work, or waiting until it is ready$/],
];

for (const [name, args, says] of WAITS) {
  test(`${name} says each second that it waits`, async (served) => {
    const { total, message } = await firstProgress(served, name, args);
    assertEquals(total, timeout);
    assertMatch(message!, says);
  });
}

test("run-in-repl and ask-person say each second that they wait, and for which pane", async (served) => {
  const { client } = served;
  const { paneId } = await client.ok("create-session", { command: "cat; read -s word" });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
  const repl = { paneId, input: "a\n", promptPattern: "never", timeout };
  assertMatch((await firstProgress(served, "run-in-repl", repl)).message!, /^\[%\d+ \+.*\] no prompt yet$/);
  const asked = { paneId, message: "Answer", timeout };
  const { total, message } = await firstProgress(served, "ask-person", asked);
  assertEquals(total, timeout);
  assertMatch(message!, /^\[%\d+ \+.*\] nobody has answered yet$/);
});

test("wait-for-content-change reports one total, and a call within call-tools none", async (served) => {
  const { paneId } = await served.client.ok("create-session", { command: "cat" });
  const args = { paneId, timeout };
  const { total, message } = await firstProgress(served, "wait-for-content-change", args);
  assertEquals(total, timeout);
  assertMatch(message!, /nothing changed$/);
  const calls = [{ tool: "wait-for-content-change", arguments: args }];
  const nested = await firstProgress(served, "call-tools", { calls });
  assertEquals([nested.total, nested.message?.endsWith("nothing changed")], [undefined, true]);
  assert(nested.message!.startsWith(`[${paneId} +`), nested.message);
});

/** Begins once a line is typed, so that a watch is there before, however slow the machine is. */
const PRINTING = "read go; i=0; while [ $i -lt 12 ]; do i=$((i+1)); echo step $i; sleep 0.25; done; exec cat";
const CLIENTS: [name: string, meta: Record<string, unknown>][] = [
  ["that initialized, with a token", { progressToken: "mine" }],
  ["with forms, without a token", envelope({ elicitation: { form: {} } })],
  ["with tasks, without a token", envelope({ extensions: { [TASKS]: {} } })],
];

Deno.test("a background watch reports no progress", async (t) => {
  await using world = await World.create();
  await using raw = new RawClient(world, ["--tasks-after-seconds", "60"]);
  await raw.initialize();
  let id = 1;
  const call = async (name: string, args: Record<string, unknown>, meta = {}) => {
    await raw.send({ id: ++id, method: "tools/call", params: { name, arguments: args, _meta: meta } });
    for (;;) {
      const message = await raw.next();
      assertNotEquals(message.method, "notifications/progress", JSON.stringify(message));
      if (message.id === id) return message.result.structuredContent;
    }
  };
  for (const [name, meta] of CLIENTS) {
    await t.step(`to a client ${name}`, async () => {
      const { paneId } = await call("create-session", { command: PRINTING });
      const args = { paneId, triggers: "pattern:step 12", mode: "line", background: true };
      const { watchId, cursor } = await call("watch-pane", args, meta);
      await call("send-enter", { paneId });
      const { events } = await call("watch-events", { cursor, waitSeconds: 20 });
      assertEquals(events[0]?.watchId, watchId);
    });
  }
});

const FORMS = { elicitation: { form: {} } };

Deno.test("a call that was cancelled reports no progress while it ends", async (t) => {
  await using world = await World.create();
  await using raw = new RawClient(world);
  const made = { name: "create-session", arguments: { command: "read -r line; cat" } };
  const { paneId } = (await raw.modern(1, "tools/call", made)).result.structuredContent;
  const ask = { name: "ask-person", arguments: { paneId, message: "Answer", timeout: 60 } };
  const pid = Number(await world.tmux("display-message", "-p", "#{pid}"));
  const cancels: Record<string, () => Promise<Record<string, unknown>>> = {
    "the second request of a call with a form": async () => {
      const meta = envelope(FORMS);
      const { inputRequests, requestState } = (await raw.modern(2, "tools/call", ask, meta)).result;
      const inputResponses = { [Object.keys(inputRequests)[0]!]: { action: "accept" } };
      const again = { ...ask, inputResponses, requestState, _meta: { ...meta, progressToken: "mine" } };
      await raw.send({ id: 3, method: "tools/call", params: again });
      assertEquals((await raw.next()).params.progressToken, "mine");
      return { method: "notifications/cancelled", params: { requestId: 3 } };
    },
    "a task": async () => {
      const meta = envelope({ ...FORMS, extensions: { [TASKS]: {} } });
      const { taskId } = (await raw.modern(4, "tools/call", ask, meta)).result;
      return { id: 5, method: "tasks/cancel", params: { taskId, _meta: meta } };
    },
  };
  for (const [what, begin] of Object.entries(cancels)) {
    await t.step(what, async () => {
      const cancel = await begin();
      // The notice in the pane's session can't be removed meanwhile, which the call waits for.
      Deno.kill(pid, "SIGSTOP");
      try {
        await raw.send(cancel);
        await raw.send({ id: 6, method: "tools/call", params: { name: "list-sessions", _meta: envelope() } });
        for (let message = await raw.next(); message.id !== 6; message = await raw.next()) {
          // Before it is cancelled, a call may report once more.
          const isKnown = message.id === 5 || message.params?.progressToken === "mine";
          assert(isKnown, JSON.stringify(message));
        }
      } finally {
        Deno.kill(pid, "SIGCONT");
      }
    });
  }
});
