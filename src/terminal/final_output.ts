// Finds text of a dead pane that its control clients never got: tmux discards output that they haven't read
// when the pane dies (3.3a).

/** Output received from a pane so far. */
export interface ReceivedOutput {
  lines: number;
  /** The unfinished line. */
  pending: string;
  /** The last of the finished lines. */
  last: readonly string[];
}

/** Position of the pane's cursor after that output. */
export interface CursorPosition {
  /** Row number, counting the rows that scrolled off before the screen. */
  row: number;
  column: number;
  lines: number;
  pending: string;
  /** True if rows may have other numbers by now: only the text of lines that came since shows where these are. */
  isUncertain?: boolean;
}

/** Number of lines that must be unchanged on the screen; otherwise it shows something else. */
export const SAME_LINES = 20;
/** Text that tmux before 3.3 always writes into a dead pane. */
const DEAD = /^Pane is dead\b/;

const encoder = new TextEncoder();

/** Returns the missing output as bytes, none if all of it came; undefined if that is unknown. */
export function missingOutput(
  shown: readonly string[],
  from: CursorPosition,
  came: ReceivedOutput,
): Uint8Array | undefined {
  const missing = findMissing(shown, from, came);
  return missing && encoder.encode(missing.map((line) => `${line}\r\n`).join(""));
}

/** Like `missingOutput`, for a live pane: the cursor is on the last line, which isn't finished. */
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

/**
 * Returns the rest of the last received line and the lines after it, or nothing if these have no text; undefined
 * unless the output received before is unchanged on the screen.
 */
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
  if (!sameText(line.slice(column, end), known)) return undefined;
  return missing.some((each) => each.trim() !== "") ? missing : [];
}

/** Returns the row of the unfinished line. */
function findPending(
  shown: readonly string[],
  from: CursorPosition,
  came: ReceivedOutput,
): number | undefined {
  const count = came.lines - from.lines;
  if (count === 0) return from.isUncertain ? undefined : 0;
  // A line that began before the position isn't known completely.
  const whole = from.column === 0 && from.pending === "" ? count : count - 1;
  const last = whole === 0 ? [] : came.last.slice(-Math.min(whole, SAME_LINES));
  const fits = (at: number): boolean =>
    last.every((line, index) => sameText(shown[at - last.length + index] ?? "", line));
  if (!from.isUncertain && fits(count)) return count;
  // The history may have lost its oldest lines since then.
  const isTold = last.some((line) => line.trim() !== "");
  for (let at = shown.length; isTold && at >= last.length; at--) if (fits(at)) return at;
  return undefined;
}

/** True if two lines are equal; tmux shows tabs as blanks. */
export function sameText(shown: string, came: string): boolean {
  return plain(shown) === plain(came);
}

function plain(line: string): string {
  return line.replaceAll(/\s+/g, " ").trimEnd();
}

/** Lines of a dead pane as printed by `capture-pane -J`, without blank lines at the end. */
export function readShown(text: string): string[] {
  return trimDead(text.split("\n"));
}

/** Lines of a dead pane without blank lines at the end and without tmux's own message. */
export function trimDead(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== "" && !DEAD.test(line));
  return lines.slice(0, last + 1);
}
