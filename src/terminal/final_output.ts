// Text of a dead pane beyond the output that came: tmux drops output that its control clients had not read by then (3.3a).

/** Output of a pane so far. */
export interface ReceivedOutput {
  /** Finished lines. */
  lines: number;
  /** The line that is not finished. */
  pending: string;
  /** The last of the finished lines. */
  last: readonly string[];
}

/** Place of a pane's cursor when this much had come. */
export interface CursorPosition {
  /** Row number, counting the rows that scrolled off before the screen. */
  row: number;
  column: number;
  lines: number;
  pending: string;
}

/** This many lines must be on the screen unchanged, or it shows something else. */
export const SAME_LINES = 20;
/** Text that tmux before 3.3 always writes on a dead pane. */
const DEAD = /^Pane is dead\b/;

const encoder = new TextEncoder();

/** Returns it as bytes of the pane; undefined where nothing is missing, or that is unknown. */
export function missingOutput(
  shown: readonly string[],
  from: CursorPosition,
  came: ReceivedOutput,
): Uint8Array | undefined {
  const missing = findMissing(shown, from, came);
  return missing && encoder.encode(`${missing.join("\r\n")}\r\n`);
}

/** The same of a pane that lives: the cursor is on the last line, which is not finished. */
export function missingSoFar(
  shown: readonly string[],
  from: CursorPosition,
  came: ReceivedOutput,
): Uint8Array | undefined {
  const at = findPending(shown, from, came);
  const line = at === undefined ? undefined : shown[at];
  if (line === undefined || !sameText(line.slice(0, came.pending.length), came.pending)) return undefined;
  return encoder.encode([line.slice(came.pending.length), ...shown.slice(at! + 1)].join("\r\n"));
}

/** The end of the last line that came and the lines behind it, if what came before stands on the screen as it came. */
export function findMissing(
  shown: readonly string[],
  from: CursorPosition,
  came: ReceivedOutput,
): string[] | undefined {
  const at = findPending(shown, from, came);
  if (at === undefined) return undefined;
  const line = shown[at] ?? "";
  const isFirst = came.lines === from.lines;
  const column = isFirst ? from.column : 0;
  const known = isFirst ? came.pending.slice(from.pending.length) : came.pending;
  const end = column + known.length;
  const missing = [line.slice(end), ...shown.slice(at + 1)];
  return sameText(line.slice(column, end), known) && missing.some((each) => each.trim() !== "")
    ? missing
    : undefined;
}

/** The row of the unfinished line. */
function findPending(
  shown: readonly string[],
  from: CursorPosition,
  came: ReceivedOutput,
): number | undefined {
  const count = came.lines - from.lines;
  if (count === 0) return 0;
  // A line that had begun before is not known whole.
  const whole = from.column === 0 && from.pending === "" ? count : count - 1;
  const last = whole === 0 ? [] : came.last.slice(-Math.min(whole, SAME_LINES));
  const fits = (at: number): boolean =>
    last.every((line, index) => sameText(shown[at - last.length + index] ?? "", line));
  if (fits(count)) return count;
  // The history has lost its oldest lines since then.
  const isTold = last.some((line) => line.trim() !== "");
  for (let at = shown.length; isTold && at >= last.length; at--) if (fits(at)) return at;
  return undefined;
}

/** tmux shows blanks for tabs. */
function sameText(shown: string, came: string): boolean {
  return plain(shown) === plain(came);
}

function plain(line: string): string {
  return line.replaceAll(/\s+/g, " ").trimEnd();
}

/** Lines of a dead pane as `capture-pane -J` prints them, without the blank ones at the end. */
export function readShown(text: string): string[] {
  return trimDead(text.split("\n"));
}

/** The lines of a dead pane without the blank ones at the end and what tmux writes there. */
export function trimDead(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== "" && !DEAD.test(line));
  return lines.slice(0, last + 1);
}
