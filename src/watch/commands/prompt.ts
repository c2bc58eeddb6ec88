// Types at a shell's prompt through a control client, and knows what stood there before.
import type { PromptView } from "../../shell/screen.ts";
import type { Command } from "../../tmux/exec.ts";
import { findModeFailure, inNoMode } from "../../tmux/pane_mode.ts";
import { textBefore, withoutStyle } from "../followed_screen.ts";
import { notShown, textTyped } from "./refusals.ts";
import type { AbsoluteRow } from "./remains.ts";

/** Runs tmux commands in order; answers what the last one said. */
export type Send = (...commands: Command[]) => Promise<string>;

/** Where a pane's cursor is: column and row from 0, and the rows scrolled off before. */
interface Cursor {
  column: number;
  row: number;
  history: number;
  width: number;
}

/** A line editor echoes a key within this time, or is in vi's command mode (ms). */
const ECHO_MS = 80;
const FAR_ECHO_MS = 600;
const SLOW_ECHO_MS = 2000;
const MAX_SLOW_TRIES = 25;
/** A prompt that nobody can say is complete counts as such when it has not changed for this long (ms). */
const REST_MS = 150;
const REST_PATIENCE_MS = 3000;
/** Where the cursor stands while C-a and a blank are shown as `^A `, and while both are taken back. */
const TYPED = [0, 2];
const TAKEN_BACK = [3, 2, 0];
/** Asked again at once so often, which takes about half a millisecond each; then with pauses. */
const QUICK_LOOKS = 4;
const PAUSE_MS = 3;
/** The rows of a prompt above its last, at most. */
const MAX_RAISED = 4;
/** Of a loader, enough to know it by. */
const START_CHARS = 12;
/** One of these shows where a line begins; all of them should a prompt hold each. */
const SIGNS = ".,:+=_~%";

/** What is known of the shell that is typed to. */
export interface Typing {
  /** It has a line editor. */
  edits: boolean;
  waits?: (() => Promise<boolean>) | undefined;
}

export class Prompt {
  readonly #paneId: string;
  readonly #send: Send;
  #before: Cursor = { column: 0, row: 0, history: 0, width: 0 };
  #text = "";
  #loader = "";
  /** What stands behind the cursor was there before the prompt was. */
  #isDrawnOver = false;

  constructor(paneId: string, send: Send) {
    this.#paneId = paneId;
    this.#send = send;
  }

  /** The row the cursor was on before anything was typed, from 0. */
  get row(): number {
    return this.#before.row;
  }

  /** The same, with the rows that had scrolled off. */
  get absoluteRow(): AbsoluteRow {
    return this.#before.row + this.#before.history;
  }

  /** Looks at the prompt once it stands: at once where the shell is known to wait, else when it rests. */
  async look({ waits }: { waits: boolean }): Promise<void> {
    await this.#lookAt(0);
    const until = performance.now() + REST_PATIENCE_MS;
    for (let rests = waits; !rests && performance.now() < until;) {
      const before = `${this.#before.column} ${this.absoluteRow} ${this.#text}`;
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      await this.#lookAt(this.#before.row);
      rests = before === `${this.#before.column} ${this.absoluteRow} ${this.#text}`;
    }
  }

  /**
   * Types the loader, whose first character is a blank. Where a line editor takes it, the blank is tried alone:
   * in vi's command mode, or behind text a person has typed, the rest would do harm.
   * `waits` tells whether the shell has taken all that was typed; nobody knows of a far one.
   * @throws {AppError} `busy` when there is text at the prompt
   */
  async typeLoader(loader: string, { edits, waits }: Typing): Promise<void> {
    this.#loader = loader;
    // In a pane of a few columns the cursor tells nothing.
    const hasRoom = this.#before.column < this.#before.width - 4;
    const tries = edits && hasRoom;
    if (tries) await this.#tryBlank(waits);
    else if (hasRoom) await this.#tryKill();
    await this.#press(this.#literal(tries ? loader.slice(1) : loader), this.#keys("Enter"));
  }

  /** How the screen looked before typing, and how far down typing went. To be asked at mark R. */
  async view(): Promise<PromptView> {
    const { row, history, width } = await this.#cursor();
    const below = row + history - this.absoluteRow;
    const isHigher = below < 1 + Math.floor((this.#before.column + this.#loader.length) / width);
    const rowsTyped = below + (isHigher ? await this.#rowsRaised(history) : 0);
    const { column } = this.#before;
    return {
      row: this.#isDrawnOver ? `${this.#text}\x1b[${column + 1}G\x1b[K` : this.#text,
      column,
      rowsTyped,
    };
  }

  /** How far above where it was typed the loader stands: a prompt may shrink once its line is done (powerlevel10k). */
  async #rowsRaised(history: number): Promise<number> {
    const row = this.absoluteRow - history;
    const rows = ["-S", `${row - MAX_RAISED}`, "-E", `${row}`, "-t", this.#paneId];
    const above = (await this.#send(["capture-pane", "-p", ...rows])).split("\n").slice(0, MAX_RAISED + 1);
    const start = this.#loader.trim().slice(0, START_CHARS);
    const found = above.toReversed().findIndex((line) => line.includes(start));
    return Math.max(found, 0);
  }

  /** Whether the pane shows the same prompt again, with nothing behind it. */
  async isShown(): Promise<boolean> {
    const now = new Prompt(this.#paneId, this.#send);
    await now.look({ waits: true });
    const prompt = this.#shown();
    const isSame = now.#shown() === prompt && now.#before.column === this.#before.column;
    return isSame && prompt.trim() !== "" && now.#plain().trimEnd() === prompt.trimEnd();
  }

  /** What takes this prompt off the end of an output; all of its line, where it is not the one `before`. */
  erasure(before: Prompt): Uint8Array {
    const known = before.#shown();
    const { column } = before.#before;
    const isKnown = known !== "" && this.#shown().endsWith(known);
    return new TextEncoder().encode(isKnown ? `\x1b[${column}D\x1b[K` : "\r\x1b[2K");
  }

  /** Drops what was typed, or a loader that waits in vain. */
  async interrupt(): Promise<void> {
    await this.#press(this.#keys("C-c"));
  }

  /** Types a blank at the start of the line, and sees from the cursor what it did. */
  async #tryBlank(waits: Typing["waits"], again = false): Promise<void> {
    const behind = this.#behind();
    if (behind !== "") return await this.#tryOver(behind);
    await this.#press(this.#keys("C-a"), this.#literal(" "));
    let moved = await this.#echoed(waits, waits ? ECHO_MS : FAR_ECHO_MS);
    if (moved === 0) {
      // vi's command mode; or a shell so slow that the keys are still to come, which C-u takes away again.
      await this.#press(this.#literal("i"), this.#keys("C-u"), this.#literal(" "));
      moved = await this.#echoed(waits, waits ? QUICK_LOOKS * ECHO_MS : SLOW_ECHO_MS);
    }
    if (moved === TAKEN_BACK[0]) {
      // vi's insert mode, and a terminal without a line editor, show C-a as ^A.
      await this.#press(this.#keys("BSpace", "BSpace"), this.#literal(" "));
      moved = await this.#echoed(waits, SLOW_ECHO_MS, TAKEN_BACK);
    }
    if (moved === 1) return;
    // A shell that took it all and showed nothing: `stty -echo`.
    if (moved === 0 && await waits?.()) return;
    await this.#press(this.#keys("BSpace", "C-e"));
    if (moved !== undefined && moved > 1 && !again) {
      // fish goes to the column it knows, where its prompt was cleared away under it; typed text only moves back.
      await this.look({ waits: false });
      return await this.#tryBlank(waits, true);
    }
    throw moved === 0 ? notShown(this.#paneId) : textTyped(this.#paneId);
  }

  /** Machines under load: what the shell has not taken yet it cannot have shown. */
  async #echoed(waits: Typing["waits"], patienceMs: number, way = TYPED): Promise<number | undefined> {
    let moved = await this.#moved(patienceMs, way);
    const goesOn = (): boolean => moved !== undefined && way.includes(moved);
    for (let tries = 0; goesOn() && tries < MAX_SLOW_TRIES && await waits?.() === false; tries++) {
      moved = await this.#moved(ECHO_MS, way);
    }
    return moved;
  }

  /** A blank takes the place of what a program left on the screen; in front of typed text it moves that on. */
  async #tryOver(behind: string): Promise<void> {
    const { row, column } = this.#before;
    await this.#press(this.#literal(" "));
    const moved = await this.#moved(FAR_ECHO_MS);
    const now = withoutStyle(await this.#capture(row)).slice(column).trimEnd();
    this.#isDrawnOver = moved === 1 && now === ` ${behind.slice(1)}`.trimEnd();
    if (this.#isDrawnOver) return;
    if (moved === 1) await this.#press(this.#keys("BSpace"));
    throw textTyped(this.#paneId);
  }

  /**
   * Without a line editor the terminal itself takes a typed line back, and shows it by the cursor. What is typed
   * after that shows when it has: where it stands, the line began.
   */
  async #tryKill(): Promise<void> {
    const plain = this.#plain();
    this.#isDrawnOver = this.#behind() !== "";
    const sign = [...SIGNS].find((each) => !plain.includes(each)) ?? SIGNS;
    await this.#press(this.#keys("C-u"), this.#literal(sign));
    const column = await this.#columnOf(sign);
    await this.#press(this.#keys("C-u"));
    if (column === undefined || column >= this.#before.column) return;
    await this.#press(this.#literal(plain.slice(column, this.#before.column)));
    throw textTyped(this.#paneId);
  }

  /** Where the sign shows before the cursor; undefined where the terminal does not echo. */
  async #columnOf(sign: string): Promise<number | undefined> {
    const until = performance.now() + ECHO_MS;
    for (let looks = 1; performance.now() < until; looks++) {
      const { row, column } = await this.#cursor();
      const plain = withoutStyle(await this.#capture(row));
      // A line that is still being taken back moves the cursor between the two.
      const rests = (await this.#cursor()).column === column;
      if (rests && column > 0 && plain.slice(0, column).endsWith(sign)) return column - sign.length;
      if (looks >= QUICK_LOOKS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return undefined;
  }

  /** @throws {AppError} `busy` where somebody has begun to scroll in the pane */
  async #press(...keys: Command[]): Promise<void> {
    await this.#send(inNoMode(this.#paneId), ...keys).catch((error: Error) => {
      throw findModeFailure(error.message) ?? error;
    });
  }

  async #lookAt(row: number): Promise<void> {
    const [text, cursor] = await Promise.all([this.#capture(row), this.#cursor()]);
    if (cursor.row !== row) return await this.#lookAt(cursor.row);
    this.#text = text;
    this.#before = cursor;
  }

  /** The text before the cursor. */
  #shown(): string {
    return textBefore(this.#text, { row: 0, column: this.#before.column });
  }

  #plain(): string {
    return withoutStyle(this.#text);
  }

  /** What stands behind the cursor, as far as that can be told. */
  #behind(): string {
    const plain = this.#plain();
    // Only where every character is one cell wide is the column the place in the text.
    const behind = /^[\x20-\x7e]*$/.test(plain) ? plain.slice(this.#before.column) : "";
    return /^\S/.test(behind) ? behind.trimEnd() : "";
  }

  /**
   * Columns the cursor has moved: 1 as soon as it is that, anything else once it rests; where that is
   * on the `way` to 1, when time is up.
   */
  async #moved(patienceMs: number, way = TYPED): Promise<number | undefined> {
    const until = performance.now() + patienceMs;
    let last: number | undefined = 0;
    for (let looks = 1;; looks++) {
      const now = await this.#cursor();
      const sameRow = now.row + now.history === this.#before.row + this.#before.history;
      const moved = sameRow ? now.column - this.#before.column : undefined;
      const rests = moved === last && looks > QUICK_LOOKS && !(moved !== undefined && way.includes(moved));
      if (moved === 1 || rests) return moved;
      if (performance.now() > until) return moved;
      last = moved;
      if (looks >= QUICK_LOOKS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #cursor(): Promise<Cursor> {
    const format = "#{cursor_x} #{cursor_y} #{history_size} #{pane_width}";
    const text = await this.#send(["display-message", "-p", "-t", this.#paneId, format]);
    const [column = 0, row = 0, history = 0, width = 0] = text.split(" ").map(Number);
    return { column, row, history, width };
  }

  #capture(row: number): Promise<string> {
    return this.#send(["capture-pane", "-p", "-e", "-S", `${row}`, "-E", `${row}`, "-t", this.#paneId]);
  }

  #keys(...names: string[]): Command {
    return ["send-keys", "-t", this.#paneId, ...names];
  }

  #literal(text: string): Command {
    return ["send-keys", "-l", "-t", this.#paneId, "--", text];
  }
}
