// Text put on a pane's screen as if its program had printed it; it is never typed and never run.
import { AppError } from "../../errors.ts";
import { flag, int, type RowOf } from "../columns.ts";
import { captureTwice, readLines, splitRows } from "../capture/grid.ts";
import { ServerObjects } from "./server_objects.ts";

const CURSOR = {
  x: int("#{cursor_x}"),
  y: int("#{cursor_y}"),
  /** Size of the history, which grows when the screen scrolls under a cursor that stays. */
  history: int("#{history_size}"),
  alternate: flag("#{alternate_on}"),
  dead: flag("#{pane_dead}"),
  tty: "#{pane_tty}",
};

type CursorRow = RowOf<typeof CURSOR>;

/** Number of times that a row is read again because the program moved the cursor. */
const MAX_READS = 4;

export class Displays extends ServerObjects {
  /**
   * Returns the bytes that show text above the cursor's line, and leave line and cursor as they were.
   * @throws {AppError} `not-found`, `gone` for a dead pane, `busy` if a full-screen program owns the screen
   */
  async prepare(
    paneId: string,
    { text, clear }: { text: string; clear: boolean },
  ): Promise<{ tty: string; bytes: Uint8Array }> {
    let cursor = await this.tmux.rows.read(CURSOR, paneId);
    for (let reads = 0;; reads++) {
      checkWritable(paneId, cursor);
      const place = await this.#lineAt(paneId, cursor.y);
      const { rows, now } = await this.#rows(paneId, place);
      const still = now.x === cursor.x && now.y === cursor.y && now.history === cursor.history;
      if (still || reads === MAX_READS) {
        const above = Math.max(now.y - place.first, 0);
        return { tty: now.tty, bytes: compose({ text, clear, rows, above, x: now.x }) };
      }
      cursor = now;
    }
  }

  /** Returns the rows of the screen over which the line of this row wraps. */
  async #lineAt(paneId: string, y: number): Promise<{ first: number; last: number }> {
    const [joined = "", rows = ""] = await this.tmux.runParts(captureTwice(["-t", paneId, "-S", "0"]));
    const line = readLines(joined, splitRows(rows), 0).find((each) => y < each.row + each.rows);
    return line === undefined ? { first: y, last: y } : { first: line.row, last: line.row + line.rows - 1 };
  }

  async #rows(
    paneId: string,
    { first, last }: { first: number; last: number },
  ): Promise<{ rows: string[]; now: CursorRow }> {
    const { codec } = this.tmux;
    const [, line = "", described = ""] = await this.tmux.runParts([
      ["has-session", "-t", paneId],
      ["capture-pane", "-p", "-e", "-N", "-t", paneId, "-S", String(first), "-E", String(last)],
      ["display-message", "-p", "-t", paneId, codec.format(CURSOR)],
    ]);
    const [now] = codec.parse(CURSOR, described);
    return { rows: splitRows(line), now: now! };
  }
}

function checkWritable(paneId: string, { alternate, dead }: CursorRow): void {
  if (!dead && !alternate) return;
  const why = dead ? "its program has ended" : "a full-screen program draws it";
  throw new AppError(dead ? "gone" : "busy", `Cannot write to pane "${paneId}": ${why}`, {
    hint: "Call display-message to show something in the status line",
  });
}

interface Composition {
  text: string;
  clear: boolean;
  /** Rows of the cursor's line, which goes below the text. */
  rows: readonly string[];
  /** Number of these rows above the cursor, and the cursor's column. */
  above: number;
  x: number;
}

function compose({ text, clear, rows, above, x }: Composition): Uint8Array {
  const up = (count: number): string => count > 0 ? `\x1b[${count}A` : "";
  const erased = rows.map(() => "\x1b[2K").join("\x1b[B");
  const before = clear ? "\x1b[H\x1b[2J" : `\r${up(above)}${erased}${up(rows.length - 1)}`;
  const lines = shown(text).split("\n");
  const last = Math.max(rows.length - 1 - above, 0);
  // Full rows wrap by themselves.
  const line = `${rows.join("").replace(/ +$/, "")}\x1b[m\r${up(last)}\x1b[${x + 1}G`;
  return new TextEncoder().encode(`${before}\x1b[m${lines.join("\r\n")}\x1b[m\r\n${line}`);
}

/** Escape sequences: with a final byte (group 1: colours), strings up to their end, short ones; other controls. */
const CONTROLS =
  // deno-lint-ignore no-control-regex -- they are what is searched for
  /(\x1b\[[\d;:]*m)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[^\P{Cc}\n\t]/gu;

/** Returns text with its colours only: other sequences could make the terminal type an answer to the program. */
function shown(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return lines.replace(CONTROLS, (_, colour) => colour ?? "");
}
