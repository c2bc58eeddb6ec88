// Finding the pane this program runs in.
import { assertEquals } from "@std/assert";
import { findCaller, type PaneIdentity } from "../../src/tmux/caller.ts";

const SERVER_PID = 9;
const PANES: PaneIdentity[] = [1, 2].map((n) => ({
  id: `%${n}`,
  pid: n * 100,
  tty: `/dev/pts/${n}`,
  dead: false,
  serverPid: SERVER_PID,
}));
const OUTSIDE = { ancestorPids: new Set([300]) };
const INSIDE = { ...OUTSIDE, tmux: `/tmp/tmux-0/default,${SERVER_PID},0` };

Deno.test("the pane whose process is above ours, or whose terminal is ours", () => {
  const below = { ancestorPids: new Set([300, 200, 1]) };
  assertEquals(findCaller(below, PANES, SERVER_PID), { kind: "pane", paneId: "%2" });
  const onTerminal = { ...OUTSIDE, tty: "/dev/pts/1" };
  assertEquals(findCaller(onTerminal, PANES, SERVER_PID), { kind: "pane", paneId: "%1" });
  const dead = PANES.map((pane) => ({ ...pane, dead: true }));
  assertEquals(findCaller(onTerminal, dead, SERVER_PID), { kind: "outside" });
});

Deno.test("what TMUX says where the processes do not tell", () => {
  assertEquals(findCaller({ ...INSIDE, tmuxPane: "%1" }, PANES, SERVER_PID), { kind: "pane", paneId: "%1" });
  assertEquals(findCaller({ ...INSIDE, tmuxPane: "%7" }, PANES, SERVER_PID), { kind: "unknown" });
  assertEquals(findCaller(INSIDE, PANES, SERVER_PID), { kind: "unknown" });
});

Deno.test("no ancestor and no TMUX is not inside; another server is not this one; knowing nothing is unknown", () => {
  assertEquals(findCaller(OUTSIDE, PANES, SERVER_PID), { kind: "outside" });
  assertEquals(findCaller({ ...OUTSIDE, tmux: "" }, PANES, SERVER_PID), { kind: "outside" });
  assertEquals(findCaller({ ...OUTSIDE, tmux: "/tmp/other,8,0", tmuxPane: "%1" }, PANES, SERVER_PID), {
    kind: "outside",
  });
  assertEquals(findCaller(undefined, PANES, SERVER_PID), { kind: "unknown" });
});
