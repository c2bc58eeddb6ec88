// Keeps typed text out of panes in a mode (copy, tree, clock), where each key runs what it is bound to.
import { AppError } from "../errors.ts";
import type { Command } from "../tmux_exec/exec.ts";

const REFUSAL = "pane-in-mode";
const UNSEEN = "unseen-view";
const IS_VIEW = "#{==:#{pane_mode},view-mode}";
const IS_UNSEEN = "#{==:#{m:*/dev/*,#{window_active_clients_list}},0}";

/**
 * Format that is `0` for a pane that is in no mode, or only shows what a command printed while no terminal shows its
 * window. tmux 3.3 and 3.4 show there what the user's hooks print, in whichever pane was used last.
 */
export const IN_MODE = `#{?#{&&:${IS_VIEW},${IS_UNSEEN}},0,#{pane_in_mode}}`;

/**
 * Runs a batch that types into a pane. Its first command is one that fails if the pane is in a mode and otherwise
 * changes nothing: it unsets an option that is never set, or one whose name tmux refuses. In the same batch as the keys,
 * it leaves a person no time to begin to scroll. A view that nobody sees is left first.
 */
export async function typeInNoMode<T>(
  paneId: string,
  type: (...before: Command[]) => Promise<T>,
): Promise<T> {
  const name = `#{?${IN_MODE},${REFUSAL} ${paneId},#{?pane_in_mode,${UNSEEN} ${paneId},@tmux_mcp_none}}`;
  const check = ["set-option", "-pu", "-t", paneId, name];
  try {
    return await type(check);
  } catch (error) {
    if (!isUnseen(error)) throw error;
  }
  try {
    return await type(["copy-mode", "-q", "-t", paneId], check);
  } catch (error) {
    throw isUnseen(error) ? inMode(paneId) : error;
  }
}

function isUnseen(error: unknown): boolean {
  return error instanceof Error && error.message.includes(UNSEEN);
}

/** Returns the error for a message of tmux that `typeInNoMode` caused; undefined for any other message. */
export function findModeFailure(message: string): AppError | undefined {
  const paneId = new RegExp(`${REFUSAL} (%\\d+)`).exec(message)?.[1];
  return paneId === undefined ? undefined : inMode(paneId);
}

function inMode(paneId: string): AppError {
  return new AppError(
    "busy",
    `Cannot type into pane "${paneId}": it is in copy mode, which takes the keys until q is pressed there`,
    { hint: "Leave it with exit-copy-mode" },
  );
}
