// Has a terminal show typed text again: without a line editor, the terminal itself holds that text.
import { delay } from "../../timer.ts";
import { textTyped } from "../refusals.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";

/** Number of looks at the cursor without a pause; in three of four commands, the first shows the reprint. */
const QUICK_LOOKS = 4;
const LOOK_PAUSE_MS = 3;

/**
 * Presses `^R`, after which the terminal shows the line again on the next row. `before`: place of the cursor.
 * @returns false if the terminal does not within this time (ms); nothing is typed then
 * @throws {AppError} `busy` if there is text at the prompt, which stays
 */
export async function reprint(pane: PaneKeys, before: CursorPlace, patienceMs: number): Promise<boolean> {
  await pane.press(pane.keys("C-r"));
  const until = performance.now() + patienceMs;
  // `^R` may begin on the next row.
  const next = 1 + Math.floor((before.column + 1) / before.width);
  for (let looks = 1;; looks++) {
    // The last look begins when time is up: its answer can take longer than that.
    const isLast = performance.now() > until;
    const { row, column, history } = await pane.cursor();
    const below = row + history - before.row - before.history;
    // Without a history that grows, the last row stays the last row.
    const isScrolled = below === 0 && row === before.height - 1 && before.column > 0;
    if ((below === next || isScrolled) && column === 0) return true;
    if (below >= next) throw textTyped(pane.paneId);
    if (looks >= QUICK_LOOKS) await delay(LOOK_PAUSE_MS);
    if (!isLast) continue;
    // This terminal does not reprint lines.
    if (column > before.column) await pane.press(pane.keys("BSpace"));
    return false;
  }
}
