// Reads what a pane shows and has shown.
import { AppError, notFound } from "../../errors.ts";
import { flag, int, maybeInt } from "../columns.ts";
import { cursorCommands, readCursor } from "./cursor.ts";
import { parseCursor } from "./cursor_text.ts";
import { type PaneLines, readPanes } from "./many_panes.ts";
import { listPane, PANE_INFO_COLUMNS, type PaneInfo, type Panes } from "../objects/panes.ts";
import { readScreen, readSince, type Since, type SinceOptions } from "./since.ts";
import type { CapturedPane } from "../../terminal/screen.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { type Line, trimBlanks } from "./grid.ts";
import { lastStyledLines } from "./styles.ts";
import type { TmuxGateway } from "../gateway.ts";
import { ServerObjects } from "../objects/server_objects.ts";

export interface CaptureOptions {
  /** First and last row, as `capture-pane -S/-E` takes them: 0 is the screen's top, negative rows are scrollback. */
  start?: number | "-" | undefined;
  end?: number | "-" | undefined;
  /** Keep SGR escape sequences. */
  colors?: boolean | undefined;
  /** Join wrapped rows. */
  join?: boolean | undefined;
  /** Keep the blanks at the ends of rows. */
  blanks?: boolean | undefined;
}

const SCREEN = {
  columns: int("#{pane_width}"),
  rows: int("#{pane_height}"),
  column: int("#{cursor_x}"),
  row: int("#{cursor_y}"),
  showsCursor: flag("#{&&:#{cursor_flag},#{?pane_dead,0,1}}"),
};

export interface Snapshot {
  info: PaneInfo;
  lines: string[];
  /** True if rows above the first of `lines` are left out. */
  isCut: boolean;
  cursorX: number;
  cursorY: number;
  /** Set if the program shows no cursor. */
  cursorHidden?: true;
  /** In copy mode: number of rows by which the view is scrolled up. */
  scrollPosition?: number;
}

const SNAPSHOT = {
  ...PANE_INFO_COLUMNS,
  cursorX: int("#{cursor_x}"),
  cursorY: int("#{cursor_y}"),
  showsCursor: flag("#{cursor_flag}"),
  scrollPosition: maybeInt("#{scroll_position}"),
};

const SIZE = { history: int("#{history_size}") };

/** Factor by which each attempt reads further back, if wrapped rows left too few lines. */
const WIDEN = 8;

/** Commands that read a cursor, for whichever client runs them. */
export interface CursorReading {
  commands: Command[];
  /** Reads the cursor from the output of the commands. */
  read(printed: string): string;
  /** Runs the commands in a separate client. */
  fetch(): Promise<string>;
}

export class Capture extends ServerObjects {
  readonly #panes: Panes;

  constructor(tmux: TmuxGateway, panes: Panes) {
    super(tmux);
    this.#panes = panes;
  }

  /** Returns the requested rows (default: the visible screen), each ended by a newline, as tmux prints them. */
  async text(paneId: string, options: CaptureOptions = {}): Promise<string> {
    return await this.tmux.run([["has-session", "-t", paneId], captureCommand(paneId, options)]);
  }

  /** Returns the requested lines, without trailing blanks and without blank lines at the end. */
  async lines(paneId: string, options: CaptureOptions = {}): Promise<string[]> {
    return trimLines(await this.text(paneId, options));
  }

  /** Returns the lines on the screen, each with the number of blanks after its text. */
  async shown(paneId: string): Promise<Pick<Line, "text" | "blanks">[]> {
    return (await this.text(paneId)).split("\n").map(trimBlanks);
  }

  /** Returns the last `count` lines, not counting blank ones at the end; fewer only if there are no more. */
  async lastLines(paneId: string, count: number, options: CaptureOptions = {}): Promise<string[]> {
    for (let rows = Math.max(count, 1);; rows *= WIDEN) {
      const { lines, history } = await this.#sized(paneId, { ...options, start: -rows });
      // The first line may be the rest of a longer one.
      if (lines.length > count || rows >= history) return lastStyledLines(lines, count);
    }
  }

  /** Returns the visible screen with its size and cursor, from one moment. */
  async styled(paneId: string): Promise<CapturedPane> {
    const { codec } = this.tmux;
    const [, described = "", text = ""] = await this.tmux.runParts([
      ["has-session", "-t", paneId],
      ["display-message", "-p", "-t", paneId, codec.format(SCREEN)],
      ["capture-pane", "-p", "-e", "-N", "-t", paneId],
    ]);
    const [state] = codec.parse(SCREEN, described);
    if (!state) throw new AppError("tmux-error", `tmux did not describe "${paneId}": ${described}`);
    const { columns, rows, column, row, showsCursor } = state;
    return { text, columns, rows, ...(showsCursor && { cursor: { column, row } }) };
  }

  async #sized(paneId: string, options: CaptureOptions): Promise<{ lines: string[]; history: number }> {
    const { codec } = this.tmux;
    const [, size = "", text = ""] = await this.tmux.runParts([
      ["has-session", "-t", paneId],
      ["display-message", "-p", "-t", paneId, codec.format(SIZE)],
      captureCommand(paneId, options),
    ]);
    const [row] = codec.parse(SIZE, size);
    return { lines: trimLines(text), history: row?.history ?? 0 };
  }

  /**
   * Returns the last rows on the screen and facts of a pane, from one moment; the rows are not joined. With `colors`
   * they include blank rows, and have their colors up to the last cell; without, trailing blanks are left out.
   */
  async snapshot(paneId: string, { colors = false, maxLines = Infinity } = {}): Promise<Snapshot> {
    const { codec } = this.tmux;
    const [described = "", printed = ""] = await this.tmux.runParts([
      [...listPane(paneId), "-F", codec.format(SNAPSHOT)],
      captureCommand(paneId, { join: false, colors, blanks: colors }),
    ]);
    const [state] = this.tmux.rows.named(codec.parse(SNAPSHOT, described));
    if (!state) throw notFound("pane", paneId);
    const { cursorX, cursorY, showsCursor, scrollPosition, ...row } = state;
    const lines = colors ? printed.split("\n").slice(0, -1) : trimLines(printed);
    return {
      lines: lastStyledLines(lines, maxLines),
      isCut: lines.length > maxLines,
      cursorX,
      cursorY,
      ...(showsCursor ? {} : { cursorHidden: true as const }),
      ...(scrollPosition === undefined ? {} : { scrollPosition }),
      info: this.#panes.toInfo(row),
    };
  }

  /** Yields whole lines of many panes, with this many rows of history each. */
  many(panes: readonly PaneInfo[], history: number): AsyncGenerator<PaneLines> {
    return readPanes(this.tmux, panes, history);
  }

  /** Returns the capture-since cursor at the end of what the pane has printed. */
  async cursor(paneId: string): Promise<string> {
    return await this.cursorReading(paneId).fetch();
  }

  /** Does the same for whichever client runs the commands. */
  cursorReading(paneId: string): CursorReading {
    const { codec } = this.tmux;
    const commands = codec.divided(cursorCommands(paneId, codec));
    const read = (printed: string): string => readCursor(paneId, codec, codec.split(printed));
    return { commands, read, fetch: async () => read(await this.tmux.run(commands)) };
  }

  /** Row of a cursor, counted from the first row that the pane ever had; it shows which of two cursors came first. */
  rowOf(cursor: string): number {
    return parseCursor(cursor).row;
  }

  /** Returns the lines on the screen, and a cursor after them. */
  async screen(paneId: string, options: SinceOptions): Promise<Since> {
    return await readScreen(this.tmux, paneId, options);
  }

  /**
   * Reads the output since a cursor.
   * @throws {AppError} `gone` if the pane died, was respawned or ended with its server; `invalid-argument`
   */
  async since(cursor: string, options: SinceOptions): Promise<Since> {
    return await readSince(this.tmux, cursor, options);
  }
}

function captureCommand(
  paneId: string,
  { start, end, colors, join = true, blanks }: CaptureOptions,
): string[] {
  return [
    ...["capture-pane", "-p", "-t", paneId],
    ...(colors ? ["-e"] : []),
    ...(join ? ["-J"] : []),
    ...(blanks ? ["-N"] : []),
    ...(start === undefined ? [] : ["-S", rowArgument(start)]),
    ...(end === undefined ? [] : ["-E", rowArgument(end)]),
  ];
}

/** Limits of row numbers that tmux accepts; no pane has that many rows. */
const [FIRST_ROW, LAST_ROW] = [-(2 ** 31) + 1, 2 ** 15 - 1];

function rowArgument(row: number | "-"): string {
  return row === "-" ? row : String(Math.min(Math.max(row, FIRST_ROW), LAST_ROW));
}

/** Removes the spaces that `-J` keeps at the ends of lines although nothing printed them. */
function trimLines(text: string): string[] {
  const lines = text.split("\n").map((line) => trimBlanks(line).text);
  const last = lines.findLastIndex((line) => !isBlank(line));
  return lines.slice(0, last + 1);
}

function isBlank(line: string): boolean {
  // deno-lint-ignore no-control-regex -- the escape sequences of -e
  return line.replace(/\x1b\[[\d;:]*m|\x0e|\x0f/g, "").trim() === "";
}
