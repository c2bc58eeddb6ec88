// The sessions, windows and panes of a server as one text, which changes when one appears, ends or is renamed.
import type { Command } from "../tmux_exec/exec.ts";
import type { Tmux } from "./tmux.ts";

const STRUCTURE: Command = [
  "list-sessions",
  "-F",
  "#{session_id} #{W:#{window_id} #{P:#{pane_id} }}#{session_name}",
];

/** Returns the text without sessions out of scope; empty if no server runs. */
export async function readFingerprint(tmux: Tmux): Promise<string> {
  const rows = (await tmux.runIfServer([STRUCTURE]) ?? "").split("\n");
  const isSeen = (row: string): boolean => {
    const [, sessionId = "", sessionName = ""] = /^(\$\d+) (?:[@%]\d+ )*(.*)$/.exec(row) ?? [];
    return tmux.sees({ sessionId, sessionName });
  };
  return rows.filter(isSeen).join("\n");
}
