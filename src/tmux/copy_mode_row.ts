// Rows of copy mode, as its command `goto-line` counts them: from the end of the history, but from its top, with 1 for
// the first, if the window has line numbers of these kinds (3.7).
import { maybeInt } from "./columns.ts";

const COUNTS_FROM_TOP = "#{m/r:absolute|relative|hybrid,#{copy-mode-line-numbers}}";

/** Column for the row that a pane in copy mode is at; negative if it is counted from the top. */
export const COPY_MODE_ROW = { at: maybeInt(`#{?${COUNTS_FROM_TOP},-#{copy_position},#{scroll_position}}`) };

/** Returns the row that is so many rows further up. */
export function rowAbove(at: number, rows: number): number {
  return at < 0 ? Math.max(1, -at - rows) : at + rows;
}
