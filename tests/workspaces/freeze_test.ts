// A session is frozen as it is once the programs of its panes have begun.
import { assertEquals } from "@std/assert";
import type { Tmux } from "../../src/tmux/tmux.ts";
import type { Watches } from "../../src/watch/watches.ts";
import { freeze } from "../../src/workspaces/freeze.ts";

Deno.test("a pane whose program is only just beginning has its folder", async () => {
  let hasBegun = false;
  const pane = { id: "%1", windowId: "@1", active: true, currentCommand: "tmux" };
  const tmux = {
    sessions: { info: () => Promise.resolve({ id: "$1", name: "young" }) },
    windows: { list: () => Promise.resolve([{ id: "@1", name: "w", index: 0, layout: "l", active: true }]) },
    panes: { list: () => Promise.resolve([{ ...pane, currentPath: hasBegun ? "/tmp" : "" }]) },
  } as unknown as Tmux;
  const watches = {
    state() {
      hasBegun = true;
      return Promise.resolve({ isAlive: true, shell: "bash", foregroundPid: 1, panePid: 1 });
    },
  } as unknown as Watches;
  const { windows: [window] } = await freeze("$1", { tmux, watches, inScope: undefined });
  assertEquals(window?.start_directory, "/tmp");
});
