// A pane as tmux lists it, with the ending of its program.
import { isLostServer, isNoServer, tmuxFailure } from "../../src/tmux/failures.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { refusing } from "../../src/tmux/ssh/failures.ts";
import { deadEnding } from "../../src/process/signals.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import type { ServerRef } from "../../src/watch/protocol.ts";
import type { Ending } from "../../src/process/ending.ts";

/** A pane as tmux lists it: once for each session that its window is linked into. */
export interface ListedPane {
  sessionId: string;
  panePid: number;
  columns: number;
  rows: number;
  dead: boolean;
  ending: Ending;
}

const FIELDS = [
  "session_id",
  "pane_pid",
  "pane_width",
  "pane_height",
  "pane_dead",
  "pane_dead_status",
  "pane_dead_signal",
];
/** Format of a pane's row in the list. */
export const LISTING = FIELDS.map((field) => `#{${field}}`).join(" ");

export function parseListed(row: string): ListedPane {
  const [sessionId = "", pid, columns, rows, dead, status = "", signal = ""] = row.split(" ");
  const known = (text: string) => text === "" ? undefined : Number(text);
  return {
    sessionId,
    panePid: Number(pid),
    columns: Number(columns),
    rows: Number(rows),
    dead: dead === "1",
    ending: deadEnding(known(status), known(signal)),
  };
}

/**
 * Returns what a listing prints, asked through a client of its own; without a server there are no panes.
 * @throws {AppError} if tmux can't be asked, which says nothing about the panes
 */
export async function listApart(server: ServerRef, command: Command): Promise<string> {
  const spawn = createProcessExec(server);
  const { code, stdout, stderr } = await (server.via ? refusing(spawn, server.via.host) : spawn)([command]);
  if (code === 0) return new TextDecoder().decode(stdout);
  if (isNoServer(stderr) || isLostServer(stderr)) return "";
  throw tmuxFailure(stderr, server.socketArgs.at(-1) ?? "default");
}
