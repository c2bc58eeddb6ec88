// The command that fails on a condition, which keeps the rest of its batch from running.
import type { Command } from "../tmux_exec/exec.ts";

/** Name of an option that is never set. */
export const NO_OPTION = "@tmux_mcp_none";

/**
 * Returns a command that fails with the second format of the first pair whose first is true of a pane. Otherwise it
 * changes nothing: it unsets an option that is never set, instead of one whose name tmux refuses. In the same batch
 * as the commands that act, it leaves nobody the time to change the pane between.
 */
export function failIf(paneId: string, ...pairs: readonly [condition: string, message: string][]): Command {
  const name = pairs.reduceRight(
    (rest, [condition, message]) => `#{?${condition},${message},${rest}}`,
    NO_OPTION,
  );
  return ["set-option", "-pu", "-t", paneId, name];
}
