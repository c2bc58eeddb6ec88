// Versions of tmux that may crash under control clients.
import { isAtLeast } from "../tmux_exec/version.ts";
import type { ControlTarget } from "./control_client.ts";

/**
 * True if tmux may crash under our control clients. Version 3.2 reads a freed buffer if one holds output of a dead pane.
 * Up to 3.5a, tmux fails if it has something to report while a spawned client introduces itself, which those that use
 * its protocol do in one go; over ssh, where panes can't be read in any other way, that risk is taken.
 */
export function mayCrash({ verified, version, via }: ControlTarget): boolean {
  const known = verified?.version ?? version;
  const minor = verified || via ? 3 : 6;
  return known !== undefined && !isAtLeast(known, 3, minor);
}
