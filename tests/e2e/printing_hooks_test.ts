// Hooks of the user's that print: what they print is in no answer.
import { assertEquals } from "@std/assert";
import { World } from "../support/world.ts";

/** Behind these tmux prints what a pane shows or an option is, with no row around it. */
const BARE = /^after-(capture-pane|display-message|save-buffer|show-.*)$/;

Deno.test("what hooks print gets into no answer", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { sessionId, windowId, paneId } = await client.ok("create-session", { name: "before" });
  const listed = (await world.tmux("show-hooks", "-g")).split("\n").map((line) => line.split(/[ [*]/)[0]!);
  const hooks = listed.filter((name) => name.startsWith("after-") && !BARE.test(name));
  for (const hook of hooks) await world.tmux("set-hook", "-g", hook, "display-message -p PRINTED");
  const calls: [string, Record<string, unknown>][] = [
    ["create-session", { name: "new" }],
    ["create-session", { command: "cat" }],
    ["create-window", { sessionId, name: "new" }],
    ["split-pane", { paneId }],
    ["list-sessions", {}],
    ["list-windows", {}],
    ["list-panes", {}],
    ["list-clients", {}],
    ["get-session-info", { sessionId }],
    ["get-window-info", { windowId }],
    ["get-pane-info", { paneId }],
    ["rename-session", { sessionId, newName: "after" }],
    ["rename-window", { windowId, newName: "after" }],
    ["rename-pane", { paneId, title: "after" }],
    ["select-layout", { windowId, layout: "tiled" }],
    ["select-window", { windowId }],
    ["select-pane", { paneId }],
    ["resize-window", { windowId, width: 90, height: 30 }],
    ["resize-pane", { paneId, height: 10 }],
    ["zoom-pane", { paneId }],
    ["set-buffer", { name: "b", content: "text" }],
    ["append-buffer", { name: "b", content: "more" }],
    ["list-buffers", {}],
    ["show-buffer", { name: "b" }],
    ["rename-buffer", { from: "b", to: "c" }],
    ["paste-buffer", { paneId, name: "c" }],
    ["delete-buffer", { name: "c" }],
    ["send-keys", { paneId, keys: "C-u", literal: false }],
    ["enter-copy-mode", { paneId }],
    ["exit-copy-mode", { paneId }],
    ["set-option", { option: "@mine", value: "x", global: true }],
    ["show-option", { option: "@mine", global: true }],
    ["pane-state", { paneId }],
    ["capture-pane", { paneId }],
    ["capture-since", { paneId }],
    ["snapshot-pane", { paneId }],
    ["execute-command", { paneId, command: "echo done" }],
    ["start-and-watch", { command: "echo ready" }],
    ["break-pane", { paneId }],
    ["get-server-info", {}],
  ];
  for (const [tool, args] of calls) {
    const answer = await client.call(tool, args);
    const said = JSON.stringify(answer);
    assertEquals([tool, answer.isError ?? false, said.includes("PRINTED")], [tool, false, false], said);
  }
});
