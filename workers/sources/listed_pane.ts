// A pane as tmux lists it, with the ending of its program.
import { deadEnding } from "../../src/process/signals.ts";
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
