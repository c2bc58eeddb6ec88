// Pastes into live panes only: for a dead one, tmux 3.3a writes to its closed terminal and ends.
import type { Command } from "../../tmux_exec/exec.ts";
import { ifTrue } from "../conditions.ts";

export interface Paste {
  paneId: string;
  buffer: string;
  /** Flags of `paste-buffer`. */
  flags: readonly string[];
  /** The buffer belongs to this call, and is deleted even if nothing could be pasted. */
  once?: boolean;
}

/** Returns the command that pastes a buffer unless the pane's program has ended; tmux checks and acts in one step. */
export function pasteCommand({ paneId, buffer, flags, once = false }: Paste): Command {
  return ifTrue(paneId, "#{?pane_dead,0,1}", {
    then: [["paste-buffer", ...flags, ...(once ? ["-d"] : []), "-b", buffer, "-t", paneId]],
    otherwise: once ? [["delete-buffer", "-b", buffer]] : [],
  });
}

export function newBufferName(): string {
  return `tmux-mcp-${crypto.randomUUID()}`;
}
