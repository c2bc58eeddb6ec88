// Keeps typed text out of panes in a mode (copy, tree, clock), where each key runs what it is bound to.
import { type AppError, inMode } from "../../errors.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { failIf } from "../conditions.ts";

const REFUSAL = "pane-in-mode";
const UNSEEN = "unseen-view";
const IS_VIEW = "#{==:#{pane_mode},view-mode}";
const IS_UNSEEN = "#{==:#{m:*/dev/*,#{window_active_clients_list}},0}";

/**
 * Format for the mode that a pane is in, such as `copy-mode`. Empty for a pane that is in none, or only shows what a
 * command printed while no terminal shows its window: tmux 3.3 and 3.4 show there what the user's hooks print, in
 * whichever pane was used last.
 */
export const MODE = `#{?#{&&:${IS_VIEW},${IS_UNSEEN}},,#{pane_mode}}`;

/** Runs a batch that types into a pane. Its first command fails in a mode; a view that nobody sees is left first. */
export async function typeInNoMode<T>(
  paneId: string,
  type: (...before: Command[]) => Promise<T>,
): Promise<T> {
  const seen = `${REFUSAL} ${paneId} #{pane_mode}`;
  const check = failIf(paneId, [MODE, seen], ["pane_in_mode", `${UNSEEN} ${paneId}`]);
  try {
    return await type(check);
  } catch (error) {
    if (!isUnseen(error)) throw error;
  }
  try {
    return await type(["copy-mode", "-q", "-t", paneId], check);
  } catch (error) {
    throw isUnseen(error) ? inMode(`pane "${paneId}"`, "view-mode") : error;
  }
}

function isUnseen(error: unknown): boolean {
  return error instanceof Error && error.message.includes(UNSEEN);
}

/** Returns the error for a message of tmux that `typeInNoMode` caused; undefined for any other message. */
export function findModeFailure(message: string): AppError | undefined {
  const [, paneId, mode = ""] = new RegExp(`${REFUSAL} (%\\d+) ([\\w-]+)`).exec(message) ?? [];
  return paneId === undefined ? undefined : inMode(`pane "${paneId}"`, mode);
}
