// Options that mark a pane as handed over to a person.
import type { Command } from "./exec.ts";

/** On a pane and its window: what its program waits for, to be shown in a status line. */
export const WAITING = "@tmux_mcp_waiting";

/** On a pane: time until which it belongs to the person unless renewed (seconds since 1970), and the process that set it. */
export const HANDOVER = "@tmux_mcp_handover";

/** Marks a pane as the person's for some seconds; `processMark` says whose mark it is. */
export function markHandover(
  paneId: string,
  { seconds, processMark }: { seconds: number; processMark: string | undefined },
): Command {
  const until = Math.ceil(Date.now() / 1000 + seconds);
  return ["set-option", "-p", "-t", paneId, HANDOVER, [until, processMark ?? ""].join(" ").trim()];
}

/** Time until which a mark holds (seconds since 1970), and its process. */
export function readHandover(mark: string): { until: number; processMark: string } {
  const [, until = "0", processMark = ""] = /^(\d+) ?(.*)$/.exec(mark) ?? [];
  return { until: Number(until), processMark };
}

/** True if a person is answering there now. */
export function isHandedOver(mark: string): boolean {
  return readHandover(mark).until > Date.now() / 1000;
}
