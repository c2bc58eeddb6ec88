// User options that claim a pane for a service or a place in a workspace; only one of several callers gets it.
import type { Command } from "../tmux_exec/exec.ts";
import { ifTrue } from "./conditions.ts";
import type { TmuxGateway } from "./gateway.ts";

/** User option of a pane: name of the service that it runs. */
export const SERVICE_OPTION = "@tmux_mcp_service";
/** User option of a pane: options that the service was started with, as JSON. */
export const SERVICE_START_OPTION = "@tmux_mcp_service_start";
/** User option of a pane: its place in a workspace. */
export const WORKSPACE_OPTION = "@tmux_mcp_workspace";

const TAKEN = "taken";

/**
 * Sets options of a pane unless another one has them already; `taken` is a format that is true in that case. tmux checks
 * and sets in one step, so of two calls that claim the same thing one is refused. Returns true if the options are set.
 */
export async function claimPane(
  tmux: TmuxGateway,
  paneId: string,
  { taken, options }: { taken: string; options: readonly Command[] },
): Promise<boolean> {
  const printed = await tmux.run([
    ["has-session", "-t", paneId],
    ifTrue(paneId, taken, { then: [["display-message", "-p", TAKEN]], otherwise: options }),
  ]);
  // Hooks of the user may print after it.
  return printed.split("\n")[0] !== TAKEN;
}
