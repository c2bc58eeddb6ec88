// Moves the cursor forward over characters of a line.
import type { KeyEcho } from "./key_echo.ts";
import type { PromptRowView } from "./prompt_row.ts";

/** Keys that move the cursor by one character. */
export interface CursorKeys {
  forward: string;
  back: string;
}

const EMACS: CursorKeys = { forward: "C-f", back: "C-b" };
const ARROWS: CursorKeys = { forward: "Right", back: "Left" };

/** Moves over that many characters from where a view shows the cursor; returns the keys that do so there. */
export async function moveForward(echo: KeyEcho, from: PromptRowView, chars: number): Promise<CursorKeys> {
  if (chars === 0) return ARROWS;
  const keys = await moveOne(echo, from);
  if (chars > 1) await echo.press([echo.keys(...Array<string>(chars - 1).fill(keys.forward))]);
  return keys;
}

/** vi's insert mode types C-f, over the text if it overwrites; a terminal's arrows may be unknown to a shell. */
async function moveOne(echo: KeyEcho, { moved, cells }: PromptRowView): Promise<CursorKeys> {
  const shown = await echo.press([echo.keys(ARROWS.forward)], { blanks: 0, passed: moved + 1 });
  if (shown.cells.join("").trimEnd() === cells.join("").trimEnd()) return ARROWS;
  await echo.press([echo.keys("BSpace")], { blanks: 0, passed: moved });
  await echo.press([echo.keys(EMACS.forward)], { blanks: 0, passed: moved + 1 });
  return EMACS;
}
