// Lines of a pane that tmux retains, and what they show beyond the end of a stream.
import type { Command } from "../../tmux_exec/exec.ts";
import { captureTwice, dropStep, type Line, readLines, splitRows } from "./grid.ts";

/** A pane's main screen and history at one moment. */
export interface RetainedLines {
  lines: Line[];
  cursorLine: number;
  columns: number;
  /** Rows keep their numbers as long as this stays the same. */
  key: string;
  /** Rows above the screen, and how many there can be before tmux drops the oldest. */
  historySize: number;
  historyLimit: number;
}

/** End of a stream, as lines. */
export interface StreamEnd {
  /** The last finished lines, oldest first. */
  last: readonly string[];
  pending: string;
  /** Row of an earlier unfinished line, and number of lines finished since, where that is known. */
  from?: { row: number; lines: number };
}

const FORMAT = ["pane_pid", "pane_width", "pane_height", "history_size", "history_limit", "cursor_y"]
  .map((name) => `#{${name}}`).join(" ");

/** Number of finished lines that are compared. */
export const COMPARED_LINES = 20;
/** Number of different lines before a place that identify it by text alone. */
const TELLING_LINES = 3;

/** Returns the commands that read the screen and this many rows above it ("-": all), for one batch. */
export function retainedCommands(paneId: string, back: number | "-"): Command[] {
  return [
    ["display-message", "-p", "-t", paneId, `${FORMAT} #{alternate_on}`],
    ...captureTwice(["-t", paneId, "-S", back === "-" ? "-" : String(-back)]),
  ];
}

/** Reads the lines from the output of `retainedCommands`; undefined while the alternate screen is shown. */
export function readRetained(printed: string, back: number | "-"): RetainedLines | undefined {
  const [state = "", ...shown] = splitRows(printed);
  const [pid, columns = 0, height = 0, historySize = 0, historyLimit = 0, cursorY = 0, alternateOn] = state
    .split(" ").map(Number);
  if (alternateOn !== 0) return undefined;
  const above = back === "-" ? historySize : Math.min(back, historySize);
  const joined = shown.slice(0, -(above + height));
  const lines = readLines(`${joined.join("\n")}\n`, shown.slice(joined.length), historySize - above);
  const cursorLine = lines.findLastIndex(({ row }) => row <= historySize + cursorY);
  // The first line may be the rest of a line that begins above what was read.
  const isCut = above < historySize;
  return {
    lines: isCut ? lines.slice(1) : lines,
    cursorLine: isCut ? cursorLine - 1 : cursorLine,
    columns,
    key: `${pid} ${columns}`,
    historySize,
    historyLimit,
  };
}

/** Returns the end of a stream that has delivered everything these lines show. */
export function endOfRetained({ lines, cursorLine }: RetainedLines): StreamEnd {
  const at = lastLine(lines, cursorLine);
  return {
    last: lines.slice(Math.max(at - COMPARED_LINES, 0), at).map(({ text }) => text),
    pending: lines[at]?.text ?? "",
    ...(lines[at] && { from: { row: lines[at].row, lines: 0 } }),
  };
}

/** Returns the pane's text beyond the end of its stream, lines joined by `\n`; undefined if its place is unknown. */
export function missedText(retained: RetainedLines, end: StreamEnd): string | undefined {
  const { lines, cursorLine } = retained;
  const at = findPlace(retained, end);
  const rest = at === undefined ? undefined : textBehind(lines[at]?.text ?? "", end.pending);
  if (at === undefined || rest === undefined) return undefined;
  const later = lines.slice(at + 1, lastLine(lines, cursorLine) + 1).map(({ text }) => text);
  return [rest, ...later].join("\n");
}

/** All retained text, lines joined by `\n`. */
export function allText({ lines, cursorLine }: RetainedLines): string {
  return lines.slice(0, lastLine(lines, cursorLine) + 1).map(({ text }) => text).join("\n");
}

/** Index of the line that the cursor is on, or of a later one that has text. */
function lastLine(lines: readonly Line[], cursorLine: number): number {
  return Math.max(lines.findLastIndex(({ text }) => text !== ""), cursorLine);
}

/**
 * Index of the unfinished line. A row keeps its number until tmux drops some. After that, or if the row is unknown,
 * the text before the line must occur in one place only.
 */
function findPlace({ lines, historySize, historyLimit }: RetainedLines, end: StreamEnd): number | undefined {
  const fits = (at: number): boolean =>
    end.last.every((text, index) => isSame(lines[at - end.last.length + index]?.text ?? "", text)) &&
    textBehind(lines[at]?.text ?? "", end.pending) !== undefined;
  const isWhole = historySize < historyLimit - dropStep(historyLimit);
  const start = isWhole && end.from ? lines.findIndex(({ row }) => row === end.from!.row) : -1;
  const expected = start + (end.from?.lines ?? 0);
  if (start >= 0 && fits(expected)) return expected;
  if (new Set(end.last.map(plain)).size < TELLING_LINES) return undefined;
  const places = lines.keys().filter((at) => at >= end.last.length && fits(at)).take(2).toArray();
  return places.length === 1 ? places[0] : undefined;
}

function isSame(shown: string, streamed: string): boolean {
  return plain(shown) === plain(streamed);
}

/** Removes blanks: tmux shows blanks for tabs, and drops those at the end of a line. */
function plain(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

/** Returns the part of a shown line after the text that it begins with; undefined if it begins differently. */
function textBehind(shown: string, text: string): string | undefined {
  let at = 0;
  for (const character of plain(text)) {
    while (shown[at] === " ") at++;
    if (!shown.startsWith(character, at)) return undefined;
    at += character.length;
  }
  for (let blanks = text.length - text.trimEnd().length; blanks > 0 && shown[at] === " "; blanks--) at++;
  return shown.slice(at);
}
