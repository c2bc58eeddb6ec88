// Names of things as tmux takes them: ids are exact, session names are matched exactly, nothing is a prefix or pattern.
import { idKind } from "../ids.ts";

/** The format of a server key: pid and start time of the tmux server, whose ids mean nothing on another. */
export const SERVER_KEY = "#{pid}-#{start_time}";

/** The `-t` text that means exactly this session: an id as it is, a name behind tmux's `=`. */
function sessionTarget(session: string): string {
  return idKind(session) === "session" ? session : `=${session}`;
}

/** As `sessionTarget`, where tmux expects a window target and would take a bare name for a window's. */
export function sessionWindowTarget(session: string, index: number | "" = ""): string {
  return `${sessionTarget(session)}:${index}`;
}
