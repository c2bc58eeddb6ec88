// The sessions, windows and panes of a server as one text, which changes when one appears, ends or is renamed.
import { SERVER_KEY } from "./server_key.ts";
import type { Tmux } from "./tmux.ts";

const PANE = {
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  windowId: "#{window_id}",
  paneId: "#{pane_id}",
  serverKey: SERVER_KEY,
};

/** Returns the text without panes out of scope; empty if no server runs. */
export async function readFingerprint(tmux: Tmux): Promise<string> {
  const { codec } = tmux;
  const listed = await tmux.runIfServer([["list-panes", "-a", "-F", codec.format(PANE)]]) ?? "";
  const rows = codec.parse(PANE, listed).filter((row) => tmux.sees(row));
  return rows.map((row) => Object.values(row).join(" ")).join("\n");
}
