// The pane of a new service, in a session that services share.
import { hasCode, isGone } from "../errors.ts";
import { bestEffort } from "../promises.ts";
import type { NewProgram } from "../tmux/new_program.ts";
import type { Tmux } from "../tmux/tmux.ts";

/** Name of the session in which services are started. */
const SERVICE_SESSION = "tmux-mcp-services";

/** Program of a pane whose user has a shell that commands can't be run in, such as nu or xonsh: bash, or else sh. */
export const KNOWN_SHELL = ["/bin/sh", "-c", "command -v bash >/dev/null && exec bash -l; exec sh -l"];

interface NewServicePane {
  paneId: string;
  sessionId: string;
}

/** Tries, each of which may find that the last service's end has just ended the session, or tmux with it. */
const MAX_TRIES = 3;

/**
 * Opens a window for a service in the session of that name, wherever the windows of other services have been moved.
 * Leaves nothing behind if it fails. A cancelled call gets its pane too: without the ids, nothing could be undone.
 */
export async function createServicePane(
  tmux: Tmux,
  program: NewProgram & { name: string },
): Promise<NewServicePane> {
  for (let tries = 1;; tries++) {
    try {
      return await openPane(tmux.outlivingCall(), program);
    } catch (error) {
      const hasJustEnded = isGone(error) || hasCode(error, "busy");
      if (tries === MAX_TRIES || !hasJustEnded) throw error;
    }
  }
}

async function openPane(tmux: Tmux, program: NewProgram & { name: string }): Promise<NewServicePane> {
  const { processStamp: createdBy } = tmux;
  const { sessionId, windowId, created } = await tmux.sessions.create({ name: SERVICE_SESSION, createdBy });
  // The shell that the new session began with is not needed, whether a window could be made or not.
  const endFirst = async (by: Tmux): Promise<void> => {
    if (created) await by.windows.kill(windowId);
  };
  let paneId: string | undefined;
  try {
    ({ paneId } = await tmux.windows.create(sessionId, { ...program, attach: false, createdBy }));
    await endFirst(tmux);
    return { paneId, sessionId };
  } catch (error) {
    await bestEffort(endFirst(tmux.unbound));
    if (paneId !== undefined) await bestEffort(tmux.unbound.panes.kill(paneId));
    throw error;
  }
}
