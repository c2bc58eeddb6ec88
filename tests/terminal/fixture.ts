// Panes captured with `capture-pane -p -e -N`: vim, htop, a test run, CJK and emoji, dialogs, line drawing.
import type { CapturedPane, CapturedScreen } from "../../src/terminal/screen.ts";

const FOLDER = new URL("./fixtures/", import.meta.url);

export const FIXTURES = [
  "attributes",
  "cjk",
  "dialog",
  "drawing",
  "htop",
  "tests",
  "tree",
  "vim",
  "whiptail",
] as const;

export async function readFixture(name: typeof FIXTURES[number]): Promise<CapturedPane> {
  return JSON.parse(await Deno.readTextFile(new URL(`${name}.json`, FOLDER)));
}

/** The capture with its cursor, by default the visible one, or in the first cell. */
export function placed(
  capture: CapturedPane,
  cursor = capture.cursor ?? { column: 0, row: 0 },
): CapturedScreen {
  return { ...capture, cursorColumn: cursor.column, cursorRow: cursor.row, alternateOn: false };
}
