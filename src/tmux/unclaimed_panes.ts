// Panes that were created for a service and are not the service's yet, and the stamp by which a later process finds those
// that a killed one has left.
import { int } from "./columns.ts";
import { ifTrue } from "./conditions.ts";
import { equals } from "./row_codec.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { TmuxGateway } from "./gateway.ts";

/** Option of such a pane: the process that has created it. */
const CREATOR = "@tmux_mcp_creator";
const PANE = {
  paneId: "#{pane_id}",
  panePid: int("#{pane_pid}"),
  tty: "#{pane_tty}",
  stamp: `#{${CREATOR}}`,
};

/** Returns the command that marks a new pane, for the batch that creates it. */
export function markUnclaimed(target: string, processStamp: string): Command {
  return ["set-option", "-p", "-t", target, CREATOR, processStamp];
}

export function unmarkClaimed(paneId: string): Command {
  return ["set-option", "-pqu", "-t", paneId, CREATOR];
}

/** Ends the panes in scope that killed processes have left, unless somebody runs a program there. */
export async function endUnclaimed(
  tmux: TmuxGateway,
  { isDead, visible }: {
    isDead(stamp: string): boolean;
    visible(): Promise<ReadonlySet<string> | undefined>;
  },
): Promise<void> {
  const panes = await tmux.rows.list(PANE, ["list-panes", "-a"]);
  const left = panes.filter(({ stamp }) => stamp !== "" && isDead(stamp));
  const inScope = left.length === 0 ? undefined : await visible();
  for (const { paneId, stamp, ...pane } of left) {
    if (inScope?.has(paneId) === false) continue;
    const { foregroundPid } = await tmux.machine.inspector.inspect(pane);
    if (foregroundPid !== pane.panePid) continue;
    const isLeft = equals(PANE.stamp, stamp);
    await tmux.run([ifTrue(paneId, isLeft, { then: [["kill-pane", "-t", paneId]] })]);
  }
}
