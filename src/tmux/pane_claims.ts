// User options that claim a pane for a service or a place in a workspace: one of several callers gets it.
import type { Command } from "./exec.ts";
import type { TmuxGateway } from "./gateway.ts";
import { spellBatch, spellCommand } from "./spelling.ts";

/** The user option of a pane that names the service it runs. */
export const SERVICE_OPTION = "@tmux_mcp_service";
/** The user option with the options it was started with, as JSON. */
export const SERVICE_START_OPTION = "@tmux_mcp_service_start";
/** The user option of a pane that says which pane of a workspace it is. */
export const WORKSPACE_OPTION = "@tmux_mcp_workspace";

const TAKEN = "taken";

/**
 * Marks a pane unless another has been: `taken` is a format that is true if so. tmux checks and marks in one step, so
 * one of two calls that claim the same is refused. Returns true if the pane is marked.
 */
export async function claimPane(
  tmux: TmuxGateway,
  paneId: string,
  { taken, marks }: { taken: string; marks: readonly Command[] },
): Promise<boolean> {
  const refuse = spellCommand(["display-message", "-p", TAKEN]);
  const printed = await tmux.run([
    ["has-session", "-t", paneId],
    ["if-shell", "-F", "-t", paneId, taken, refuse, spellBatch(marks)],
  ]);
  return printed.trim() !== TAKEN;
}
