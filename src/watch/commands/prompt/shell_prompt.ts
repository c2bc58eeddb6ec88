// Types at a shell's prompt through a control client, and remembers what stood there before.
import type { Dialect } from "../../../shell/dialect.ts";
import type { PromptView } from "../../../shell/screen.ts";
import { cellsOf, textBefore, withoutStyle } from "../../followed_screen.ts";
import { continuesCommand, MAX_ROWS_ABOVE, mayContinue } from "./continuation.ts";
import { LineProbe } from "./line_probe.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";
import { commandContinues, notShown, textTyped, tooNarrow } from "../refusals.ts";
import type { AbsoluteRow } from "../remain_on_exit.ts";
import type { ShellAtPrompt } from "./shell_at_prompt.ts";
import { delay } from "../../../timer.ts";

/** A prompt that can't be known to be complete counts as complete once it has not changed for this long (ms). */
const REST_MS = 150;
const REST_PATIENCE_MS = 3000;
/** The rows of a prompt above its last, at most. */
const MAX_RAISED = 4;
/** In fewer columns, line editors scroll, and typed text can't be distinguished from a prompt. */
const MIN_COLUMNS = 3;
/** In fewer, fish replaces its prompt. */
const MIN_COLUMNS_FISH = 4;
/** A piece of the loader, long enough to recognize it. */
const START_CHARS = 12;
/** A terminal repeats a line at once, unless the machine is under load (ms). */
const REPRINT_MS = 1000;

export class ShellPrompt {
  readonly #pane: PaneKeys;
  #before: CursorPlace = { column: 0, row: 0, history: 0, width: 0, height: 0 };
  #text = "";
  #loader = "";
  #isEntered = false;
  /** True if the text behind the cursor is older than the prompt. */
  #isDrawnOver = false;

  constructor(pane: PaneKeys) {
    this.#pane = pane;
  }

  /** True if the loader has been sent with Enter: mark R may come from now on. */
  get isEntered(): boolean {
    return this.#isEntered;
  }

  /** The row the cursor was on before anything was typed, from 0. */
  get row(): number {
    return this.#before.row;
  }

  /** The same row, counted with the rows that had scrolled off. */
  get absoluteRow(): AbsoluteRow {
    return this.#before.row + this.#before.history;
  }

  /**
   * Reads the prompt once it stands: at once where the shell is known to wait, else when it rests. `row` is where the
   * cursor was last; another costs a round trip.
   */
  async read({ waits, row = 0 }: { waits: boolean; row?: number }): Promise<void> {
    await this.#readRow(row);
    const until = performance.now() + REST_PATIENCE_MS;
    for (let rests = waits; !rests && performance.now() < until;) {
      const before = `${this.#before.column} ${this.absoluteRow} ${this.#text}`;
      await delay(REST_MS);
      await this.#readRow(this.#before.row);
      rests = before === `${this.#before.column} ${this.absoluteRow} ${this.#text}`;
    }
  }

  /**
   * Types the loader, whose first character is a blank. That goes alone where a line editor takes it: in vi's command
   * mode, or behind text a person has typed, the rest would do harm.
   * Enter waits for `held`.
   * @throws {AppError} `busy` when there is text at the prompt
   */
  async typeLoader(shell: ShellAtPrompt, held?: Promise<void>): Promise<void> {
    const { dialect, edits, inputKind } = shell;
    this.#loader = dialect.loader;
    const { width } = this.#before;
    const least = dialect.name === "fish" ? MIN_COLUMNS_FISH : MIN_COLUMNS;
    if (width < least) throw tooNarrow(this.#pane.paneId, width);
    await this.#refuseContinuation(dialect);
    if (edits) await this.#typeBlank(shell);
    else if (inputKind === "line") await this.#reprint();
    // Without echo nobody can see whether text is typed there.
    else if (inputKind === "password") await this.#pane.press(this.#pane.keys("C-u"));
    this.#isDrawnOver = /^\S/.test(cellsOf(this.#text)[this.#before.column] ?? "");
    await held;
    const rest = edits ? this.#loader.slice(1) : this.#loader;
    this.#isEntered = true;
    // A terminal that does not turn CR into a newline (`stty -icrnl`) takes lines that end in one.
    await this.#pane.press(this.#pane.literal(rest), this.#pane.keys(edits ? "Enter" : "C-j"));
  }

  /** The screen before typing, and the lowest row that was typed on. To be asked at mark R. */
  async view(): Promise<PromptView> {
    const { row, history, width } = await this.#pane.cursor();
    const below = row + history - this.absoluteRow;
    const isHigher = below < 1 + Math.floor((this.#before.column + this.#loader.length) / width);
    const raised = isHigher ? await this.#rowsRaised(history) : 0;
    // More than the pane has are off its top.
    const rowsTyped = Math.min(below + raised, this.#before.height);
    const { column } = this.#before;
    return {
      row: this.#isDrawnOver ? `${this.#text}\x1b[${column + 1}G\x1b[K` : this.#text,
      column,
      rowsTyped,
    };
  }

  /** As `view()` will be at most. */
  get tallestView(): PromptView {
    const { column, height } = this.#before;
    return { row: `${this.#text}\x1b[${column + 1}G\x1b[K`, column, rowsTyped: height };
  }

  /** Rows between the loader and the place it was typed at: a prompt may shrink once its line is done (powerlevel10k). */
  async #rowsRaised(history: number): Promise<number> {
    const row = this.absoluteRow - history;
    const above = await this.#rows(row - MAX_RAISED, row);
    const start = this.#loader.trim().slice(0, START_CHARS);
    const found = above.toReversed().findIndex((line) => line.includes(start));
    return Math.max(found, 0);
  }

  /** True if the pane shows the same prompt again, with nothing behind it. */
  async isShown(): Promise<boolean> {
    const now = new ShellPrompt(this.#pane);
    await now.read({ waits: true });
    const prompt = this.line;
    const isSame = now.line === prompt && now.#before.column === this.#before.column;
    return isSame && prompt.trim() !== "" && withoutStyle(now.#text).trimEnd() === prompt.trimEnd();
  }

  /** The line above the cursor, as where a shell complains; empty where that is part of the loader. */
  async lineAbove(): Promise<string> {
    const { row } = await this.#pane.cursor();
    const [line = ""] = await this.#rows(row - 1, row - 1);
    return this.#loader.includes(line.trim()) ? "" : line.trim();
  }

  /** Sequence that erases this prompt from the end of an output; its whole line, if it differs from `before`. */
  erasure(before: ShellPrompt): Uint8Array {
    const known = before.line;
    const { column } = before.#before;
    const isKnown = known !== "" && this.line.endsWith(known);
    return new TextEncoder().encode(isKnown ? `\x1b[${column}D\x1b[K` : "\r\x1b[2K");
  }

  /** Drops what was typed, or a loader that waits in vain. */
  async interrupt(): Promise<void> {
    await this.#pane.press(this.#pane.keys("C-c"));
  }

  /** @throws {AppError} `busy` where the shell asks for the rest of a command */
  async #refuseContinuation(dialect: Dialect): Promise<void> {
    const prompt = this.line;
    const { row, column, history, width } = this.#before;
    const count = Math.min(row + history, MAX_ROWS_ABOVE);
    if (count === 0 || !mayContinue(prompt, dialect)) return;
    const above = await this.#rows(row - count, row - 1);
    if (await continuesCommand({ prompt, column, above, width }, dialect)) {
      throw commandContinues(this.#pane.paneId);
    }
  }

  async #typeBlank({ seen }: ShellAtPrompt): Promise<void> {
    const probe = async (isSecond: boolean): Promise<boolean> => {
      const line = new LineProbe(this.#pane, {
        before: this.#before,
        row: this.#text,
        shell: seen,
        isSecond,
      });
      const isTyped = await line.typeBlank();
      this.#before = line.before;
      return isTyped;
    };
    if (await probe(false)) return;
    // fish goes to the column it knows, where its prompt was cleared away under it.
    await this.read({ waits: false });
    if (!await probe(true)) throw textTyped(this.#pane.paneId);
  }

  /**
   * Without a line editor the terminal has what is typed, and shows it once more on the next row on request.
   * @throws {AppError} `busy` when there is text at the prompt, which stays
   */
  async #reprint(): Promise<void> {
    await this.#pane.press(this.#pane.keys("C-r"));
    const until = performance.now() + REPRINT_MS;
    // `^R` may begin on the next row.
    const next = 1 + Math.floor((this.#before.column + 1) / this.#before.width);
    for (;;) {
      const { row, column, history } = await this.#pane.cursor();
      const below = row + history - this.absoluteRow;
      if (below === next && column === 0) return;
      if (below >= next) throw textTyped(this.#pane.paneId);
      if (performance.now() < until) continue;
      // A terminal that does not reprint lines.
      if (column > this.#before.column) await this.#pane.press(this.#pane.keys("BSpace"));
      throw notShown(this.#pane.paneId);
    }
  }

  async #readRow(row: number): Promise<void> {
    const [text, cursor] = await Promise.all([this.#pane.capture(row), this.#pane.cursor()]);
    if (cursor.row !== row) return await this.#readRow(cursor.row);
    this.#text = text;
    this.#before = cursor;
  }

  async #rows(first: number, last: number): Promise<string[]> {
    const text = withoutStyle(await this.#pane.capture(first, last));
    return text.split("\n").slice(0, last - first + 1);
  }

  /** The text before the cursor. */
  get line(): string {
    return textBefore(this.#text, { row: 0, column: this.#before.column });
  }
}
