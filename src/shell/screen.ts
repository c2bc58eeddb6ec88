// Redraws the screen of a run as a person expects it: the prompt and the command as written, without the loader.
import { excerpt } from "../excerpt.ts";

/** State of the pane before typing and at mark R. */
export interface PromptView {
  /** Row of the prompt, as printed by `capture-pane -e`. */
  row: string;
  /** The cursor's column before typing, from 0. */
  column: number;
  /** Rows that the typed line took: (cursor_y + history_size at mark R) - (the same before typing). */
  rowsTyped: number;
}

/** A longer command is shown shortened, because showing it costs time and scrollback. */
const MAX_SHOWN_CHARS = 16_384;

/** Sequence that replaces the typed line by the prompt and the command as written, followed by mark S. */
export function redraw(
  view: PromptView,
  { command, publicId, title }: { command: string; publicId: string; title?: string | undefined },
): string {
  const prompt = `${view.row}\x1b[m\x1b[${view.column + 1}G`;
  const titled = title === undefined ? "" : `\x1b]2;${title}\x07`;
  return `${clearTyped(view)}${prompt}${showCommand(command)}\n${titled}${SHOWN_MARK}${publicId}\x07`;
}

/** A status line shows 21 characters of a title; a longer one costs time to type. */
const MAX_TITLE_CHARS = 200;

/** Returns the beginning of a text as a title: a control character would end the sequence early. */
export function asTitle(text: string): string {
  return [...text].slice(0, MAX_TITLE_CHARS).join("").replaceAll(/\p{Cc}/gu, " ");
}

/** Beginning of mark S. */
export const SHOWN_MARK = "\x1b]133;S;";

/**
 * Clears this row and the next, because a line editor that starts after unfinished output wraps earlier than
 * it expects. No other program is known to print this sequence, so watches find a drawing by it.
 */
export const SHOWN_START = "\x1b[2K\x1b7\x1b[B\x1b[2K\x1b8";

/** Sequence that clears the typed line and leaves the cursor where the next prompt will be. */
export function clearTyped({ rowsTyped }: Pick<PromptView, "rowsTyped">): string {
  // This isn't \e[J: from the top row, tmux would scroll the loader into the history.
  return `\r${SHOWN_START}${"\x1b[A\x1b[2K".repeat(Math.max(0, rowsTyped))}`;
}

// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** Lines in which a command is shown. */
export function shownLines(command: string): string[] {
  return showCommand(command).split("\n");
}

/** Newlines stay as they are: the terminal's output processing makes them CR LF. */
function showCommand(command: string): string {
  const caret = (char: string): string => `^${String.fromCharCode(char.charCodeAt(0) ^ 0x40)}`;
  return excerpt(command, MAX_SHOWN_CHARS).replaceAll(CONTROL, caret);
}
