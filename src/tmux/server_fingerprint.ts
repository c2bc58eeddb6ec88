// The sessions, windows and panes of a server as one text, which changes when one appears, ends or is renamed.
import { SERVER_KEY } from "./server_key.ts";
import type { Tmux } from "./tmux.ts";

const SESSION = {
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  serverKey: SERVER_KEY,
  panes: "#{W:#{P:#{window_id}#{pane_id} }}",
};

/** Returns the text without panes out of scope; empty if no server runs. */
export async function readFingerprint(tmux: Tmux): Promise<string> {
  const { codec } = tmux;
  const listed = await tmux.runIfServer([["list-sessions", "-F", codec.format(SESSION)]]) ?? "";
  const seen = codec.parse(SESSION, listed).flatMap(({ panes, ...session }) =>
    panes.trimEnd().split(" ")
      .filter((pane) => tmux.sees({ ...session, paneId: pane.slice(pane.indexOf("%")) }))
      .map((pane) => [...Object.values(session), pane].join(" "))
  );
  return seen.join("\n");
}
