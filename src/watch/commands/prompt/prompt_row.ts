// The row of a prompt before anything was typed on it, and how to read later views of it.
import { cellsOf, changesStyleAt } from "../../followed_screen.ts";
import type { CursorPlace } from "./pane_keys.ts";

/** The row of the prompt, and how far the cursor has moved on it. */
export interface PromptRowView {
  /** Cells to the right, a row counted as its width. */
  moved: number;
  cells: readonly string[];
}

/** Blanks that were typed, and how many of them the cursor is behind. */
export interface Blanks {
  blanks: number;
  passed: number;
}

export const ONE: Blanks = { blanks: 1, passed: 1 };
/** The cursor is where it was. */
export const NONE: Blanks = { blanks: 0, passed: 0 };
/** Text that ends at the right edge, far from the cursor, is a prompt of its own. */
const RIGHT_PROMPT = /\s{3,}\S.*$/;
const RIGHT_EDGE = 2;

export class PromptRow {
  #before: CursorPlace;
  readonly #cells: readonly string[];
  readonly #changesStyle: boolean;

  /** `row` is what the cursor's row shows. */
  constructor(before: CursorPlace, row: string) {
    this.#before = before;
    this.#cells = cellsOf(row);
    this.#changesStyle = changesStyleAt(row, before.column);
  }

  /** Place of the cursor before anything was typed. */
  get before(): CursorPlace {
    return this.#before;
  }

  get cells(): readonly string[] {
    return this.#cells;
  }

  /** Text from the cursor on, without a prompt at the right edge. */
  get behind(): string {
    return this.behindIn(this.#cells);
  }

  behindIn(cells: readonly string[]): string {
    const { column, width } = this.#before;
    const isAtEdge = lastCell(cells) >= width - RIGHT_EDGE;
    const text = cells.slice(column).join("").trimEnd();
    return isAtEdge ? text.replace(RIGHT_PROMPT, "") : text;
  }

  /** The characters of the row from the cursor on. */
  get charsBehind(): readonly string[] {
    return [...this.#cells.slice(this.#before.column).join("").trimEnd()];
  }

  movedTo(now: CursorPlace): number {
    this.noteCleared(now);
    const { row, column, history, width } = this.#before;
    return (now.row + now.history - row - history) * width + now.column - column;
  }

  /** A prompt at the top of the screen that is drawn again (zsh's reset-prompt) leaves a copy in the history. */
  noteCleared({ row, history }: CursorPlace): void {
    const before = this.#before;
    if (row === before.row && row < before.height - 1) this.#before = { ...before, history };
  }

  /** The line begins this many cells to the right of where it seemed to. */
  beginAt(moved: number): void {
    const { row, column, width } = this.#before;
    const cell = row * width + column + moved;
    this.#before = { ...this.#before, row: Math.floor(cell / width), column: cell % width };
  }

  /** Number of characters `cells` before the cursor, or behind it. Wide ones are one; beyond this row each cell counts. */
  chars(cells: number): number {
    const { column, width } = this.#before;
    const first = Math.min(column, column + cells);
    const end = Math.max(column, column + cells);
    const within = this.#cells.slice(first, Math.min(end, width)).filter((cell) => cell !== "");
    return within.length + Math.max(0, end - width);
  }

  /** Blanks stand where the cursor was, which is behind some, and nothing has moved on for them. */
  isBlank({ moved, cells }: PromptRowView, { blanks, passed }: Blanks = ONE): boolean {
    const { column, width } = this.#before;
    const typed = cells.slice(column, column + blanks);
    if (moved !== passed || typed.some((cell) => cell !== " ")) return false;
    // A full row passes its last characters to the next.
    const kept = lastCell(this.#cells) === width - 1 ? this.behind.slice(0, -blanks) : this.behind;
    return this.behind.trim() === "" || !cells.slice(column + blanks).join("").startsWith(kept);
  }

  /**
   * A blank was typed where the shell suggested the rest of a line, in a style of its own: another rest is shown, or
   * none. One that begins with a blank stays, and one character looks like one that is typed over.
   */
  isSuggestion(shown: PromptRowView): boolean {
    if (!this.isBlank(shown)) return false;
    if (this.isSame(shown)) return this.#changesStyle;
    return !this.isOverwritten(shown) || this.#changesStyle && this.behind.length === 1;
  }

  /** A blank stands in place of the character at the cursor, and the rest as before; the prompt may name another mode. */
  isOverwritten(shown: PromptRowView): boolean {
    return this.isBehind(shown, [" ", ...this.charsBehind.slice(1)]);
  }

  /** True if these characters, and no others, stand from the cursor's old place on. */
  isBehind(shown: PromptRowView, chars: readonly string[]): boolean {
    const text = this.from(shown).trimEnd();
    const room = this.#before.width - this.#before.column;
    return text === chars.join("").slice(0, room).trimEnd();
  }

  /** Two blanks stand before the character that was left of the cursor. */
  isShifted({ cells }: PromptRowView): boolean {
    const { column } = this.#before;
    const shifted = [...this.#cells.slice(0, column - 1), " ", " ", ...this.#cells.slice(column - 1)];
    return cells.join("").trimEnd() === shifted.join("").trimEnd();
  }

  isUnchanged(shown: PromptRowView): boolean {
    return shown.moved === 0 && this.isSame(shown);
  }

  isSame({ cells }: PromptRowView): boolean {
    return cells.join("").trimEnd() === this.#cells.join("").trimEnd();
  }

  isPromptSame({ cells }: PromptRowView): boolean {
    const { column } = this.#before;
    return cells.slice(0, column).join("").trimEnd() === this.#cells.slice(0, column).join("").trimEnd();
  }

  /** Text of the row from the cursor's old place on. */
  from({ cells }: PromptRowView): string {
    return cells.slice(this.#before.column).join("");
  }
}

/** The number of the last cell that shows something. */
function lastCell(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}
