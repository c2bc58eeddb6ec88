// Finds out whether anything is typed at a prompt, by keys that take nothing of it away.
import type { Command } from "../../tmux/exec.ts";
import { cellsOf } from "../followed_screen.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";
import { notShown, textTyped } from "./refusals.ts";

/** A shell that the kernel shows. */
export interface TypedShell {
  /** It has taken all that has reached it, and waits for more. */
  waits(): Promise<boolean>;
  /** How often it went to sleep so far; undefined where nobody counts. */
  sleeps(): Promise<number | undefined>;
}

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

export class LineProbe {
  readonly #pane: PaneKeys;
  readonly #before: CursorPlace;
  readonly #cells: readonly string[];
  readonly #shell: TypedShell | undefined;

  /** `row` is what the cursor's row shows. */
  constructor(
    pane: PaneKeys,
    { before, row, shell }: { before: CursorPlace; row: string; shell?: TypedShell },
  ) {
    this.#pane = pane;
    this.#before = before;
    this.#cells = cellsOf(row);
    this.#shell = shell;
  }

  /**
   * Types blanks to a line editor whose line is empty: one, and one before it. As its mode turns out there are other
   * ways: vi's insert mode shows C-a as ^A or does nothing with it, vi's command mode shows nothing at all.
   * @returns false, and nothing is typed, where the prompt was drawn again elsewhere
   * @throws {AppError} `busy` when there is text at the prompt, which then stands as before
   */
  async typeBlank(): Promise<boolean> {
    const { keys, blank } = this.#words();
    const shown = await this.#try([blank, keys("C-a"), blank], { blanks: 2 });
    const { moved } = shown;
    if (this.#isBlank(shown, 2)) return true;
    if (this.#shows(shown, " ^A")) await this.#inInsertMode(3);
    else if (moved === 2 && this.#isRowSame(shown) && this.#behind(shown.cells) === "") {
      await this.#inInsertMode(2);
    } else if (this.#isUnchanged(shown)) await this.#inCommandMode();
    else if ((moved === 1 || moved === 2) && this.#isRowSame(shown)) {
      await this.#refuse(keys(...Array<string>(moved).fill("h")));
    } else if (moved > 1) return await this.#pane.press(keys("BSpace", "C-e", "BSpace")).then(() => false);
    else await this.#refuse(keys("BSpace", ...this.#wayBack(1 - moved), "BSpace"));
    return true;
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

  /** Escape steps back over the last character, if there is one. */
  async #inInsertMode(typed: number): Promise<void> {
    const { keys, blank } = this.#words();
    const shown = await this.#try([keys(...Array<string>(typed).fill("BSpace"), "Escape", "i"), blank]);
    if (this.#isBlank(shown)) return;
    if (this.#shows(shown, "^[")) return await this.#withoutEditor();
    if (shown.moved === 1) await this.#refuse(keys("BSpace"));
    await this.#refuse(keys("BSpace", "Escape"), keys("l", "a"));
  }

  /** A far terminal that takes whole lines shows Escape, and takes all of it back by itself. */
  async #withoutEditor(): Promise<void> {
    const { keys, blank } = this.#words();
    const shown = await this.#try([keys("BSpace", "BSpace", "BSpace"), blank], { patienceMs: SLOW_ECHO_MS });
    if (!this.#isBlank(shown)) await this.#refuse(keys("BSpace"));
  }

  /** `A` goes to the end of the line. */
  async #inCommandMode(): Promise<void> {
    const { keys, blank } = this.#words();
    const shown = await this.#try([keys("A"), blank]);
    if (this.#isBlank(shown)) return;
    const { moved } = shown;
    if (this.#shows(shown, "A") || this.#shows(shown, " A")) {
      // A shell so slow that it had not shown the keys before.
      const takeBack = keys(...Array<string>(moved).fill("BSpace"));
      if (this.#isBlank(await this.#try([takeBack, blank], { patienceMs: SLOW_ECHO_MS }))) return;
      throw notShown(this.#pane.paneId);
    }
    if (this.#isUnchanged(shown)) {
      if (await this.#shell?.waits() !== true) throw notShown(this.#pane.paneId);
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

  /** Presses what makes the line what it was: in parts, where Escape and a letter together are another key. */
  async #refuse(...restore: Command[]): Promise<void> {
    for (const [index, keys] of restore.entries()) {
      if (index > 0) await new Promise((resolve) => setTimeout(resolve, ESCAPE_MS));
      await this.#pane.press(keys);
    }
    throw textTyped(this.#pane.paneId);
  }

  /** Blanks stand where the cursor was, which is behind the first, and nothing has moved on for them. */
  #isBlank({ moved, cells }: PromptRowView, blanks = 1): boolean {
    const { column, width } = this.#before;
    const typed = cells.slice(column, column + blanks);
    if (moved !== 1 || typed.some((cell) => cell !== " ")) return false;
    const behind = this.#behind(this.#cells);
    // A full row hands its last characters on.
    const kept = lastCell(this.#cells) === width - 1 ? behind.slice(0, -blanks) : behind;
    return behind.trim() === "" || !cells.slice(column + blanks).join("").startsWith(kept);
  }

  #isUnchanged(shown: PromptRowView): boolean {
    return shown.moved === 0 && this.#isRowSame(shown);
  }

  #isRowSame({ cells }: PromptRowView): boolean {
    return cells.join("").trimEnd() === this.#cells.join("").trimEnd();
  }

  #shows({ cells }: PromptRowView, text: string): boolean {
    return cells.slice(this.#before.column).join("").startsWith(text);
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
    { blanks = 1, patienceMs = this.#shell ? ECHO_MS : FAR_ECHO_MS } = {},
  ): Promise<PromptRowView> {
    const slept = await this.#shell?.sleeps();
    await this.#pane.press(...keys);
    const began = performance.now();
    let last = await this.#lookQuickly();
    let restedAt = began;
    for (let looks = 1; !this.#isBlank(last, blanks); looks++) {
      if (looks >= QUICK_LOOKS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const shown = await this.#lookQuickly();
      if (shown.moved !== last.moved) restedAt = performance.now();
      last = shown;
      const now = performance.now();
      const patience = shown.moved === 0 ? patienceMs : this.#shell ? REST_MS : FAR_REST_MS;
      if (now - Math.max(restedAt, began) < patience) continue;
      if (now - began > patienceMs + LOADED_MS || await this.#took(slept)) return await this.#look();
    }
    return last;
  }

  /** True if the shell has woken up for what was typed and taken it all; of a remote one nobody knows. */
  async #took(slept: number | undefined): Promise<boolean> {
    if (!this.#shell) return true;
    return await this.#shell.waits() && (slept === undefined || await this.#shell.sleeps() !== slept);
  }

  /** The row only where the cursor is where it should be: while nothing is echoed each look would cost tmux twice. */
  async #lookQuickly(): Promise<PromptRowView> {
    const moved = this.#movedTo(await this.#pane.cursor());
    return moved === 1 ? await this.#look() : { moved, cells: this.#cells };
  }

  async #look(): Promise<PromptRowView> {
    const { row, history } = this.#before;
    const [now, shown] = await Promise.all([this.#pane.cursor(), this.#pane.capture(row)]);
    const scrolled = now.history - history;
    const text = scrolled === 0 ? shown : await this.#pane.capture(row - scrolled);
    return { moved: this.#movedTo(now), cells: cellsOf(text) };
  }

  #movedTo(now: CursorPlace): number {
    const { row, column, history, width } = this.#before;
    return (now.row + now.history - row - history) * width + now.column - column;
  }
}

/** The number of the last cell that shows something. */
function lastCell(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}
