// Pastes into living panes only: for a dead one tmux 3.3a writes to its closed terminal, and ends.
import type { Command } from "./exec.ts";
import { spellCommand } from "./spelling.ts";

export interface Paste {
  paneId: string;
  buffer: string;
  /** Flags of `paste-buffer`. */
  flags: readonly string[];
  /** The buffer is this call's own, and is deleted even when nothing could be pasted. */
  once?: boolean;
}

/** Pastes a buffer if the pane's program has not ended; tmux checks and acts in one step. */
export function pasteCommand({ paneId, buffer, flags, once = false }: Paste): Command {
  const paste = spellCommand(["paste-buffer", ...flags, ...(once ? ["-d"] : []), "-b", buffer, "-t", paneId]);
  const otherwise = once ? [spellCommand(["delete-buffer", "-b", buffer])] : [];
  return ["if-shell", "-F", "-t", paneId, "#{?pane_dead,0,1}", paste, ...otherwise];
}

/** A buffer of ours, for one paste. */
export function newBufferName(): string {
  return `tmux-mcp-${crypto.randomUUID()}`;
}
