// Keeps typed text out of panes in a mode (copy, tree, clock), where each key runs what it is bound to.
import { AppError } from "../errors.ts";
import type { Command } from "./exec.ts";

const REFUSAL = "pane-in-mode";

/**
 * Returns a command that fails if the pane is in a mode and otherwise changes nothing: it unsets an option that is
 * never set, or one whose name tmux refuses. In the same batch as the keys, it leaves a person no time to begin to
 * scroll.
 */
export function inNoMode(paneId: string): Command {
  return ["set-option", "-pu", "-t", paneId, `#{?pane_in_mode,${REFUSAL} ${paneId},@tmux_mcp_none}`];
}

/** Returns the error for a message of tmux that `inNoMode` caused; undefined for any other message. */
export function findModeFailure(message: string): AppError | undefined {
  const paneId = new RegExp(`${REFUSAL} (%\\d+)`).exec(message)?.[1];
  return paneId === undefined ? undefined : new AppError(
    "busy",
    `Cannot type into pane "${paneId}": it is in copy mode, which takes the keys until q is pressed there`,
    { hint: "Leave it with exit-copy-mode" },
  );
}
