// The command line that opens a pane in a person's own terminal.
import { readableWord } from "../shell/quoting.ts";
import type { TmuxGateway } from "./gateway.ts";
import { socketWords } from "./socket.ts";

/** Returns the command line that attaches to a pane's session with that pane in front. */
export function attachLine(
  { socketPath, machine }: TmuxGateway,
  { sessionId, windowId, paneId }: { sessionId: string; windowId: string; paneId: string },
): string {
  const target = readableWord(`${sessionId}:${windowId}.${paneId}`);
  const line = ["tmux", ...socketWords(socketPath), "attach", "-t", target].join(" ");
  return machine.reach?.(line) ?? line;
}
