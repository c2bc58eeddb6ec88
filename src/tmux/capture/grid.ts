// A pane's main grid at one moment: its lines with their rows, however they wrap and whichever screen is shown.
import { notFound } from "../../errors.ts";
import { flag, int, type RowOf } from "../columns.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import type { RowCodec } from "../row_codec.ts";
import { SERVER_KEY } from "../server_key.ts";
import { TooMuchOutput } from "../../tmux_exec/bounded_output.ts";

/** A line, with the rows that it wraps over joined and without trailing blanks. */
export interface Line {
  /** First row of the line; 0 is the oldest row that tmux retains. */
  row: number;
  rows: number;
  text: string;
  /** Number of blanks that were printed at the end of `text`. */
  blanks: number;
}

const STATE = {
  id: "#{pane_id}",
  serverKey: SERVER_KEY,
  /** Empty for a dead pane on tmux 3.8. */
  panePid: "#{pane_pid}",
  dead: flag("#{pane_dead}"),
  width: int("#{pane_width}"),
  height: int("#{pane_height}"),
  /** Rows above the screen, and how many there can be before tmux drops the oldest. */
  historySize: int("#{history_size}"),
  historyLimit: int("#{history_limit}"),
  alternateOn: flag("#{alternate_on}"),
  /**
   * Second in which a pane of its window printed last. tmux 3.2 and 3.2a crash on a time of a window that doesn't exist,
   * and this command names panes that may be gone.
   */
  activity: int("#{?window_id,#{window_activity},}"),
  cursorY: int("#{?alternate_on,#{alternate_saved_y},#{cursor_y}}"),
};

export interface Grid extends Omit<RowOf<typeof STATE>, "id" | "cursorY"> {
  /** Row of the main screen's cursor. */
  cursorRow: number;
  /** Whole lines, down to the bottom of the screen. */
  lines: Line[];
  /** Number of lines that have been written: down to the last with text, or to the one above the cursor. */
  used: number;
  /** True if `lines` begins at the oldest retained row. */
  complete: boolean;
}

/** Returns the commands that read a grid, for one batch. `back`: number of rows above the screen, "-" for all. */
export function gridCommands(paneId: string, codec: RowCodec, back: number | "-"): Command[] {
  return [
    ["display-message", "-p", "-t", paneId, codec.format(STATE)],
    ...captureTwice(["-t", paneId, "-S", back === "-" ? "-" : String(-back)]),
    // Captures the main screen while the alternate one is shown; with -q it prints nothing otherwise.
    ...captureTwice(["-a", "-q", "-t", paneId]),
  ];
}

/** Returns the commands that capture the same rows joined and as they are, for `readLines`. */
export function captureTwice(flags: readonly string[]): Command[] {
  return [["capture-pane", "-p", "-J", ...flags], ["capture-pane", "-p", "-N", ...flags]];
}

/**
 * Reads the grid from the output of each of `gridCommands`.
 * @throws {AppError} `not-found`
 */
export function readGrid(paneId: string, codec: RowCodec, replies: readonly string[]): Grid {
  const [described = "", joined = "", rows = "", savedJoined = "", savedRows = ""] = replies;
  const [values] = codec.parse(STATE, described);
  if (!values || values.id === "") throw notFound("pane", paneId);
  const { id: _, cursorY, ...state } = values;
  const { historySize } = state;
  const shown = splitRows(rows);
  const firstRow = historySize + state.height - shown.length;
  const cursorRow = historySize + cursorY;
  const lines = state.alternateOn
    ? joinScreens(
      { joined, rows: shown, firstRow, historySize },
      readLines(savedJoined, splitRows(savedRows), historySize),
    )
    : readLines(joined, shown, firstRow);
  // The first line may be the rest of a line that begins above what was read; without it a single long one has no place.
  if (firstRow > 0 && lines.length > 1) lines.shift();
  return { ...state, cursorRow, lines, used: countUsed(lines, cursorRow), complete: firstRow <= 0 };
}

/**
 * Returns lines with their rows, from the same rows captured twice: joined (`-J`) and as they are (`-N`).
 *
 * Both print a wrapped row in full, so a line has as many rows as it takes to reach its length.
 */
export function readLines(joined: string, rows: readonly string[], firstRow: number): Line[] {
  let at = 0;
  return splitRows(joined).map((line) => {
    const row = firstRow + at;
    let length = partOf(line, rows[at++] ?? "", 0);
    while (length < line.length && at < rows.length) length += partOf(line, rows[at++]!, length);
    return { row, rows: firstRow + at - row, ...trimBlanks(line) };
  });
}

/** Length of the part of a line that a row holds: after a resize, tmux 3.7's `-N` adds a blank per wide character. */
function partOf(line: string, row: string, from: number): number {
  const rest = line.slice(from);
  return rest.startsWith(row) || row.startsWith(rest) ? row.length : row.trimEnd().length;
}

/** Reads a pane with this many rows of history, or half as many as often as tmux prints more than is taken. */
export async function readMostRows<T>(rows: number, read: (rows: number) => Promise<T>): Promise<T> {
  for (let back = rows;; back = Math.floor(back / 2)) {
    try {
      return await read(back);
    } catch (error) {
      if (!(error instanceof TooMuchOutput) || back === 0) throw error;
    }
  }
}

/** Number of rows that tmux drops at a time: the oldest tenth of a history, once that is full. */
export function dropStep(historyLimit: number): number {
  return Math.max(1, Math.floor(historyLimit / 10));
}

export function splitRows(printed: string): string[] {
  return printed === "" ? [] : printed.replace(/\n$/, "").split("\n");
}

interface PrintedGrid {
  joined: string;
  rows: readonly string[];
  firstRow: number;
  historySize: number;
}

/** Joins the history with the saved main screen; what the pane shows below the history is the alternate screen. */
function joinScreens({ joined, rows, firstRow, historySize }: PrintedGrid, saved: Line[]): Line[] {
  const history = readLines(joined, rows, firstRow).filter((line) => line.row < historySize);
  const last = history.at(-1);
  if (!last || last.row + last.rows <= historySize) return [...history, ...saved];
  // The last line of the history wraps into the saved screen, not into the one that is shown.
  const [rest, ...others] = saved;
  const whole = rows.slice(last.row - firstRow, historySize - firstRow).join("") + (rest?.text ?? "");
  const height = historySize - last.row + (rest?.rows ?? 0);
  return [...history.slice(0, -1), { row: last.row, rows: height, ...trimBlanks(whole) }, ...others];
}

/** Splits a row into its text and the number of blanks after it; a no-break space is text. */
export function trimBlanks(row: string): { text: string; blanks: number } {
  let end = row.length;
  while (row[end - 1] === " " || row[end - 1] === "\t") end--;
  return { text: row.slice(0, end), blanks: row.length - end };
}

function countUsed(lines: readonly Line[], cursorRow: number): number {
  return lines.findLastIndex((line) => line.text !== "" || line.row + line.rows <= cursorRow) + 1;
}
