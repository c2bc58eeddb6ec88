// Commands that tmux runs on a condition, which it checks in the step that acts.
import type { Command } from "../tmux_exec/exec.ts";
import { quoteBatch } from "./quoting.ts";

/** Returns a command that runs other commands if a format is true of a target, or else those of `otherwise`. */
export function ifTrue(
  target: string,
  format: string,
  { then, otherwise = [] }: { then: readonly Command[]; otherwise?: readonly Command[] },
): Command {
  const branches = otherwise.length === 0 ? [then] : [then, otherwise];
  return ["if-shell", "-F", "-t", target, format, ...branches.map(quoteBatch)];
}

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
