// While a person answers in a pane, no call sends their keys elsewhere.
import { assertEquals, assertMatch } from "@std/assert";
import { tools } from "../../src/tools/all.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { until } from "../support/until.ts";

const ASKING = "read -rsp 'Password: ' word; echo got ${#word}";
const SECRET = "plum-tree-55";

const test = inTurnOnOneServer(
  "keys of a person who is asked",
  (world) => world.serve({ args: ["--safety", "destructive"] }),
);

test("no call sends the keys of a person who is answering to another pane", async ({ world, client }) => {
  const { paneId, sessionId, windowId } = await client.ok("create-session", {
    name: "work",
    command: "bash --norc",
  });
  const { paneId: cat } = await client.ok("split-pane", { paneId, command: "cat" });
  const { windowId: second } = await client.ok("create-window", { sessionId, command: "cat" });
  const elsewhere = await client.ok("create-session", { name: "elsewhere", command: "cat" });
  await using person = await PersonAtTerminal.attach(world, { session: "work" });
  const [{ tty }] = (await client.ok("list-clients")).clients;
  const run = client.ok("execute-command", { paneId, command: ASKING, onInput: "person", timeout: 60 });
  await person.untilAsked(/waits for a password/);

  const diverting: Record<string, Record<string, unknown>> = {
    "break-pane": { paneId },
    "clear-pane": { paneId },
    "create-window": { sessionId, attach: true },
    "detach-client": { clientTty: tty },
    "enter-copy-mode": { paneId },
    "exit-copy-mode": { paneId },
    "join-pane": { sourcePaneId: paneId, targetPaneId: elsewhere.paneId },
    "kill-pane": { paneId },
    "kill-server": {},
    "kill-session": { sessionId },
    "kill-window": { windowId },
    "move-window": { windowId, targetSessionId: "elsewhere" },
    "resize-pane": { paneId: cat, zoom: true },
    "resize-window": { windowId, width: 40 },
    "respawn-pane": { paneId, command: "cat" },
    "select-layout": { windowId, layout: "tiled" },
    "select-pane": { paneId: cat },
    "select-window": { windowId: second },
    "set-option": { option: "synchronize-panes", value: "on" },
    "set-synchronize-panes": { windowId, enabled: true },
    "swap-pane": { sourcePaneId: paneId, targetPaneId: cat },
    "zoom-pane": { paneId: cat },
  };
  const families = tools.filter(({ name, groups }) =>
    name !== "stop-service" && groups.some((group) => group === "move" || group === "kill")
  );
  assertEquals(families.map(({ name }) => name).filter((name) => !(name in diverting)), []);
  for (const [name, args] of Object.entries(diverting)) {
    const { code, text } = await client.fails(name, args);
    assertEquals([name, code], [name, "busy"]);
    assertMatch(text, /a person is answering/);
  }
  const reading = { "key-table": "prefix", prefix: "p", prefix2: "l", "lock-after-time": "1" };
  for (const [option, value] of Object.entries(reading)) {
    for (const place of [{ target: "work" }, { global: true }]) {
      const { code, text } = await client.fails("set-option", { option, value, ...place });
      assertEquals([option, code], [option, "busy"], text);
    }
    await client.ok("set-option", { option, value, target: "elsewhere" });
  }
  for (
    const workspace of [
      "{session_name: work, windows: [{window_name: new, focus: true, panes: [cat]}]}",
      "{session_name: new, global_options: {prefix: p}, windows: [{panes: [cat]}]}",
    ]
  ) assertEquals((await client.fails("apply-workspace", { workspace })).code, "busy");
  await client.ok("kill-pane", { paneId: (await client.ok("split-pane", { paneId: cat })).paneId });
  await client.ok("select-pane", { paneId: elsewhere.paneId });

  await person.type(SECRET);
  const { output, handedOver } = await run;
  assertEquals([output, handedOver[0].outcome], [`Password: got ${SECRET.length}`, "answered"]);
  assertEquals((await world.tmux("capture-pane", "-p", "-t", cat)).trim(), "");
  await client.ok("select-pane", { paneId: cat });
});

test("nobody is asked in a pane whose keys reach others", async ({ world, client }) => {
  const { paneId, windowId } = await client.ok("create-session", { name: "work", command: "bash --norc" });
  const { paneId: cat } = await client.ok("split-pane", { paneId, command: "cat" });
  await using _person = await PersonAtTerminal.attach(world, { session: "work" });
  const { commandId } = await client.ok("execute-command", { paneId, command: ASKING });
  await client.ok("set-synchronize-panes", { windowId, enabled: true });

  const asked = await client.ok("ask-person", { paneId, message: "please", timeout: 60 });
  assertEquals([asked.status, asked.handedOver], ["waiting", undefined]);
  assertMatch(asked.hint, /synchronize-panes/);
  const waited = await client.ok("get-command-result", { commandId, waitSeconds: 60, onInput: "person" });
  assertEquals([waited.status, waited.handedOver, waited.hint], ["waiting", undefined, asked.hint]);
  await client.ok("kill-pane", { paneId: cat });
});

test("nobody is answering any more once the server that asked was killed", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { name: "work", command: "cat" });
  await using person = await PersonAtTerminal.attach(world, { session: "work" });
  const asking = await world.serve();
  void asking.call("ask-person", { paneId, message: "please", timeout: 60 }).catch(() => {});
  await person.untilAsked(/waits for a line/);
  assertMatch((await client.fails("send-keys", { paneId, keys: "no" })).text, /a person is answering/);
  await asking.kill();
  await client.ok("send-keys", { paneId, keys: "yes" });
  await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).startsWith("yes"));
  // A status line of the user's can show the option.
  const waiting = ["show-options", "-qv", "-w", "-t", paneId, "@tmux_mcp_waiting"];
  await until(async () => await world.tmux(...waiting) === "");
});
