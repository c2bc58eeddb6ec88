// Panes captured with `capture-pane -p -e -N`: vim, htop, a test run, CJK and emoji, dialogs, line drawing.
import type { CapturedPane } from "../../src/terminal/screen.ts";

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
