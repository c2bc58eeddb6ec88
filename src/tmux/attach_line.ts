// The command line that opens a pane in a person's own terminal.
import { readableWord } from "../shell/quoting.ts";
import type { TmuxGateway } from "./gateway.ts";

/** Attaches to a pane's session with that pane in front. */
export function attachLine(
  { socketPath, machine }: TmuxGateway,
  { sessionId, windowId, paneId }: { sessionId: string; windowId: string; paneId: string },
): string {
  const target = readableWord(`${sessionId}:${windowId}.${paneId}`);
  const line = ["tmux", ...socketWords(socketPath), "attach", "-t", target].join(" ");
  return machine.reach?.(line) ?? line;
}

/** On another machine a socket is known by what it was given as. */
function socketWords(socket: string): string[] {
  if (socket === "default") return [];
  return [socket.includes("/") ? "-S" : "-L", readableWord(socket)];
}
