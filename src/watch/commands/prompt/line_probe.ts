// Finds out whether anything is typed at a prompt, by keys that take nothing of it away.
import type { Command } from "../../../tmux/exec.ts";
import { cellsOf } from "../../followed_screen.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";
import type { SeenShell } from "../interruption.ts";
import { notShown, textTyped } from "../refusals.ts";
import { delay } from "../../../timer.ts";

/** The row of the prompt and where the cursor is, beside where it was. */
interface PromptRowView {
  /** Cells to the right, a row counted as its width. */
  moved: number;
  cells: readonly string[];
}

/** A line editor echoes a key within this time, or does nothing with it (ms). */
const ECHO_MS = 80;
const FAR_ECHO_MS = 600;
const SLOW_ECHO_MS = 2000;
/** A machine under load is waited for as long again as its shell has not taken what was typed (ms). */
const LOADED_MS = 2000;
/** A screen unchanged for this long shows the final effect of the keys (ms). */
const REST_MS = 8;
const FAR_REST_MS = 60;
/** Asked again at once so often, which takes about half a millisecond each; then with pauses. */
const QUICK_LOOKS = 4;
const PAUSE_MS = 3;
/** fish takes Escape for a key of its own after 30 ms. */
const ESCAPE_MS = 100;
/** Text that ends at the right edge, far from the cursor, is a prompt of its own. */
const RIGHT_PROMPT = /\s{3,}\S.*$/;
const RIGHT_EDGE = 2;

/** Blanks that were typed, and how many of them the cursor is behind. */
interface Blanks {
  blanks: number;
  passed: number;
}

const ONE: Blanks = { blanks: 1, passed: 1 };
const PROBE: Blanks = { blanks: 3, passed: 2 };
const AFTER_ESCAPE: Blanks = { blanks: 6, passed: 6 };

export class LineProbe {
  readonly #pane: PaneKeys;
  #before: CursorPlace;
  readonly #cells: readonly string[];
  readonly #shell: SeenShell | undefined;

  /** `row` is what the cursor's row shows. */
  constructor(
    pane: PaneKeys,
    { before, row, shell }: { before: CursorPlace; row: string; shell?: SeenShell | undefined },
  ) {
    this.#pane = pane;
    this.#before = before;
    this.#cells = cellsOf(row);
    this.#shell = shell;
  }

  /** Place of the cursor before anything was typed. */
  get before(): CursorPlace {
    return this.#before;
  }

  /**
   * Types blanks to a line editor whose line is empty: one, and two before it, which leaves the cursor where neither
   * those keys on their way nor any of them behind text leave it. As its mode turns out there are other ways: vi's
   * insert mode shows C-a as ^A or does nothing with it, vi's command mode shows nothing at all.
   * @returns false, and nothing is typed, where the prompt was drawn again elsewhere
   * @throws {AppError} `busy` when there is text at the prompt, which then stands as before
   */
  async typeBlank(): Promise<boolean> {
    const { keys, blank } = this.#words();
    const shown = await this.#try([blank, keys("C-a"), blank, blank], PROBE);
    const { moved } = shown;
    const isRowSame = this.#isRowSame(shown);
    if (this.#isBlank(shown, PROBE)) return true;
    if (this.#shows(shown, " ^A")) return await this.#inInsertMode(4);
    if (moved === 3 && isRowSame && this.#behind(shown.cells) === "") return await this.#inInsertMode(3);
    if (this.#isUnchanged(shown)) await this.#inCommandMode();
    else if (moved > 0 && moved <= 3 && isRowSame) {
      await this.#refuse(keys(...Array<string>(moved).fill("h")));
    } else if (moved > 2) {
      return await this.#pane.press(keys("BSpace", "BSpace", "C-e", "BSpace")).then(() => false);
    } else await this.#refuseFromStart(2 - moved);
    return true;
  }

  /** The first blank is not there where it ended a key that a person had begun (`C-x`, `C-v`). */
  async #refuseFromStart(cells: number): Promise<never> {
    const { keys } = this.#words();
    const shown = await this.#try([keys("BSpace", "BSpace", ...this.#wayBack(cells))]);
    if (shown.moved !== 1) throw textTyped(this.#pane.paneId);
    const isTyped = this.#behind(this.#cells) === "" || !this.#isRowSame(shown);
    return await this.#refuse(keys(isTyped ? "BSpace" : "C-b"));
  }

  /** Keys that go back over text typed before the cursor, as many cells of it as C-a has gone, and the first blank. */
  #wayBack(cells: number): string[] {
    const { column } = this.#before;
    if (cells > column) return ["C-e"];
    return Array<string>(this.#charsIn(column - cells, column) + 1).fill("C-f");
  }

  /** Wide characters are one; beyond this row each cell counts. */
  #charsIn(first: number, end: number): number {
    const { width } = this.#before;
    const cells = this.#cells.slice(first, Math.min(end, width));
    return cells.filter((cell) => cell !== "").length + Math.max(0, end - width);
  }

  /** Escape steps back over the last character, if there is one. More blanks than are on their way out tell it. */
  async #inInsertMode(typed: number): Promise<boolean> {
    const { keys } = this.#words();
    const { blanks } = AFTER_ESCAPE;
    const erase = Array<string>(typed).fill("BSpace");
    const back = keys(...Array<string>(blanks).fill("BSpace"));
    const shown = await this.#try(
      [keys(...erase, "Escape", "i"), this.#pane.literal(" ".repeat(blanks))],
      AFTER_ESCAPE,
    );
    // Text that vi's replace mode has overwritten looks like a program's leftovers.
    if (this.#isBlank(shown, AFTER_ESCAPE) && this.#behind(this.#cells) === "") return true;
    if (this.#shows(shown, "^[")) return await this.#withoutEditor().then(() => true);
    if (shown.moved === blanks) await this.#refuse(back);
    await this.#restore(keys(...Array<string>(blanks).fill("BSpace"), "Escape"), keys("l", "a"));
    // A prompt that names the mode can only be judged once it does.
    if (this.#isPromptSame(shown)) throw textTyped(this.#pane.paneId);
    return false;
  }

  /** A far terminal that takes whole lines shows Escape, and takes all of it back by itself. */
  async #withoutEditor(): Promise<void> {
    const { keys, blank } = this.#words();
    const takeBack = keys(...Array<string>(AFTER_ESCAPE.blanks + 2).fill("BSpace"));
    const shown = await this.#try([takeBack, blank], ONE, SLOW_ECHO_MS);
    if (!this.#isBlank(shown)) await this.#refuse(keys("BSpace"));
  }

  /** `A` goes to the end of the line. */
  async #inCommandMode(): Promise<void> {
    const { keys, blank } = this.#words();
    const shown = await this.#try([keys("A"), blank]);
    if (this.#isBlank(shown)) return;
    const { moved } = shown;
    if (/^ {0,2}A/.test(this.#from(shown))) {
      // A shell so slow that it had not shown the keys before.
      const takeBack = keys(...Array<string>(moved).fill("BSpace"));
      if (this.#isBlank(await this.#try([takeBack, blank], ONE, SLOW_ECHO_MS))) return;
      throw notShown(this.#pane.paneId);
    }
    if (this.#isUnchanged(shown)) {
      if (!this.#shell || !await this.#waits(this.#shell)) throw notShown(this.#pane.paneId);
      // A shell that took it all and showed nothing: `stty -echo`.
      return await this.#pane.press(keys("BSpace", "BSpace"));
    }
    const chars = this.#charsIn(this.#before.column, this.#before.column + moved - 1) - 1;
    await this.#refuse(
      keys("BSpace", "Escape"),
      ...chars > 0 ? [keys(...Array<string>(chars).fill("h"))] : [],
    );
  }

  #words(): { keys: (...names: string[]) => Command; blank: Command } {
    return { keys: (...names) => this.#pane.keys(...names), blank: this.#pane.literal(" ") };
  }

  async #refuse(...restore: Command[]): Promise<never> {
    await this.#restore(...restore);
    throw textTyped(this.#pane.paneId);
  }

  /** Presses what makes the line what it was: in parts, where Escape and a letter together are another key. */
  async #restore(...restore: Command[]): Promise<void> {
    for (const [index, keys] of restore.entries()) {
      if (index > 0) await delay(ESCAPE_MS);
      await this.#pane.press(keys);
    }
  }

  /** Blanks stand where the cursor was, which is behind some, and nothing has moved on for them. */
  #isBlank({ moved, cells }: PromptRowView, { blanks, passed }: Blanks = ONE): boolean {
    const { column, width } = this.#before;
    const typed = cells.slice(column, column + blanks);
    if (moved !== passed || typed.some((cell) => cell !== " ")) return false;
    const behind = this.#behind(this.#cells);
    // A full row hands its last characters on.
    const kept = lastCell(this.#cells) === width - 1 ? behind.slice(0, -blanks) : behind;
    return behind.trim() === "" || !cells.slice(column + blanks).join("").startsWith(kept);
  }

  #isUnchanged(shown: PromptRowView): boolean {
    return shown.moved === 0 && this.#isRowSame(shown);
  }

  #isPromptSame({ cells }: PromptRowView): boolean {
    const { column } = this.#before;
    return cells.slice(0, column).join("") === this.#cells.slice(0, column).join("");
  }

  #isRowSame({ cells }: PromptRowView): boolean {
    return cells.join("").trimEnd() === this.#cells.join("").trimEnd();
  }

  #shows(shown: PromptRowView, text: string): boolean {
    return this.#from(shown).startsWith(text);
  }

  /** Text of the row from the cursor's old place on. */
  #from({ cells }: PromptRowView): string {
    return cells.slice(this.#before.column).join("");
  }

  /** Text from the cursor on, without a prompt at the right edge. */
  #behind(cells: readonly string[]): string {
    const { column, width } = this.#before;
    const isAtEdge = lastCell(cells) >= width - RIGHT_EDGE;
    const text = cells.slice(column).join("").trimEnd();
    return isAtEdge ? text.replace(RIGHT_PROMPT, "") : text;
  }

  /** Presses keys and waits until that shows as many blanks, or all there is to see. */
  async #try(
    keys: Command[],
    wanted: Blanks = ONE,
    patienceMs = this.#shell ? ECHO_MS : FAR_ECHO_MS,
  ): Promise<PromptRowView> {
    const slept = await this.#shell?.sleeps();
    // The first look goes along, which is as soon as tmux has pressed them.
    const [, first] = await Promise.all([this.#pane.press(...keys), this.#look()]);
    const began = performance.now();
    let last = first;
    let restedAt = began;
    for (let looks = 1; !this.#isBlank(last, wanted); looks++) {
      const isSoon = looks < QUICK_LOOKS;
      if (!isSoon) await delay(PAUSE_MS);
      const shown = isSoon ? await this.#look() : await this.#lookQuickly(wanted);
      if (shown.moved !== last.moved) restedAt = performance.now();
      last = shown;
      const now = performance.now();
      const patience = shown.moved === 0 ? patienceMs : this.#shell ? REST_MS : FAR_REST_MS;
      if (now - Math.max(restedAt, began) < patience) continue;
      if (now - began > patienceMs + LOADED_MS || await this.#took(slept)) return await this.#look();
    }
    return last;
  }

  /** True if it has taken all that has reached it. */
  async #waits(shell: SeenShell): Promise<boolean> {
    return (await shell.inspect()).waitingForInput;
  }

  /** True if the shell has woken up for what was typed and taken it all; of a remote one nobody knows. */
  async #took(slept: number | undefined): Promise<boolean> {
    if (!this.#shell) return true;
    return await this.#waits(this.#shell) && (slept === undefined || await this.#shell.sleeps() !== slept);
  }

  /** The row only where the cursor is where it should be: while nothing is echoed each look would cost tmux twice. */
  async #lookQuickly({ passed }: Blanks): Promise<PromptRowView> {
    const moved = this.#movedTo(await this.#pane.cursor());
    return moved === passed ? await this.#look() : { moved, cells: this.#cells };
  }

  async #look(): Promise<PromptRowView> {
    const { row } = this.#before;
    const [now, shown] = await Promise.all([this.#pane.cursor(), this.#pane.capture(row)]);
    this.#noteCleared(now);
    const scrolled = now.history - this.#before.history;
    const text = scrolled === 0 ? shown : await this.#pane.capture(row - scrolled);
    return { moved: this.#movedTo(now), cells: cellsOf(text) };
  }

  /** A prompt at the top of the screen that is drawn again (zsh's reset-prompt) leaves a copy in the history. */
  #noteCleared({ row, history }: CursorPlace): void {
    const before = this.#before;
    if (row === before.row && row < before.height - 1) this.#before = { ...before, history };
  }

  #movedTo(now: CursorPlace): number {
    this.#noteCleared(now);
    const { row, column, history, width } = this.#before;
    return (now.row + now.history - row - history) * width + now.column - column;
  }
}

/** The number of the last cell that shows something. */
function lastCell(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}
