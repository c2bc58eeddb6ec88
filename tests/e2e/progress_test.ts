// Calls that wait report progress, for clients that give up a silent call after a minute.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ElicitRequestSchema } from "../support/sdk.ts";
import { onOneServer, type Served } from "../support/one_server.ts";

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
