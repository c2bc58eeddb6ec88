// Screen of a followed pane at one place in its stream: it shows everything printed before that place, nothing after.
import type { CapturedScreen } from "../terminal/screen.ts";
import { characterWidth, JOINED, TAB_CELLS } from "../terminal/width.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { FollowHandle } from "./follow.ts";

export interface FollowedScreen extends CapturedScreen {
  /** Rows in the history above the screen. */
  history: number;
}

/** A screen that shows where the terminal wrapped the cursor's line. */
export interface WrappedScreen extends FollowedScreen {
  /** Rows above the cursor that are part of that line, without style. */
  lineAbove: string[];
}

const FIELDS = [
  ...["pane_width", "pane_height", "cursor_x", "cursor_y", "cursor_flag", "alternate_on"],
  ...["history_size", "wrap_flag", "scroll_region_upper", "scroll_region_lower"],
  ...["alternate_saved_x", "alternate_saved_y"],
];

/** A control client that follows a pane. */
interface FollowingClient {
  send(commands: Command[]): Promise<string>;
}

/** Returns the screen; what is printed later may have been passed on by the time that this settles. */
export async function readFollowedScreen(handle: FollowingClient, paneId: string): Promise<FollowedScreen> {
  return toScreen(await handle.send([describe(paneId), capture(paneId)]));
}

/** Does the same, and finds where the terminal wrapped the cursor's line. */
export async function readWrappedScreen(handle: FollowingClient, paneId: string): Promise<WrappedScreen> {
  const joined: Command = ["capture-pane", "-p", "-J", "-t", paneId];
  const screen = toScreen(await handle.send([describe(paneId), capture(paneId), joined]));
  const lines = screen.text.split("\n");
  const rows = lines.slice(0, screen.rows);
  const lineAbove = rowsAbove(screen.cursorRow, rows.map(withoutStyle), lines.slice(screen.rows));
  return { ...screen, text: rows.join("\n"), lineAbove };
}

/** Rows above a row that are part of its line; the same rows were captured line by line. */
function rowsAbove(row: number, rows: readonly string[], lines: readonly string[]): string[] {
  let next = 0;
  for (const line of lines) {
    const above: string[] = [];
    let left = line;
    do {
      if (next === row) return above;
      const part = sharedStart(left, rows[next] ?? "");
      above.push(part);
      left = left.slice(part.length);
    } while (++next < rows.length && left !== "");
  }
  return [];
}

/**
 * Text that both begin with. From tmux 3.6 on, a row can have blanks that the joined line lacks: for the cell before a
 * wide character that did not fit.
 */
function sharedStart(line: string, row: string): string {
  let end = 0;
  while (end < row.length && line[end] === row[end]) end++;
  return row.slice(0, end);
}

/** Returns the screen of a pane that nothing here follows. */
export function readPaneScreen(tmux: Tmux, paneId: string): Promise<WrappedScreen> {
  return readWrappedScreen({ send: (commands) => tmux.run(commands) }, paneId);
}

/**
 * Calls `draw` with the screen, and the main screen below that of a full-screen program, before anything that is not on
 * it is passed on, unless `isLate`.
 */
export async function drawFollowedScreen(
  handle: Pick<FollowHandle, "read">,
  paneId: string,
  draw: (screen: FollowedScreen, isLate: boolean) => void,
): Promise<void> {
  await handle.read(
    [describe(paneId), capture(paneId), [...capture(paneId), "-a", "-q"]],
    (printed, isLate) => draw(withMain(printed), isLate),
  );
}

function describe(paneId: string): Command {
  return ["display-message", "-p", "-t", paneId, FIELDS.map((field) => `#{${field}}`).join(" ")];
}

function capture(paneId: string): Command {
  return ["capture-pane", "-p", "-e", "-N", "-t", paneId];
}

/** Returns the screen with the main one below it, which was captured after the one that is shown. */
function withMain(printed: string): FollowedScreen {
  const screen = toScreen(printed);
  if (!screen.alternateOn) return screen;
  const [described = ""] = printed.split("\n", 1);
  const [cursorColumn = 0, cursorRow = 0] = described.split(" ").slice(-2).map(Number);
  const lines = screen.text.split("\n");
  const text = lines.splice(0, screen.rows).join("\n");
  return { ...screen, text, main: { text: lines.join("\n"), cursorColumn, cursorRow } };
}

function toScreen(printed: string): FollowedScreen {
  const end = printed.indexOf("\n");
  const [described, text] = [printed.slice(0, end), printed.slice(end + 1)];
  const numbers = described.split(" ").map(Number);
  const [columns = 0, rows = 0, column = 0, row = 0, shown, alternate, ...more] = numbers;
  const [history = 0, wrap, top = 0, bottom = 0] = more;
  return {
    text,
    columns,
    rows,
    cursorColumn: column,
    cursorRow: row,
    alternateOn: alternate === 1,
    history,
    ...(shown === 1 && { cursor: { column, row } }),
    ...(wrap === 0 && { wrapOff: true }),
    ...(bottom - top + 1 < rows && bottom > top && { scrollRegion: { top, bottom } }),
  };
}

/** Rows that a line takes from a column on, as it is printed. */
export function rowsOf(line: string, { column, width }: { column: number; width: number }): number {
  let rows = 1;
  let at = column;
  for (const character of line) {
    // A tab does not leave the row.
    if (character === "\t") at = Math.max(at, Math.min(at + TAB_CELLS - at % TAB_CELLS, width - 1));
    else {
      const cells = characterWidth(character);
      if (at + cells > width) [rows, at] = [rows + 1, 0];
      at += cells;
    }
  }
  return rows;
}

/** Text of a captured row before a column, without colours. */
export function textBefore(capture: string, { row, column }: { row: number; column: number }): string {
  const line = withoutStyle(capture.split("\n")[row] ?? "");
  let at = 0;
  let before = "";
  for (const character of line) {
    if (at >= column) break;
    before += character;
    at += characterWidth(character);
  }
  return before;
}

/** Cells of a row: a wide character is followed by an empty cell; a character of no width is in the cell before it. */
export function cellsOf(shown: string): string[] {
  const cells: string[] = [];
  for (const character of withoutStyle(shown.split("\n")[0] ?? "")) {
    const width = characterWidth(character);
    if (width === 0 && cells.length > 0) cells[cells.length - 1] += character;
    else cells.push(character, ...Array<string>(Math.max(0, width - 1)).fill(""));
  }
  return cells;
}

const GRAPHEMES = new Intl.Segmenter();

/** Cells of a row in which an emoji of several characters takes no more than two. */
export function joinedCellsOf(shown: string): string[] {
  return [...GRAPHEMES.segment(withoutStyle(shown.split("\n")[0] ?? ""))].flatMap(({ segment }) =>
    cellsOf(segment).length > 1 ? [segment, ""] : [segment]
  );
}

/**
 * True if a row that ends before this column would be too long if each character of an emoji took its own cells. How
 * many they take differs between versions of tmux.
 */
export function joinsEmoji(shown: string, column: number): boolean {
  return JOINED.test(shown) && cellsOf(shown.trimEnd()).length > column &&
    joinedCellsOf(shown.trimEnd()).length <= column;
}

/** True if the cells of a row have another style from this column on. */
export function changesStyleAt(shown: string, column: number): boolean {
  const row = shown.split("\n")[0] ?? "";
  // deno-lint-ignore no-control-regex
  return [...row.matchAll(/\x1b\[[\d;:]*m/g)].some(({ index }) =>
    cellsOf(row.slice(0, index)).length === column
  );
}

/** Text of `capture-pane -e` without colours and links. */
export function withoutStyle(shown: string): string {
  // deno-lint-ignore no-control-regex
  return shown.replaceAll(/\x1b\[[\d;:]*m|\x1b\]8;[^\x1b]*\x1b\\|[\x0e\x0f]/g, "");
}
