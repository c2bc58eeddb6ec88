// Redraws the screen of a run as a person expects it: no loader, but the prompt and the command as written.
import { excerpt } from "../excerpt.ts";

/** The pane before typing and at mark R. */
export interface PromptView {
  /** The row the prompt was on, as `capture-pane -e` gives it. */
  row: string;
  /** The cursor's column before typing, from 0. */
  column: number;
  /** Rows the typed line took: (cursor_y + history_size at mark R) - (the same before typing). */
  rowsTyped: number;
}

/** A longer command is shown cut: showing it costs time, and a person's scrollback. */
const MAX_SHOWN_CHARS = 16_384;

/** Goes back over the typed line and shows the prompt with the command as written, as if typed there; then mark S. */
export function redraw(
  view: PromptView,
  { command, publicId }: { command: string; publicId: string },
): string {
  const prompt = `${view.row}\x1b[m\x1b[${view.column + 1}G`;
  return `${clearTyped(view)}${prompt}${showCommand(command)}\n\x1b]133;S;${publicId}\x07`;
}

/** This row and the next: a line editor that started behind unfinished output wraps where it does not expect to. */
const CLEAR_HERE = "\x1b[2K\x1b7\x1b[B\x1b[2K\x1b8";

/** Goes back over the typed line and leaves the cursor where the next prompt comes to stand. */
export function clearTyped({ rowsTyped }: Pick<PromptView, "rowsTyped">): string {
  // Not \e[J: from the top row tmux would scroll the machinery into the history.
  return `\r${CLEAR_HERE}${"\x1b[A\x1b[2K".repeat(Math.max(0, rowsTyped))}`;
}

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** The newlines stay bare: the terminal's own output processing makes them CR LF. */
function showCommand(command: string): string {
  return excerpt(command, MAX_SHOWN_CHARS).replaceAll(
    CONTROL,
    (char) => `^${String.fromCharCode(char.charCodeAt(0) ^ 0x40)}`,
  );
}
