// Text put on a pane's screen as if its program had printed it; it is never typed and never run.
import { AppError } from "../../errors.ts";
import { flag, int, type RowOf } from "../columns.ts";
import type { TmuxGateway } from "../gateway.ts";

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

/** Bytes for a terminal. */
export interface Display {
  tty: string;
  bytes: Uint8Array;
}

/** Number of times that a row is read again because the program moved the cursor. */
const MAX_READS = 4;

export class Displays {
  readonly #tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.#tmux = tmux;
  }

  /**
   * Returns the bytes that show text above the cursor's row, and leave row and cursor as they were.
   * @throws {AppError} `not-found`, `gone` for a dead pane, `busy` if a full-screen program owns the screen
   */
  async prepare(paneId: string, { text, clear }: { text: string; clear: boolean }): Promise<Display> {
    let cursor = await this.#tmux.rows.read(CURSOR, paneId);
    for (let reads = 0;; reads++) {
      checkWritable(paneId, cursor);
      const { row, now } = await this.#row(paneId, cursor.y);
      const still = now.x === cursor.x && now.y === cursor.y && now.history === cursor.history;
      if (still || reads === MAX_READS) {
        return { tty: now.tty, bytes: compose({ text, clear, row, x: now.x }) };
      }
      cursor = now;
    }
  }

  async #row(paneId: string, y: number): Promise<{ row: string; now: CursorRow }> {
    const { codec } = this.#tmux;
    const printed = await this.#tmux.run([
      ["has-session", "-t", paneId],
      ["capture-pane", "-p", "-e", "-t", paneId, "-S", String(y), "-E", String(y)],
      codec.dividerCommand(),
      ["display-message", "-p", "-t", paneId, codec.format(CURSOR)],
    ]);
    const [row = "", rest = ""] = codec.split(printed);
    const [now] = codec.parse(CURSOR, rest);
    return { row: row.replace(/\n$/, ""), now: now! };
  }
}

function checkWritable(paneId: string, { alternate, dead }: CursorRow): void {
  if (dead) {
    throw new AppError("gone", `Cannot write to pane "${paneId}": its program has ended`, {
      hint: "Call display-message to show something in the status line",
    });
  }
  if (!alternate) return;
  throw new AppError("busy", `Cannot write to pane "${paneId}": a full-screen program draws it`, {
    hint: "Call display-message to show something in the status line",
  });
}

function compose(
  { text, clear, row, x }: { text: string; clear: boolean; row: string; x: number },
): Uint8Array {
  const before = clear ? "\x1b[H\x1b[2J" : "\r\x1b[2K";
  const lines = shown(text).split("\n");
  return new TextEncoder().encode(`${before}\x1b[m${lines.join("\r\n")}\x1b[m\r\n${row}\x1b[m\x1b[${x + 1}G`);
}

/**
 * Escape sequences: those with a final byte (group 1: colours), strings up to their end, short ones; other controls.
 */
const CONTROLS =
  // deno-lint-ignore no-control-regex -- they are what is searched for
  /(\x1b\[[\d;:]*m)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[^\P{Cc}\n\t]/gu;

/** Returns text with its colours only: other sequences could make the terminal type an answer to the program. */
function shown(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return lines.replace(CONTROLS, (_, colour) => colour ?? "");
}
