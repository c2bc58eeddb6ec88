// Reading what a pane shows and has shown.
import { AppError, notFound } from "../../errors.ts";
import { flag, formatRow, int, maybeInt, readRows } from "../columns.ts";
import { cursorCommands, readCursor } from "./cursor.ts";
import { parseCursor } from "./cursor_text.ts";
import { type PaneLines, readPanes } from "./many_panes.ts";
import { listPane, PANE_INFO_COLUMNS, type PaneInfo, type Panes } from "../objects/panes.ts";
import { readScreen, readSince, type Since, type SinceOptions } from "./since.ts";
import type { CapturedPane } from "../../terminal/screen.ts";
import type { Command } from "../exec.ts";
import type { TmuxGateway } from "../gateway.ts";

export interface CaptureOptions {
  /** First and last row as `capture-pane -S/-E` takes them: 0 is the top of the screen, negative is scrollback. */
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
  cursorX: number;
  cursorY: number;
  /** The program shows no cursor. */
  cursorHidden?: true;
  /** In copy mode: how many rows above the screen the view is. */
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

/** Factor by which each try reads further back when wrapped rows left too few lines. */
const WIDEN = 8;

/** How a cursor is read by whatever client runs the commands. */
export interface CursorReading {
  commands: Command[];
  /** The cursor, out of what the commands printed. */
  read(printed: string): string;
  /** Runs them in a client of its own. */
  fetch(): Promise<string>;
}

export class Capture {
  readonly #tmux: TmuxGateway;
  readonly #panes: Panes;

  constructor(tmux: TmuxGateway, panes: Panes) {
    this.#tmux = tmux;
    this.#panes = panes;
  }

  /** The rows asked for (default: the visible screen), each ended by a newline, as tmux prints them. */
  async text(paneId: string, options: CaptureOptions = {}): Promise<string> {
    return await this.#tmux.run([["has-session", "-t", paneId], captureCommand(paneId, options)]);
  }

  /** The requested lines without trailing blanks, and without blank lines at the end. */
  async lines(paneId: string, options: CaptureOptions = {}): Promise<string[]> {
    return trimLines(await this.text(paneId, options));
  }

  /** The last `count` lines there are, blank ones at the end not counted; fewer only where there are no more. */
  async lastLines(paneId: string, count: number, options: CaptureOptions = {}): Promise<string[]> {
    for (let rows = Math.max(count, 1);; rows *= WIDEN) {
      const { lines, history } = await this.#sized(paneId, { ...options, start: -rows });
      // The first line may be the rest of a longer one.
      if (lines.length > count || rows >= history) return count === 0 ? [] : lines.slice(-count);
    }
  }

  /** The visible screen with its size and cursor, from one moment. */
  async styled(paneId: string): Promise<CapturedPane> {
    const { codec } = this.#tmux;
    const printed = await this.#tmux.run([
      ["has-session", "-t", paneId],
      ["display-message", "-p", "-t", paneId, formatRow(SCREEN, codec)],
      codec.dividerCommand(),
      ["capture-pane", "-p", "-e", "-N", "-t", paneId],
    ]);
    const [described = "", ...content] = codec.split(printed);
    const [found] = readRows(SCREEN, codec, described);
    if (!found) throw new AppError("tmux-error", `tmux did not describe "${paneId}": ${described}`);
    const { columns, rows, column, row, showsCursor } = found;
    return { text: content.join(""), columns, rows, ...(showsCursor && { cursor: { column, row } }) };
  }

  async #sized(paneId: string, options: CaptureOptions): Promise<{ lines: string[]; history: number }> {
    const { codec } = this.#tmux;
    const text = await this.#tmux.run([
      ["has-session", "-t", paneId],
      ["display-message", "-p", "-t", paneId, formatRow(SIZE, codec)],
      codec.dividerCommand(),
      captureCommand(paneId, options),
    ]);
    const [size = "", ...content] = codec.split(text);
    const [row] = readRows(SIZE, codec, size);
    return { lines: trimLines(content.join("")), history: row?.history ?? 0 };
  }

  /**
   * Content and facts of a pane, from one moment; rows as they are, not joined. With `colors` every row is there, with
   * its colors up to its last cell; without, blanks at their ends are left out.
   */
  async snapshot(paneId: string, { colors = false } = {}): Promise<Snapshot> {
    const { codec } = this.#tmux;
    const [described = "", printed = ""] = await this.#tmux.runParts([
      [...listPane(paneId), "-F", formatRow(SNAPSHOT, codec)],
      captureCommand(paneId, { join: false, colors, blanks: colors }),
    ]);
    const [found] = this.#tmux.rows.named(readRows(SNAPSHOT, codec, described));
    if (!found) throw notFound("pane", paneId);
    const { cursorX, cursorY, showsCursor, scrollPosition, ...row } = found;
    return {
      lines: colors ? printed.split("\n").slice(0, -1) : trimLines(printed),
      cursorX,
      cursorY,
      ...(showsCursor ? {} : { cursorHidden: true as const }),
      ...(scrollPosition === undefined ? {} : { scrollPosition }),
      info: this.#panes.toInfo(row),
    };
  }

  /** Whole lines of many panes, with this many rows of history each. */
  many(panes: readonly PaneInfo[], history: number): AsyncGenerator<PaneLines> {
    return readPanes(this.#tmux, panes, history);
  }

  /** The capture-since cursor at the end of what the pane has printed. */
  async cursor(paneId: string): Promise<string> {
    return await this.cursorReading(paneId).fetch();
  }

  /** As `cursor`, for whatever client runs the commands. */
  cursorReading(paneId: string): CursorReading {
    const { codec } = this.#tmux;
    const commands = codec.divided(cursorCommands(paneId, codec));
    const read = (printed: string): string => readCursor(paneId, codec, codec.split(printed));
    return { commands, read, fetch: async () => read(await this.#tmux.run(commands)) };
  }

  /** The row that a cursor stands on, counted from the first that the pane ever had; it shows which of two came first. */
  rowOf(cursor: string): number {
    return parseCursor(cursor).row;
  }

  /** The lines on the screen, and a cursor after them. */
  async screen(paneId: string, options: SinceOptions): Promise<Since> {
    return await readScreen(this.#tmux, paneId, options);
  }

  /**
   * Reads the output since a cursor.
   * @throws {AppError} `gone` when the pane died, was respawned or went with its server; `invalid-argument`
   */
  async since(cursor: string, options: SinceOptions): Promise<Since> {
    return await readSince(this.#tmux, cursor, options);
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

/** tmux ignores a number beyond these; no pane has that many rows. */
const [FIRST_ROW, LAST_ROW] = [-(2 ** 31) + 1, 2 ** 15 - 1];

function rowArgument(row: number | "-"): string {
  return row === "-" ? row : String(Math.min(Math.max(row, FIRST_ROW), LAST_ROW));
}

/** `-J` keeps the spaces at the ends of lines, which nobody wrote. */
function trimLines(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/ +$/, ""));
  const last = lines.findLastIndex((line) => !isBlank(line));
  return lines.slice(0, last + 1);
}

function isBlank(line: string): boolean {
  // deno-lint-ignore no-control-regex -- the escape sequences of -e
  return line.replace(/\x1b\[[\d;:]*m|\x0e|\x0f/g, "").trim() === "";
}
