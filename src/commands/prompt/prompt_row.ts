// The row of a prompt before anything was typed on it, and a way to read later views of it.
import { cellsOf, changesStyleAt, joinedCellsOf, joinsEmoji } from "../../watch/followed_screen.ts";
import type { CursorPlace } from "./pane_keys.ts";

/** A later view of the prompt's row, and how far the cursor has moved since. */
export interface PromptRowView {
  /** Cells that the cursor has moved to the right; a row counts as its width. */
  moved: number;
  cells: readonly string[];
}

/** Number of blanks that were typed, and how many of them are before the cursor. */
export interface Blanks {
  blanks: number;
  passed: number;
}

export const ONE: Blanks = { blanks: 1, passed: 1 };
export const TWO: Blanks = { blanks: 2, passed: 2 };
/** No blanks: the cursor is where it was. */
export const NONE: Blanks = { blanks: 0, passed: 0 };
/** Blanks that show an empty line: two of three are before the cursor. */
export const PROBE: Blanks = { blanks: 3, passed: 2 };
/** The cursor is before the one blank. */
export const BACK: Blanks = { blanks: 1, passed: 0 };
/** Blanks typed after Escape and `i`, following the first one. */
export const AFTER_ESCAPE: Blanks = { blanks: 7, passed: 6 };
/** Text that ends at the right edge, far from the cursor, is a separate right-hand prompt. */
const RIGHT_PROMPT = /\s{3,}\S.*$/;
const RIGHT_EDGE = 2;

export class PromptRow {
  #before: CursorPlace;
  readonly cells: readonly string[];
  readonly #changesStyle: boolean;
  /** Reads the cells of a view of this row. */
  readonly cellsOf: (shown: string) => string[];

  /** `row` is the text of the cursor's row. */
  constructor(before: CursorPlace, row: string) {
    this.#before = before;
    const endsBefore = before.character.trim() === "" && joinsEmoji(row, before.column);
    this.cellsOf = endsBefore ? joinedCellsOf : cellsOf;
    this.cells = this.cellsOf(row);
    this.#changesStyle = changesStyleAt(row, before.column);
  }

  /** Place of the cursor before anything was typed. */
  get before(): CursorPlace {
    return this.#before;
  }

  /** Text from the cursor on, without a right-hand prompt. */
  get afterCursor(): string {
    return this.afterCursorIn(this.cells);
  }

  afterCursorIn(cells: readonly string[]): string {
    const { column, width } = this.#before;
    const isAtEdge = lastCell(cells) >= width - RIGHT_EDGE;
    const text = cells.slice(column).join("").trimEnd();
    return isAtEdge ? text.replace(RIGHT_PROMPT, "") : text;
  }

  /** Characters of the row from the cursor on. */
  get charsAfterCursor(): readonly string[] {
    return [...this.cells.slice(this.#before.column).join("").trimEnd()];
  }

  /** True if one character follows the cursor and its style suggests no rest of a line. */
  get isLoneCharacter(): boolean {
    return this.charsAfterCursor.length === 1 && !this.#changesStyle;
  }

  movedTo(now: CursorPlace): number {
    this.noteCleared(now);
    const { row, column, history, width } = this.#before;
    return (now.row + now.history - row - history) * width + now.column - column;
  }

  /** Corrects the place: a prompt redrawn at the top of the screen (zsh's reset-prompt) leaves a copy above. */
  noteCleared({ row, history }: CursorPlace): void {
    const before = this.#before;
    if (row === before.row && row < before.height - 1) this.#before = { ...before, history };
  }

  isBelow({ row, history }: CursorPlace): boolean {
    return row + history > this.#before.row + this.#before.history;
  }

  /** zsh draws its prompt and line again below the end of a job that it reports; true if they stand in this row. */
  noteDrawnBelow({ row, history }: CursorPlace, shown: string): boolean {
    const { column } = this.#before;
    const [prompt, here] = [this.cells, this.cellsOf(shown)].map((cells) =>
      cells.slice(0, column).join("").trimEnd()
    );
    if (prompt === "" || prompt !== here) return false;
    this.#before = { ...this.#before, row, history };
    return true;
  }

  /** True if more than a blank now follows the same prompt: it was on its way when the prompt was read. */
  hasNewText(shown: PromptRowView): boolean {
    const { column, width } = this.#before;
    const end = column + shown.moved;
    // Typed text fills the row before the cursor is on the next one. What a job prints ends with a newline.
    const isLine = end < width || lastCell(shown.cells) >= width - RIGHT_EDGE;
    const isTyped = this.afterCursorIn(shown.cells.slice(0, end)).trim() !== "" && !this.isSame(shown);
    return shown.moved > 1 && isLine && isTyped && this.isPromptSame(shown);
  }

  /** Corrects the place: the line begins this many cells further right than it seemed to. */
  beginAt(moved: number): void {
    const { row, column, width } = this.#before;
    const cell = row * width + column + moved;
    this.#before = { ...this.#before, row: Math.floor(cell / width), column: cell % width };
  }

  /** Characters in `cells` before (negative) or after the cursor: a wide one counts once, off the row each cell. */
  chars(cells: number): number {
    const { column, width } = this.#before;
    const first = Math.min(column, column + cells);
    const end = Math.max(column, column + cells);
    const within = this.cells.slice(Math.max(0, first), Math.min(end, width)).filter((cell) => cell !== "");
    return within.length + Math.max(0, -first) + Math.max(0, end - width);
  }

  /** True if each of so many cells before the cursor, and the one before these, holds one plain character. */
  isNarrow(cells: number): boolean {
    const { column } = this.#before;
    return this.cells.slice(Math.max(0, column - cells - 1), column).every((cell) => cell.length === 1);
  }

  /** True if the blanks are where the cursor was, the cursor is after `passed` of them, and no text is overwritten. */
  isBlank({ moved, cells }: PromptRowView, { blanks, passed }: Blanks = ONE): boolean {
    const { column, width } = this.#before;
    const typed = cells.slice(column, column + blanks);
    if (moved !== passed || typed.some((cell) => cell !== " ")) return false;
    // A full row passes its last characters to the next.
    const kept = lastCell(this.cells) === width - 1 ? this.afterCursor.slice(0, -blanks) : this.afterCursor;
    return this.afterCursor.trim() === "" || !cells.slice(column + blanks).join("").startsWith(kept);
  }

  /**
   * True if a blank was typed where the shell suggested the rest of a line, in a different style: it now suggests
   * something else, or nothing. A suggestion that begins with a blank stays, and one of a single character looks like
   * a character that is typed over.
   */
  isSuggestion(shown: PromptRowView): boolean {
    if (!this.isBlank(shown)) return false;
    if (this.isSame(shown)) return this.#changesStyle;
    return !this.isOverwritten(shown) || this.#changesStyle && this.afterCursor.length === 1;
  }

  /** True if a blank has replaced the character at the cursor and nothing else changed, except a mode in the prompt. */
  isOverwritten(shown: PromptRowView): boolean {
    return this.showsAfterCursor(shown, [" ", ...this.charsAfterCursor.slice(1)]);
  }

  /** True if exactly these characters follow the cursor's old place. */
  showsAfterCursor(shown: PromptRowView, chars: readonly string[]): boolean {
    const text = this.from(shown).trimEnd();
    const room = this.#before.width - this.#before.column;
    return text === chars.join("").slice(0, room).trimEnd();
  }

  /** True if two blanks were inserted before the character left of the cursor. */
  isShifted({ cells }: PromptRowView): boolean {
    const { column } = this.#before;
    const shifted = [...this.cells.slice(0, column - 1), " ", " ", ...this.cells.slice(column - 1)];
    return cells.join("").trimEnd() === shifted.join("").trimEnd();
  }

  isUnchanged(shown: PromptRowView): boolean {
    return shown.moved === 0 && this.isSame(shown);
  }

  isSame({ cells }: PromptRowView): boolean {
    return cells.join("").trimEnd() === this.cells.join("").trimEnd();
  }

  isPromptSame({ cells }: PromptRowView): boolean {
    const { column } = this.#before;
    return cells.slice(0, column).join("").trimEnd() === this.cells.slice(0, column).join("").trimEnd();
  }

  /** Text of the row from the cursor's old place on. */
  from({ cells }: PromptRowView): string {
    return cells.slice(this.#before.column).join("");
  }
}

function lastCell(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}
