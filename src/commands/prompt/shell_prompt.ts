// Types at a shell's prompt through a control client, and remembers what the row showed before.
import type { EditedLine } from "../../process/process_inspector.ts";
import { type PromptView, shownLines } from "../../shell/screen.ts";
import { cellsOf, rowsOf, textBefore, withoutStyle } from "../../watch/followed_screen.ts";
import { continuesCommand, MAX_ROWS_ABOVE, mayContinue } from "./continuation.ts";
import { LineProbe } from "./line_probe.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";
import { KeyEcho } from "./key_echo.ts";
import { NONE, PromptRow } from "./prompt_row.ts";
import type { SeenShell } from "../seen_shell.ts";
import { commandContinues, notShown, textTyped, tooNarrow } from "../refusals.ts";
import { reprint } from "./reprint.ts";
import { isSamePromptElsewhere } from "../../watch/prompt_line.ts";
import type { AbsoluteRow } from "../../watch/remain_on_exit.ts";
import type { ShellAtPrompt } from "./shell_at_prompt.ts";
import { delay, pollUntil } from "../../timer.ts";

/** Time (ms) without a change after which a prompt counts as complete, and the least for one that looks empty. */
const REST_MS = 150;
const EMPTY_MS = 1000;
const REST_PATIENCE_MS = 3000;
/** Time (ms) for a shell to take the keys that are on their way. */
const KEYS_MS = 300;
const KEY_PAUSE_MS = 1;
/** Maximum number of rows of a prompt above its last row. */
const MAX_RAISED = 4;
/** Least columns: in a narrower pane, line editors scroll, and typed text can't be told from a prompt. */
const MIN_COLUMNS = 3;
/** Least columns for fish, which replaces its prompt in a narrower pane. */
const MIN_COLUMNS_FISH = 4;
/** Characters of the loader that are enough to recognize it. */
const START_CHARS = 12;
/** Time (ms) for a terminal to reprint a line: under load, the kernel's echo took over a second in 2 of 600 commands. */
const REPRINT_MS = 5000;
/** The same where the shell may not know what reprinting is; it is behind a link that shows keys sooner. */
const REMOTE_REPRINT_MS = 2000;
/** Time (ms) for a shell to take Ctrl-C. */
const DROP_MS = 1000;
const DROP_PAUSE_MS = 3;

export class ShellPrompt {
  readonly #pane: PaneKeys;
  #before: CursorPlace = { column: 0, row: 0, history: 0, width: 0, height: 0, character: "" };
  #text = "";
  #loader = "";
  #isEntered = false;
  #seen: SeenShell | undefined;
  /** Number of times the shell had slept when the prompt was read. */
  #slept: number | undefined;
  /** True if the text after the cursor is older than the prompt. */
  #isDrawnOver = false;

  constructor(pane: PaneKeys) {
    this.#pane = pane;
  }

  /** True if the loader has been sent with Enter; mark R may come from now on. */
  get isEntered(): boolean {
    return this.#isEntered;
  }

  /** Row of the cursor before anything was typed, from 0. */
  get row(): number {
    return this.#before.row;
  }

  /** The same row, counted from the start of the history. */
  get absoluteRow(): AbsoluteRow {
    return this.#before.row + this.#before.history;
  }

  /** The row below a command that stands at this prompt, counted in the same way. */
  rowBelow(command: string): AbsoluteRow {
    const { column, width } = this.#before;
    const rows = shownLines(command).map((line, index) =>
      rowsOf(line, { column: index === 0 ? column : 0, width })
    );
    return rows.reduce((sum, count) => sum + count, this.absoluteRow);
  }

  /**
   * Reads the prompt: at once if the shell is known to wait, else when the screen rests. `row` is the cursor's last
   * known row; if it has changed, that costs a round trip.
   */
  async read(
    { waits, row = 0, seen }: { waits: boolean; row?: number; seen?: SeenShell | undefined },
  ): Promise<void> {
    this.#seen = seen;
    this.#slept = await seen?.sleeps();
    await this.#readRow(row);
    const began = performance.now();
    for (let rests = waits; !rests && performance.now() - began < REST_PATIENCE_MS;) {
      const before = `${this.#before.column} ${this.absoluteRow} ${this.#text}`;
      await delay(REST_MS);
      await this.#readRow(this.#before.row);
      const isDrawn = this.line.trim() !== "" || performance.now() - began > EMPTY_MS;
      rests = isDrawn && before === `${this.#before.column} ${this.absoluteRow} ${this.#text}`;
    }
  }

  /**
   * Types the loader, whose first character is a blank. Where a line editor reads it, the blank is typed alone first:
   * in vi's command mode, or after text that a person has typed, the rest would do harm. Enter waits for `held`.
   * @throws {AppError} `busy` if there is text at the prompt
   */
  async typeLoader(shell: ShellAtPrompt, held?: Promise<void>): Promise<void> {
    const { dialect, edits, inputKind } = shell;
    this.#loader = dialect.loader;
    const { width } = this.#before;
    const least = dialect.name === "fish" ? MIN_COLUMNS_FISH : MIN_COLUMNS;
    if (width < least) throw tooNarrow(this.#pane.paneId, width);
    await this.#refuseContinuation(shell);
    await held;
    if (edits) await this.#findEmptyLine(shell);
    else if (inputKind === "line") await this.#refuseTyped();
    // Without echo it is impossible to see whether text is typed there.
    else if (inputKind === "password") await this.#pane.press(this.#pane.keys("C-u"));
    this.#isDrawnOver = /^\S/.test(cellsOf(this.#text)[this.#before.column] ?? "");
    this.#isEntered = true;
    // A terminal that does not turn CR into a newline (`stty -icrnl`) needs lines that end in a newline.
    await this.#pane.press(this.#pane.literal(this.#loader), this.#pane.keys(edits ? "Enter" : "C-j"));
  }

  /**
   * True unless the shell has provably slept ever since the prompt was read: keys can stay in the kernel for over a
   * second, and the shell then waits as if it had not run what was typed.
   */
  async hasWoken(): Promise<boolean> {
    return this.#slept === undefined || await this.#seen?.sleeps() !== this.#slept;
  }

  /** Returns the screen from before typing, and the number of rows that were typed on. Call it at mark R. */
  async view(): Promise<PromptView> {
    const { row, history, width } = await this.#pane.cursor();
    const below = row + history - this.absoluteRow;
    const isHigher = below < 1 + Math.floor((this.#before.column + this.#loader.length) / width);
    const raised = isHigher ? await this.#rowsRaised(history) : 0;
    // Rows beyond the pane's height have scrolled off its top.
    const rowsTyped = Math.min(below + raised, this.#before.height);
    const { column } = this.#before;
    return {
      row: this.#isDrawnOver ? `${this.#text}\x1b[${column + 1}G\x1b[K` : this.#text,
      column,
      rowsTyped,
    };
  }

  /** The largest view that `view()` can return. */
  get tallestView(): PromptView {
    const { column, height } = this.#before;
    return { row: `${this.#text}\x1b[${column + 1}G\x1b[K`, column, rowsTyped: height };
  }

  /** Rows between the loader and where it was typed: a prompt may shrink once its line is done (powerlevel10k). */
  async #rowsRaised(history: number): Promise<number> {
    const row = this.absoluteRow - history;
    const above = await this.#rows(row - MAX_RAISED, row);
    const start = this.#loader.trim().slice(0, START_CHARS);
    return Math.max(above.toReversed().findIndex((line) => line.includes(start)), 0);
  }

  /** True if the pane shows the same prompt again, perhaps of another folder, with nothing after it. */
  async isShown(): Promise<boolean> {
    const now = new ShellPrompt(this.#pane);
    await now.read({ waits: true });
    const { line } = now;
    return isSamePromptElsewhere(line, this.line) && withoutStyle(now.#text).trimEnd() === line.trimEnd();
  }

  /** Returns the line above the cursor, where a shell complains; empty if it is part of the loader. */
  async lineAbove(): Promise<string> {
    const { row } = await this.#pane.cursor();
    const [line = ""] = await this.#rows(row - 1, row - 1);
    return this.#loader.includes(line.trim()) ? "" : line.trim();
  }

  /** Returns the sequence that erases this prompt from an output's end; the whole line if it isn't as before. */
  erasure(before: ShellPrompt): Uint8Array {
    const known = before.line;
    const { column } = before.#before;
    const isKnown = known !== "" && this.line.endsWith(known);
    return new TextEncoder().encode(isKnown ? `\x1b[${column}D\x1b[K` : "\r\x1b[2K");
  }

  /** Presses Ctrl-C, which drops typed text or ends a loader that waits in vain. */
  async interrupt(): Promise<void> {
    await this.#pane.press(this.#pane.keys("C-c"));
  }

  /** Presses Ctrl-C, and waits for the next prompt: what is typed before the shell takes it is dropped as well. */
  async dropLine(): Promise<void> {
    const { row, history } = await this.#pane.cursor();
    await this.interrupt();
    await pollUntil(async () => {
      const now = await this.#pane.cursor();
      return now.row + now.history > row + history && now.column > 0;
    }, { ms: DROP_MS, pauseMs: DROP_PAUSE_MS });
  }

  /** @throws {AppError} `busy` if the shell asks for the rest of a command */
  async #refuseContinuation({ dialect, seen }: ShellAtPrompt): Promise<void> {
    // The screen decides only where the shell doesn't show it.
    const line = seen?.line();
    if (line !== undefined) return this.#refuse(line);
    const prompt = this.line;
    const { row, column, history, width } = this.#before;
    const count = Math.min(row + history, MAX_ROWS_ABOVE);
    if (count === 0 || !mayContinue(prompt, dialect)) return;
    const above = await this.#rows(row - count, row - 1);
    if (!await continuesCommand({ prompt, column, above, width }, dialect)) return;
    if (dialect.name !== "fish" || !seen || await this.#hasLineAbove(seen)) {
      throw commandContinues(this.#pane.paneId);
    }
  }

  /** True if the cursor goes back to an earlier line of the same command; it is then where it was. */
  async #hasLineAbove(seen: SeenShell): Promise<boolean> {
    const echo = new KeyEcho(this.#pane, new PromptRow(this.#before, this.#text), seen);
    const { moved } = await echo.press([echo.keys("Left")], { blanks: 0, passed: -1 });
    if (moved !== 0) await echo.press([echo.keys("Right")], NONE);
    return moved !== 0;
  }

  /** @throws {AppError} `busy` if there is text at the prompt */
  async #findEmptyLine(shell: ShellAtPrompt): Promise<void> {
    const { seen } = shell;
    for (const until = performance.now() + KEYS_MS; seen && performance.now() < until;) {
      const line = seen.line();
      if (line === undefined) break;
      this.#refuse(line);
      if (line === "empty" && await this.#isCurrent(seen)) return;
      await delay(KEY_PAUSE_MS);
    }
    await this.#typeBlank(shell);
  }

  /** @throws {AppError} `busy` if a line takes no command */
  #refuse(line: EditedLine): void {
    if (line === "begun") throw textTyped(this.#pane.paneId);
    if (line === "continued") throw commandContinues(this.#pane.paneId);
  }

  /** True if the shell has slept since the prompt was read; else it is read again: zsh draws it below a job's end. */
  async #isCurrent(seen: SeenShell): Promise<boolean> {
    const slept = await seen.sleeps();
    if (slept === this.#slept) return true;
    this.#slept = slept;
    await this.#readRow(this.#before.row);
    return false;
  }

  async #typeBlank({ seen, dialect }: ShellAtPrompt): Promise<void> {
    const probe = async (isSecond: boolean): Promise<boolean> => {
      const line = new LineProbe(this.#pane, {
        before: this.#before,
        row: this.#text,
        shell: seen,
        dialect: dialect.name,
        isSecond,
      });
      const isTyped = await line.typeBlank();
      this.#before = line.before;
      // A shell that reads its terminal in a way of its own (ksh93) knows no reprint: what it holds can't be seen.
      if (line.isUnedited && !seen) await reprint(this.#pane, this.#before, REMOTE_REPRINT_MS);
      return isTyped;
    };
    // Few prompts are empty, so the prompt may not have been drawn yet.
    if (this.line.trim() === "") await this.read({ waits: false });
    if (await probe(false)) return;
    // If its prompt was cleared while it waited, fish goes to the column that it remembers.
    await this.read({ waits: false });
    if (!await probe(true)) throw textTyped(this.#pane.paneId);
  }

  /** @throws {AppError} `busy` if a terminal without a line editor holds text */
  async #refuseTyped(): Promise<void> {
    if (!await reprint(this.#pane, this.#before, REPRINT_MS)) throw notShown(this.#pane.paneId);
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

  /** Text before the cursor. */
  get line(): string {
    return textBefore(this.#text, { row: 0, column: this.#before.column });
  }
}
