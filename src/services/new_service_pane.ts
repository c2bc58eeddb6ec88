// The pane of a new service, in a session that services share.
import { bestEffort } from "../promises.ts";
import type { NewProgram } from "../tmux/new_program.ts";
import type { Tmux } from "../tmux/tmux.ts";

/** Name of the session in which services are started. */
const SERVICE_SESSION = "tmux-mcp-services";

/**
 * Opens a window for a service in the session of that name, wherever the windows of other services have been moved.
 * Leaves nothing behind if it fails.
 */
export async function createServicePane(
  tmux: Tmux,
  program: NewProgram & { name: string },
): Promise<{ paneId: string; sessionId: string }> {
  const { sessionId, windowId, created } = await tmux.sessions.create({ name: SERVICE_SESSION });
  // The shell that the new session began with is not needed, whether a window could be made or not.
  const endFirst = async (): Promise<void> => {
    if (created) await tmux.windows.kill(windowId);
  };
  try {
    const { paneId } = await tmux.windows.create(sessionId, { ...program, attach: false });
    await endFirst();
    return { paneId, sessionId };
  } catch (error) {
    await bestEffort(endFirst());
    throw error;
  }
}
