// A pane in a mode (copy, tree, clock) runs what its keys are bound to: typed text would do anything but arrive.
import { AppError } from "../errors.ts";
import type { Command } from "./exec.ts";

const REFUSAL = "pane-in-mode";

/**
 * Fails where the pane is in a mode, and does nothing else: it unsets an option that nobody sets, or one whose name
 * tmux refuses. Put before keys, it leaves a person no time to begin to scroll.
 */
export function inNoMode(paneId: string): Command {
  return ["set-option", "-pu", "-t", paneId, `#{?pane_in_mode,${REFUSAL} ${paneId},@tmux_mcp_none}`];
}

/** Error for this message of tmux, caused by `inNoMode`. */
export function findModeFailure(said: string): AppError | undefined {
  const paneId = new RegExp(`${REFUSAL} (%\\d+)`).exec(said)?.[1];
  return paneId === undefined ? undefined : new AppError(
    "busy",
    `Cannot type into pane "${paneId}": it is in copy mode, which takes the keys until q is pressed there`,
    { hint: "Leave it with exit-copy-mode" },
  );
}
