// Pastes into live panes only: for a dead one, tmux 3.3a writes to its closed terminal and ends.
import type { Command } from "../../tmux_exec/exec.ts";
import { ifTrue } from "../conditions.ts";

export interface Paste {
  paneId: string;
  buffer: string;
  /** Flags of `paste-buffer`. */
  flags: readonly string[];
}

/** Returns the command that pastes a buffer unless the pane's program has ended; tmux checks and acts in one step. */
export function pasteCommand({ paneId, buffer, flags }: Paste): Command {
  return ifTrue(paneId, "#{?pane_dead,0,1}", {
    then: [["paste-buffer", ...flags, "-b", buffer, "-t", paneId]],
  });
}

/**
 * Returns commands that paste a buffer of this call, and delete it even if nothing could be pasted. They fail if the
 * pane has closed.
 */
export function pasteOnce({ paneId, buffer, flags }: Paste): Command[] {
  // If the pane has closed, the format is that of another one, or of one that is in no session any more.
  const isAlive = `#{?pane_dead,0,#{&&:#{session_id},#{==:#{pane_id},${paneId}}}}`;
  const paste = ifTrue(paneId, isAlive, {
    then: [["paste-buffer", ...flags, "-d", "-b", buffer, "-t", paneId]],
    otherwise: [["delete-buffer", "-b", buffer]],
  });
  return [paste, ["has-session", "-t", paneId]];
}

export function newBufferName(): string {
  return `tmux-mcp-${crypto.randomUUID()}`;
}
