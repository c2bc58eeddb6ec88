// Output of a pane since a capture cursor, page by page.
import { byteLength } from "../../bytes.ts";
import { AppError, hasCode, paneGone } from "../../errors.ts";
import {
  cursorAt,
  cursorAtEnd,
  cursorInside,
  cutOf,
  findLastPlace,
  findPlace,
  identityOf,
  mayHaveDropped,
  withMoment,
} from "./cursor.ts";
import { type Cursor, formatCursor, parseCursor } from "./cursor_text.ts";
import { type Grid, gridCommands, readGrid, readMostRows } from "./grid.ts";
import type { TmuxGateway } from "../gateway.ts";

export interface SinceOptions {
  maxLines: number;
  /** UTF-8 bytes of the lines, with a newline between them. */
  maxBytes: number;
  /** Read a dead pane too, which is otherwise refused. */
  ofDead?: boolean;
  /** If the cursor's place is uncertain, leave out the lines that may be from before it. */
  onlyNew?: boolean;
}

export interface Since {
  paneId: string;
  /** Cursor for the next call: at what did not fit, or else at what is printed next. */
  cursor: string;
  lines: string[];
  /** True if the cursor's place is lost: `lines` then begins with the oldest line that tmux retains and can print. */
  missed: boolean;
  /** True if there is more than fitted. */
  truncated: boolean;
  /** True if the alternate screen is shown; its text is not part of what is printed line by line. */
  alternateScreen: boolean;
}

/** Rows above the screen that are read first; more are read if the place is not among them. */
const FIRST_ROWS = 500;

/** Returns the lines on the screen, and the cursor after them. */
export async function readScreen(tmux: TmuxGateway, paneId: string, options: SinceOptions): Promise<Since> {
  const grid = await readBack(tmux, paneId, FIRST_ROWS);
  if (grid.dead) throw dead(paneId);
  const top = grid.lines.findIndex((line) => line.row + line.rows > grid.historySize);
  return page({ paneId, grid, start: Math.max(0, top), missed: false }, options);
}

/** Reads the output since the cursor `text`. */
export async function readSince(tmux: TmuxGateway, text: string, options: SinceOptions): Promise<Since> {
  const cursor = parseCursor(text);
  const { paneId } = cursor;
  const near = await readBack(tmux, paneId, FIRST_ROWS).catch(asGone(paneId));
  checkAlive(cursor, near, options);
  const sure = near.complete || !mayHaveDropped(cursor, near);
  const place = sure ? findPlace(cursor, near) : undefined;
  if (place !== undefined) return page({ paneId, grid: near, start: place, missed: false, cursor }, options);
  const all = near.historySize;
  const grid = near.complete
    ? near
    : await readMostRows(all, (rows) => readBack(tmux, paneId, rows === all ? "-" : rows)).catch(
      asGone(paneId),
    );
  checkAlive(cursor, grid, options);
  const start = (near.complete ? undefined : findPlace(cursor, grid)) ??
    (options.onlyNew ? findLastPlace(cursor, grid) : undefined);
  return page({ paneId, grid, start: start ?? 0, missed: start === undefined, cursor }, options);
}

async function readBack(tmux: TmuxGateway, paneId: string, back: number | "-"): Promise<Grid> {
  const { codec } = tmux;
  return readGrid(paneId, codec, await tmux.runParts(gridCommands(paneId, codec, back)));
}

interface Page {
  paneId: string;
  grid: Grid;
  /** Index of the first line to return. */
  start: number;
  missed: boolean;
  cursor?: Cursor;
}

function page({ paneId, grid, start, missed, cursor }: Page, { maxLines, maxBytes }: SinceOptions): Since {
  const lines: string[] = [];
  const result = (next: Cursor, truncated: boolean): Since => ({
    paneId,
    cursor: formatCursor(withMoment(next, grid)),
    lines,
    missed,
    truncated,
    alternateScreen: grid.alternateOn,
  });
  let cut = cursor && !missed ? cutOf(cursor, grid.lines[start]) : 0;
  let room = maxBytes;
  for (let at = start; at < grid.used; at++) {
    const rest = grid.lines[at]!.text.slice(cut);
    const size = byteLength(rest) + (lines.length > 0 ? 1 : 0);
    if (lines.length >= maxLines || (size > room && (lines.length > 0 || maxBytes === 0))) {
      return result(cut > 0 ? cursorInside(paneId, grid, at, cut) : cursorAt(paneId, grid, at), true);
    }
    if (size > room) {
      const fits = fittingLength(rest, room);
      lines.push(rest.slice(0, fits));
      return result(cursorInside(paneId, grid, at, cut + fits), true);
    }
    lines.push(rest);
    room -= size;
    cut = 0;
  }
  return result(cursorAtEnd(paneId, grid), false);
}

/** Length of the longest beginning of `text` that takes at most this many bytes, but at least one character. */
function fittingLength(text: string, bytes: number): number {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read > 0 ? read : String.fromCodePoint(text.codePointAt(0)!).length;
}

function checkAlive(cursor: Cursor, grid: Grid, { ofDead }: SinceOptions): void {
  if (grid.dead && !ofDead) throw dead(cursor.paneId);
  if (grid.panePid === "" || identityOf(grid) === cursor.identity) return;
  throw new AppError("gone", `The program of pane "${cursor.paneId}" that the cursor belongs to has ended`, {
    hint: "The pane was respawned or its server restarted: call capture-since with paneId for a new cursor",
  });
}

function dead(paneId: string): AppError {
  return new AppError("gone", `Pane "${paneId}" is dead`, {
    hint: "Call capture-pane for what it shows, or respawn-pane to use it again",
  });
}

/** Turns `not-found` into `gone`: a pane that a cursor was made for did exist. */
function asGone(paneId: string): (error: unknown) => never {
  return (error) => {
    if (!hasCode(error, "not-found")) throw error;
    throw paneGone(paneId);
  };
}
