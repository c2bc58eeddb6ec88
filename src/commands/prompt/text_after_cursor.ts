// Types a blank where text follows the cursor: the rest of a half-typed line, or what a program left there.
import type { Command } from "../../tmux_exec/exec.ts";
import { moveForward } from "./cursor_keys.ts";
import type { KeyEcho } from "./key_echo.ts";
import { NONE, type PromptRow, type PromptRowView } from "./prompt_row.ts";

/** Effect of the blank. `unchanged`: it does not show. `elsewhere`: the prompt was drawn again in another place. */
export type BeforeText = "typed" | "unchanged" | "elsewhere";

/**
 * Types a blank one key at a time: a mode that overwrites (vi's R and r, Insert) replaces a character of the person's
 * text with each key, and that character has to be restored.
 * @throws {AppError} `busy` if that text was typed by a person, which is then left as it was
 */
export async function typeBeforeText(echo: KeyEcho, row: PromptRow): Promise<BeforeText> {
  const { keys, literal } = words(echo);
  // A mode that overwrites would take the last character of a line without leaving a trace.
  if (row.isLoneCharacter) await echo.refuse();
  const shown = await echo.press([literal(" ")]);
  if (row.isUnchanged(shown)) return "unchanged";
  if (row.isSuggestion(shown)) return await refuseSuggesting(echo);
  if (row.isBlank(shown)) return await typeOverText(echo, row, shown);
  // fish's r takes one character, then ends.
  if (shown.moved === 0 && row.isOverwritten(shown)) await echo.refuse(keys("r"), literal(firstOf(row)));
  if (row.isSame(shown) && shown.moved > 0) await echo.refuse(literal("h".repeat(row.chars(shown.moved))));
  if (row.isPromptSame(shown)) await echo.refuse(keys("BSpace"));
  await echo.pressInParts(keys("BSpace"));
  return "elsewhere";
}

/** Refuses in vi's command mode, which has moved over the blank; some shells go back only for `h`. */
async function refuseSuggesting(echo: KeyEcho): Promise<never> {
  const { keys, literal } = words(echo);
  const { moved } = await echo.press([keys("BSpace")], NONE);
  return await echo.refuse(...moved > 0 ? [literal("h")] : []);
}

/** Handles a blank for which no text has moved: C-a shows if the blank is alone on its line. */
async function typeOverText(echo: KeyEcho, row: PromptRow, first: PromptRowView): Promise<BeforeText> {
  const { keys, literal } = words(echo);
  const isTaken = row.isOverwritten(first) && !row.isSame(first);
  const shown = await echo.press([keys("C-a")], NONE);
  const { moved } = shown;
  if (moved === 0) {
    if ((await echo.press([keys("C-e")])).moved === 1) return "typed";
    await echo.refuse(keys("C-a"), literal(firstOf(row)), keys("C-a"));
  }
  if (moved < 0) {
    const { forward, back } = await moveForward(echo, shown, row.chars(moved));
    if (isTaken) await echo.refuse(literal(firstOf(row)), keys(back));
    await echo.refuse(keys(forward, "BSpace"));
  }
  if (moved === 1) return await refuseFishReplacing(echo, row, shown);
  // A suggestion without a style of its own ends where C-a is inserted; a mode that overwrites would leave the rest.
  if (row.charsAfterCursor.length > 2 && row.showsAfterCursor(shown, [" ", "^", "A"])) {
    await echo.refuse(keys("BSpace", "BSpace"));
  }
  return await refuseReplacing(echo, row, shown);
}

/**
 * Restores the line in fish's replace mode, which replaces a character for C-a too, and goes back over a blank
 * without removing it. A command mode has only moved over a blank that was there.
 */
async function refuseFishReplacing(echo: KeyEcho, row: PromptRow, shown: PromptRowView): Promise<never> {
  const { keys, literal } = words(echo);
  const [first = " ", second = " "] = row.charsAfterCursor;
  if (!row.isOverwritten(shown)) {
    const parts = [literal(`i${second}`), keys("Escape"), literal("hR")];
    return await echo.refuse(keys("BSpace"), literal(first), keys("Escape"), ...parts);
  }
  const back = await echo.press([keys("BSpace")], NONE);
  if (!row.isSame(back)) return await echo.refuse(literal(first), keys("BSpace"));
  // bash's command mode ignores the `h`.
  return await echo.refuse(...back.moved > 0 ? [literal("h")] : []);
}

/**
 * Restores the line where C-a is shown: zsh puts it over the second character, bash before it. vi's command mode
 * removes it.
 */
async function refuseReplacing(echo: KeyEcho, row: PromptRow, shown: PromptRowView): Promise<never> {
  const { keys, literal } = words(echo);
  const [first = " ", second, ...rest] = row.charsAfterCursor;
  const isTaken = second !== undefined && row.showsAfterCursor(shown, [" ", "^", "A", ...rest]);
  const last = isTaken ? `r${second}h` : second === undefined ? "x" : "xh";
  return await echo.refuse(keys("Escape"), literal(`${last}r${first}R`));
}

function words(echo: KeyEcho): { keys(...names: string[]): Command; literal(text: string): Command } {
  return { keys: (...names) => echo.keys(...names), literal: (text) => echo.literal(text) };
}

/** Character at the cursor. */
function firstOf(row: PromptRow): string {
  return row.charsAfterCursor[0] ?? " ";
}
