// Finding the pane this server runs in.
import { assertEquals } from "@std/assert";
import { findCaller } from "../../src/policy/own_pane.ts";

const SERVER = {
  socketPath: "/tmp/tmux-0/default",
  panes: [{ paneId: "%1", pid: 100, tty: "/dev/pts/1" }, { paneId: "%2", pid: 200, tty: "/dev/pts/2" }],
};

Deno.test("the pane whose process is above ours, or whose terminal is ours", () => {
  assertEquals(findCaller({ ancestors: new Set([300, 200, 1]) }, SERVER), { kind: "pane", paneId: "%2" });
  assertEquals(findCaller({ ancestors: new Set([300]), tty: "/dev/pts/1" }, SERVER), {
    kind: "pane",
    paneId: "%1",
  });
  const misled = { ancestors: new Set([200]), tmux: "/tmp/tmux-0/default,9,0", tmuxPane: "%1" };
  assertEquals(findCaller(misled, SERVER), { kind: "pane", paneId: "%2" });
});

Deno.test("what TMUX says where the processes do not tell", () => {
  const own = { ancestors: new Set([300]), tmux: "/tmp/tmux-0/default,9,0" };
  assertEquals(findCaller({ ...own, tmuxPane: "%1" }, SERVER), { kind: "pane", paneId: "%1" });
  assertEquals(findCaller({ ...own, tmuxPane: "%9" }, SERVER), { kind: "unknown" });
  assertEquals(findCaller(own, SERVER), { kind: "unknown" });
});

Deno.test("no ancestor and no TMUX is not inside; another server is not this one", () => {
  assertEquals(findCaller({ ancestors: new Set([300]) }, SERVER), { kind: "outside" });
  assertEquals(findCaller({ ancestors: new Set([300]), tmux: "" }, SERVER), { kind: "outside" });
  const elsewhere = { ancestors: new Set([300]), tmux: "/tmp/tmux-0/other,9,0", tmuxPane: "%1" };
  assertEquals(findCaller(elsewhere, SERVER), { kind: "outside" });
});
