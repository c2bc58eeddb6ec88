// Capture cursors: a reader's place in a pane's output, by row and by content, and how to find that place again.
import { type Cursor, formatCursor, hash32 } from "./cursor_text.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import type { RowCodec } from "../row_codec.ts";
import { dropStep, type Grid, gridCommands, type Line, readGrid } from "./grid.ts";

const ABOVE = 24;
const WITNESS = 4;
const TOP = 2;
/** Number of different texts above the cursor that identify its place by content alone. */
const ENOUGH = 3;
/** Columns of the narrowest pane that people work in. */
const NARROW = 20;
/** Rows above the screen that a cursor is made from: enough for the witness if lines are wrapped. */
const BACK = 32;

/** Commands that read a cursor at the end of a pane's output, as part of one batch. */
export function cursorCommands(paneId: string, codec: RowCodec): Command[] {
  return gridCommands(paneId, codec, BACK);
}

/** Returns the cursor at the end of a pane's output, from the output of each of `cursorCommands`. */
export function readCursor(paneId: string, codec: RowCodec, replies: readonly string[]): string {
  return formatCursor(cursorAtEnd(paneId, readGrid(paneId, codec, replies)));
}

/** Returns the place after everything that the pane has printed. */
export function cursorAtEnd(paneId: string, grid: Grid): Cursor {
  const at = lineOfCursor(grid);
  const cursor = cursorAt(paneId, grid, at);
  return {
    ...cursor,
    tail: grid.lines.slice(at, grid.used).map((line, index) => hashTail(line.text, index)),
  };
}

/** Returns the cursor before line `at` of the grid. */
export function cursorAt(paneId: string, grid: Grid, at: number): Cursor {
  const above = grid.lines.slice(Math.max(0, at - ABOVE), at).reverse().map((line) => hash16(line.text));
  const witness = findWitness(grid, at);
  return {
    paneId,
    identity: identityOf(grid),
    row: grid.lines[at]!.row,
    width: grid.width,
    height: grid.height,
    above,
    ...(witness ? { witness } : {}),
    tail: [],
  };
}

/** Returns the cursor after the first `cut` characters of line `at`. */
export function cursorInside(paneId: string, grid: Grid, at: number, cut: number): Cursor {
  return { ...cursorAt(paneId, grid, at), tail: [hash32(grid.lines[at]!.text.slice(0, cut))], cut };
}

/** Number of characters of the cursor's line that were returned already, if the line still begins with them. */
export function cutOf({ cut, tail }: Cursor, line: Line | undefined): number {
  if (cut === undefined || line === undefined) return 0;
  return hash32(line.text.slice(0, cut)) === tail[0] ? cut : 0;
}

/** 48-bit hash that identifies the tmux server and the pane's process. */
export function identityOf(grid: Grid): bigint {
  const text = `${grid.serverKey}/${grid.panePid}`;
  return BigInt(hash32(text)) << 16n | BigInt(hash16(`${text}/`));
}

/**
 * Index of the first line that is new or has changed since `cursor`; undefined if it can't be determined.
 *
 * A row keeps its number as long as tmux drops none, and tmux drops many at a time (`dropStep`). So only a few places
 * are possible, and the content must agree with one of them. After a change of width the rows are counted again; if
 * that can't be done, the content must be found exactly once.
 */
export function findPlace(cursor: Cursor, grid: Grid): number | undefined {
  const at = findByPlace(cursor, grid) ??
    (isCountable(cursor, grid) ? undefined : findByContent(cursor, grid));
  return at === undefined ? undefined : firstChanged(cursor, grid.lines, at);
}

/** Index of the first line that is new or has changed wherever the cursor's place is, among several that it may be. */
export function findLastPlace(cursor: Cursor, { lines, width, historyLimit }: Grid): number | undefined {
  const rows = lines.map((line) => line.row);
  const step = dropStep(historyLimit);
  const at = lines.findLastIndex(({ row }, at) => {
    const dropped = cursor.row - row;
    if (cursor.width !== width) return at > 0 && !isTooLow(cursor, at) && isLike(cursor, lines, at);
    return dropped >= 0 && dropped % step === 0 && holds(cursor, { lines, rows, at, dropped });
  });
  return at < 0 ? undefined : firstChanged(cursor, lines, at);
}

/** True if more lines are above than there were for a cursor near the top; lines only go there, never come. */
function isTooLow({ above }: Cursor, at: number): boolean {
  return above.length < ABOVE && at > above.length;
}

/** Returns a cursor that is found again among equal lines too, unless something is printed before. */
export function withMoment(cursor: Cursor, grid: Grid): Cursor {
  return grid.complete && mayHaveDropped(cursor, grid) ? { ...cursor, moment: hashMoment(grid) } : cursor;
}

function hashMoment({ historySize, height, cursorRow, activity, lines }: Grid): number {
  return hash32([historySize, height, cursorRow, activity, ...lines.map(({ text }) => text)].join("\n"));
}

/** True if tmux may have dropped rows at the top since the cursor was made. */
export function mayHaveDropped(cursor: Cursor, { historySize, historyLimit, height }: Grid): boolean {
  // A pane that is made taller takes rows back from its history.
  const grown = Math.max(0, height - cursor.height);
  return historySize + grown > historyLimit - dropStep(historyLimit);
}

/** True if the history would have held everything even while the pane was much narrower. */
function fitsNarrow({ lines, complete, height, historyLimit }: Grid): boolean {
  const rows = rowsAtWidth(lines, NARROW).at(-1) ?? 0;
  return complete && rows + height <= historyLimit - dropStep(historyLimit);
}

function findByPlace(cursor: Cursor, grid: Grid): number | undefined {
  const { lines } = grid;
  const rows = cursor.width === grid.width ? lines.map((line) => line.row) : rowsAtWidth(lines, cursor.width);
  if (!mayHaveDropped(cursor, grid)) {
    const at = rows.indexOf(cursor.row);
    if (at < 0 || !holds(cursor, { lines, rows, at, dropped: 0 })) return undefined;
    return isDistinct(cursor, { lines, rows, at, dropped: 0 }) || fitsNarrow(grid) ? at : undefined;
  }
  if (cursor.width !== grid.width) return undefined;
  // Nothing has been printed since, so every row is where it was.
  const same = cursor.moment !== undefined && cursor.moment === hashMoment(grid)
    ? rows.indexOf(cursor.row)
    : -1;
  if (same >= 0) return same;
  const step = dropStep(grid.historyLimit);
  const seen = { whole: [] as number[], part: [] as number[] };
  rows.forEach((row, at) => {
    const dropped = cursor.row - row;
    if (dropped < 0 || dropped % step !== 0 || !holds(cursor, { lines, rows, at, dropped })) return;
    const { equal, all, distinct } = likeness(cursor, lines, at);
    if (equal !== all || distinct < ENOUGH) return;
    seen[all === cursor.above.length ? "whole" : "part"].push(at);
  });
  const [only, ...others] = seen.whole.length > 0 ? seen.whole : seen.part;
  return others.length === 0 ? only : undefined;
}

interface ReadPosition {
  lines: readonly Line[];
  rows: readonly number[];
  at: number;
  dropped: number;
}

/** True if the content agrees with this place: the witness does, or without one all lines above do. */
function holds(cursor: Cursor, place: ReadPosition): boolean {
  const witnessed = isWitnessed(cursor, place);
  return witnessed ?? isLike(cursor, place.lines, place.at);
}

/** True if all lines above this place are as the cursor saw them. */
function isLike(cursor: Cursor, lines: readonly Line[], at: number): boolean {
  const { equal, all } = likeness(cursor, lines, at);
  return equal === all;
}

/** True if the content is unlikely to occur elsewhere. */
function isDistinct(cursor: Cursor, place: ReadPosition): boolean {
  return isWitnessed(cursor, place) === true || likeness(cursor, place.lines, place.at).distinct >= ENOUGH;
}

/** True if the witness is where it must be; `undefined` without a witness, or if tmux dropped it. */
function isWitnessed({ row, witness }: Cursor, { lines, rows, dropped }: ReadPosition): boolean | undefined {
  if (!witness) return undefined;
  const end = rows.indexOf(row - dropped - witness.up);
  const start = end - witness.count;
  if (end < 0 || start < 0) return dropped === 0 ? false : undefined;
  return hashLines(lines.slice(start, end)) === witness.hash;
}

interface Likeness {
  /** Number of lines above that were compared, and number of those that are as the cursor saw them. */
  all: number;
  equal: number;
  /** Number of different texts among the equal lines. */
  distinct: number;
  /** Topmost line that has changed. */
  changed?: number;
}

function likeness({ above }: Cursor, lines: readonly Line[], at: number): Likeness {
  const result: Likeness = { all: 0, equal: 0, distinct: 0 };
  const texts = new Set<number>();
  for (let up = at - 1; up >= 0 && result.all < above.length; up--) {
    const hash = above[result.all++]!;
    const whole = joinAt(lines, up - 1);
    const joined = hash16(lines[up]!.text) === hash
      ? 1
      : whole !== undefined && hash16(whole) === hash
      ? 2
      : 0;
    if (joined === 0) result.changed = up;
    else result.equal++;
    if (joined > 0) texts.add(hash);
    if (joined === 2) up--;
  }
  result.distinct = texts.size;
  return result;
}

/**
 * Returns line `at` joined with the next one. When the alternate screen is shown, tmux (3.3a) forgets that the last
 * row of the history was wrapped, so what was one line can be two now.
 */
function joinAt(lines: readonly Line[], at: number): string | undefined {
  const [first, second] = [lines[at], lines[at + 1]];
  if (!first || !second || second.text === "") return undefined;
  return first.text + " ".repeat(first.blanks) + second.text;
}

function isCountable(cursor: Cursor, grid: Grid): boolean {
  if (cursor.width === grid.width) return true;
  return !mayHaveDropped(cursor, grid) && grid.lines.every((line) => /^[\x20-\x7e]*$/.test(line.text));
}

function findByContent(cursor: Cursor, { lines }: Grid): number | undefined {
  const places: number[] = [];
  for (let at = ENOUGH; at <= lines.length; at++) {
    const { equal, all, distinct } = likeness(cursor, lines, at);
    if (equal === all && distinct >= ENOUGH) places.push(at);
  }
  return places.length === 1 ? places[0] : undefined;
}

/** Row in which each line would begin if the pane had this width; exact for characters that take one cell. */
function rowsAtWidth(lines: readonly Line[], width: number): number[] {
  let row = lines[0]?.row ?? 0;
  return lines.map(({ text }) => {
    const start = row;
    row += Math.max(1, Math.ceil([...text].length / width));
    return start;
  });
}

/** Returns the first line from a place on that differs from what was returned before. */
function firstChanged(cursor: Cursor, lines: readonly Line[], at: number): number {
  const { changed } = likeness(cursor, lines, at);
  if (changed !== undefined) return changed;
  if (cursor.cut !== undefined) return at;
  let next = at;
  for (const [index, hash] of cursor.tail.entries()) {
    const line = lines[next];
    if (line === undefined) return next;
    const whole = joinAt(lines, next);
    if (hashTail(line.text, index) === hash) next++;
    else if (whole !== undefined && hashTail(whole, index) === hash) next += 2;
    else return next;
  }
  return next;
}

/** Index of the line that the terminal's cursor is on. */
function lineOfCursor({ lines, cursorRow }: Grid): number {
  return Math.max(0, lines.findLastIndex((line) => line.row <= cursorRow));
}

/** Witness: the last lines of the history, or without a history the first of the screen, if they have text. */
function findWitness({ lines, historySize, complete }: Grid, at: number): Cursor["witness"] {
  const inHistory = lines.findLastIndex((line) => line.row + line.rows <= historySize) + 1;
  const end = Math.min(at, inHistory > 0 ? inHistory : complete ? TOP : 0);
  const witness = lines.slice(Math.max(0, end - WITNESS), end);
  if (witness.every((line) => line.text === "")) return undefined;
  return { up: lines[at]!.row - lines[end]!.row, count: witness.length, hash: hashLines(witness) };
}

/** Hash of a line in the tail. The cursor's own line is compared most often, so it has the longer hash. */
function hashTail(text: string, index: number): number {
  return index === 0 ? hash32(text) : hash16(text);
}

function hashLines(lines: readonly Line[]): number {
  return hash32(lines.map((line) => line.text).join("\n"));
}

function hash16(text: string): number {
  const hash = hash32(text);
  return (hash ^ hash >>> 16) & 0xffff;
}
