// Extracts the question that the screen of a waiting program shows.
import { endOf } from "../excerpt.ts";
import { waitingReader } from "../process/input_wait.ts";
import type { PaneInspection } from "../process/probe.ts";
import { textBefore, withoutStyle, type WrappedScreen } from "../watch/followed_screen.ts";
import type { WaitingProgram } from "../watch/handed_over.ts";

/** Place of a question on a screen. */
export interface QuestionPlace {
  screen(): Promise<WrappedScreen>;
  /** Row on which the program's output begins, counted from the start of the history; absent if that is unknown. */
  firstRow?(): number;
}

const SCREEN_LINES = 5;
const MENU_LINES = 10;
const MAX_CHARS = 1000;
/** Box-drawing characters of dialogs. */
const FRAME = /[\u2500-\u259f]+/g;
const RIGHT_PROMPT = /\s{3,}\S+(?: \S+)*$/;
/** Beginning of a question in menus of prompts, enquirer, inquirer, clack, questionary, survey and dialoguer. */
const MARKED = /^\s*(?:\?|\[\?\]|◆) /;
const WORDS = /[\p{L}\p{N}]/u;

/** Returns the program that waits, with its question; undefined if none does. */
export async function waitingProgram(
  inspection: PaneInspection | undefined,
  { screen, firstRow }: QuestionPlace,
): Promise<WaitingProgram | undefined> {
  const reader = inspection && waitingReader(inspection);
  return reader && { ...reader, prompt: questionOn(await screen(), reader.inputKind, firstRow?.()) };
}

/**
 * Returns the question on the screen: the text before the cursor on its line. If the program draws (on the alternate
 * screen, or a menu without a cursor or with text after it), the last lines of the screen, or the lines from the
 * cursor or a marked question on. Rows above `firstRow`, counted from the start of the history, are not the program's.
 */
export function questionOn(
  { text, cursorColumn, cursorRow: row, alternateOn, cursor, history, lineAbove }: WrappedScreen,
  inputKind: PaneInspection["inputKind"],
  firstRow = 0,
): string {
  const before = textBefore(text, { row, column: cursorColumn });
  const rows = withoutStyle(text).split("\n");
  const isMenu = inputKind === "raw" && (cursor === undefined || !isCursorLast(rows, row, before));
  const first = firstRow - history;
  // A program that has cleared the screen draws above.
  const begin = first > row ? 0 : Math.max(first, 0);
  if (!alternateOn && !isMenu) {
    const above = lineAbove.slice(Math.max(lineAbove.length - row + begin, 0));
    return endOf([...above, before].join(""), MAX_CHARS);
  }
  const isFirst = cursor !== undefined && WORDS.test(before);
  const shown = alternateOn
    ? lines(rows).slice(-SCREEN_LINES)
    : isFirst
    ? lines(rows.slice(row)).slice(0, MENU_LINES)
    : lastQuestion(lines(rows.slice(begin)));
  return endOf(withoutIndent(shown).join("\n"), MAX_CHARS);
}

function lastQuestion(shown: readonly string[]): string[] {
  const at = shown.findLastIndex((line) => MARKED.test(line));
  return at < 0 ? shown.slice(-SCREEN_LINES) : shown.slice(at, at + MENU_LINES);
}

/** True if nothing follows the cursor except a right-hand prompt. */
function isCursorLast(rows: readonly string[], row: number, before: string): boolean {
  const after = (rows[row] ?? "").slice(before.length).trimEnd().replace(RIGHT_PROMPT, "");
  return [after, ...rows.slice(row + 1)].every((line) => line.trim() === "");
}

/** Returns the rows that show more than a frame. */
function lines(rows: readonly string[]): string[] {
  return rows.map((row) => row.replaceAll(FRAME, " ").trimEnd()).filter((line) => line !== "");
}

function withoutIndent(shown: readonly string[]): string[] {
  const indent = Math.min(...shown.map((line) => line.search(/\S/)));
  return shown.map((line) => line.slice(indent));
}
