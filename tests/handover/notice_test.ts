// Options of panes that were handed over, as another server finds them.
import { assertEquals } from "@std/assert";
import type { Command } from "../../src/tmux_exec/exec.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { clearAbandoned } from "../../src/handover/notice.ts";

const PAST = Math.floor(Date.now() / 1000) - 100_000;

/** Ids of the panes that are cleared, of those that these options were found on. */
async function cleared(handovers: Record<string, string>): Promise<string[]> {
  const panes = Object.entries(handovers).map(([paneId, handover]) => ({ paneId, windowId: "@1", handover }));
  const found: string[] = [];
  const tmux = {
    rows: { list: (_: unknown, [, flag]: Command) => Promise.resolve(flag === "-a" ? panes : []) },
    runEach: ([[, , , paneId = ""] = []]: Command[]) => Promise.resolve(found.push(paneId)),
  } as unknown as Tmux;
  await clearAbandoned(tmux, {
    isDead: (stamp) => stamp === "dead",
    isElsewhere: (stamp) => stamp === "elsewhere" || stamp === "",
    visible: () => Promise.resolve(undefined),
  });
  return found;
}

Deno.test("a pane that a live server has handed over stays so, though the clock says that it has lapsed", async () => {
  const handovers = {
    "%1": `${PAST} live`,
    "%2": `${PAST} elsewhere`,
    "%3": `${PAST}`,
    "%4": `${PAST} dead`,
  };
  assertEquals(await cleared(handovers), ["%2", "%3", "%4"]);
});

Deno.test("a pane whose server can't be checked stays handed over until that lapses", async () => {
  const later = Math.ceil(Date.now() / 1000) + 1000;
  assertEquals(await cleared({ "%1": `${later} elsewhere`, "%2": `${later} dead`, "%3": "" }), ["%2"]);
});
