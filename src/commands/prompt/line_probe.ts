// Finds out whether anything is typed at a prompt, using keys that remove none of it.
import type { SeenShell } from "../seen_shell.ts";
import { delay } from "../../timer.ts";
import { moveForward } from "./cursor_keys.ts";
import { KeyEcho } from "./key_echo.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";
import { AFTER_ESCAPE, BACK, NONE, ONE, PROBE, PromptRow, type PromptRowView, TWO } from "./prompt_row.ts";
import { notShown, textTyped } from "../refusals.ts";
import { typeBeforeText } from "./text_after_cursor.ts";

const SLOW_ECHO_MS = 2000;
/** Time (ms) for a prompt to be drawn again; a machine under load may take longer. */
const JOB_MS = 150;
const JOB_PAUSE_MS = 20;
/** Keys that go to the start of the line in vi's command mode. */
const TO_START = ["0", "^"] as const;
/** Keys that go to the start of a line; if C-a does something else, back over the typed blank and a character. */
const WAYS: readonly (readonly string[])[] = [["C-a"], ["C-b", "C-b"], ["Left", "Left"]];
/** Text that a terminal or a vi mode shows for these keys and the blanks. */
const OWN_ECHO = /^(?: |\^[AB]|\^\[\[D)*$/;

export class LineProbe {
  readonly #pane: PaneKeys;
  readonly #row: PromptRow;
  readonly #echo: KeyEcho;
  readonly #shell: SeenShell | undefined;
  /** True for a bash that is observed: it writes each change of the line in one piece, and wakes for keys alone. */
  readonly #drawsAtOnce: boolean;
  readonly #isFish: boolean;
  /** Index in `WAYS` of the keys in use. */
  #way: number;
  /** True if no line editor reads the line: the terminal can show it again. */
  isUnedited = false;

  /** `row` is the text of the cursor's row. `isSecond`: C-a had the prompt drawn again on the first try. */
  constructor(
    pane: PaneKeys,
    { before, row, shell, dialect, isSecond }: {
      before: CursorPlace;
      row: string;
      shell?: SeenShell | undefined;
      dialect: string;
      isSecond: boolean;
    },
  ) {
    this.#pane = pane;
    this.#row = new PromptRow(before, row);
    this.#echo = new KeyEcho(pane, this.#row, shell);
    this.#shell = shell;
    this.#drawsAtOnce = dialect === "bash" && shell !== undefined;
    this.#isFish = dialect === "fish";
    this.#way = isSecond ? 1 : 0;
  }

  /** Place of the cursor before anything was typed. */
  get before(): CursorPlace {
    return this.#row.before;
  }

  /**
   * Types a blank to a line editor whose line is empty, and goes to the start of the line: at text, a mode that
   * overwrites (Insert, zsh's OVERSTRIKE) would replace it by what is typed there. Depending on the line editor's mode
   * other keys are tried: vi's insert mode shows C-a as ^A or ignores it, and vi's command mode shows nothing at all.
   * @returns false, with nothing typed, if the prompt was drawn again elsewhere
   * @throws {AppError} `busy` if there is text at the prompt, which is then left as it was
   */
  async typeBlank(): Promise<boolean> {
    const echo = this.#echo;
    const row = this.#row;
    if (row.afterCursor !== "") return await this.#typeBeforeText();
    const way = WAYS[this.#way]!;
    if (!await this.#typeFirst()) return await this.#judge(await this.#typeTwo(way));
    const shown = await echo.press([echo.keys(...way)], BACK);
    if (shown.moved < 0) return await this.#fromStart(shown, 0);
    // Further blanks would pass the place at which two of them end at the start of a line.
    if (row.isBlank(shown)) return await this.#unmoved(shown);
    if (shown.moved === 0 && this.#drawsAtOnce) return true;
    // Others draw a line in pieces (fish's highlighting), so the cursor may have been read before it arrived.
    return await this.#judge(await this.#typeTwo());
  }

  /**
   * Types the first blank. If it does not show, types another one: either a key sequence that a person had begun
   * (`C-x`) has taken the first, or the shell is so slow that both show later.
   */
  async #typeFirst(): Promise<boolean> {
    const shown = await this.#echo.press([blank(this.#echo)]);
    if (!this.#shell && this.#row.hasNewText(shown)) await this.#echo.refuse(this.#echo.keys("BSpace"));
    if (!this.#row.isUnchanged(shown)) return this.#row.isBlank(shown);
    const again = await this.#echo.press([blank(this.#echo)], TWO);
    const isLate = this.#row.isBlank(again, TWO);
    return this.#row.isBlank(isLate ? await this.#echo.press([this.#echo.keys("BSpace")]) : again);
  }

  /**
   * Types two blanks, at the start of an empty line. Neither earlier keys that arrive late, nor these keys typed after
   * text, would leave the cursor in that place.
   */
  async #typeTwo(way: readonly string[] = []): Promise<PromptRowView> {
    const echo = this.#echo;
    return await echo.press([...way.length > 0 ? [echo.keys(...way)] : [], echo.literal("  ")], PROBE);
  }

  async #judge(first: PromptRowView): Promise<boolean> {
    const row = this.#row;
    const shown = await this.#settle(first);
    const way = WAYS[this.#way]!;
    const { moved } = shown;
    const isRowSame = row.isSame(shown);
    if (row.isBlank(shown, PROBE)) return true;
    if (row.from(shown).startsWith(` ${way.join("").replaceAll("C-", "^").toUpperCase()}`)) {
      return await this.#inInsertMode(way.length + 3);
    }
    if (moved === 3 && isRowSame && row.afterCursorIn(shown.cells) === "") return await this.#unmoved(shown);
    if (row.isUnchanged(shown)) await this.#inCommandMode();
    else if (moved > 0 && moved <= 3 && isRowSame) return await this.#backInCommandMode(shown);
    else if (moved > 2) return await this.#elsewhere(shown);
    else return await this.#fromStart(shown, 2);
    return true;
  }

  async #typeBeforeText(): Promise<boolean> {
    const result = await typeBeforeText(this.#echo, this.#row);
    if (result === "unchanged") await this.#inCommandMode();
    return result !== "elsewhere";
  }

  /** Handles keys that did nothing: they are unbound, or vi's insert mode ignores them. */
  async #unmoved({ moved }: PromptRowView): Promise<boolean> {
    return this.#way === 1 ? await this.#inInsertMode(moved) : await this.#nextWay(moved);
  }

  /** Removes what the keys have typed before the cursor, and tries the next keys. */
  async #nextWay(moved: number): Promise<boolean> {
    await this.#echo.press([this.#echo.keys(...repeat("BSpace", moved))], NONE);
    if (++this.#way < WAYS.length) return await this.typeBlank();
    throw textTyped(this.#pane.paneId);
  }

  /** Handles keys that typed a text of their own (a macro), or had the prompt drawn again. */
  async #elsewhere(shown: PromptRowView): Promise<boolean> {
    const echo = this.#echo;
    if (this.#isOnRow(shown) && this.#row.isPromptSame(shown) && this.#row.from(shown).trim() !== "") {
      const isOwn = this.#shell || OWN_ECHO.test(this.#row.from(shown).slice(0, shown.moved));
      return await (isOwn ? this.#nextWay(shown.moved) : echo.refuse(echo.keys("BSpace", "BSpace")));
    }
    return await this.#pane.press(echo.keys("BSpace", "BSpace", "C-e", "BSpace")).then(() => false);
  }

  /** None of these keys leads to another row: if the cursor is on one, a job has printed meanwhile. */
  #isOnRow({ moved }: PromptRowView): boolean {
    const { column, width } = this.before;
    return column + moved < width;
  }

  /** Waits until zsh has drawn its prompt again below what a job has printed; other shells don't. */
  async #settle(shown: PromptRowView): Promise<PromptRowView> {
    let last = shown;
    const began = performance.now();
    const isDrawing = async (ms: number): Promise<boolean> =>
      ms < JOB_MS || (ms < SLOW_ECHO_MS && this.#shell !== undefined && !await this.#echo.waits());
    while (!this.#isOnRow(last) && await isDrawing(performance.now() - began)) {
      await delay(JOB_PAUSE_MS);
      last = await this.#echo.read();
    }
    return last;
  }

  /** Handles a cursor that went back over blanks, as in vi's command mode; others would type the `h` out of sight. */
  async #backInCommandMode(first: PromptRowView): Promise<boolean> {
    const echo = this.#echo;
    const { moved } = first;
    const shown = await echo.press([echo.keys("h")], { blanks: 0, passed: moved - 1 });
    if (shown.moved < moved) return await echo.refuse(echo.keys(...repeat("h", moved - 1)));
    await echo.press([echo.keys("BSpace")], { blanks: 0, passed: moved });
    return await this.#fromStart(first, 2);
  }

  /**
   * Handles a cursor this many blanks after the start of a line that starts elsewhere than the prompt seemed to end.
   * The first blank is missing if it ended a key sequence that a person had begun (`C-x`, `C-v`).
   * @returns true if the line was empty: bash and zsh don't know the column after output without a newline
   */
  async #fromStart(first: PromptRowView, blanks: number): Promise<boolean> {
    const echo = this.#echo;
    const passed = first.moved - blanks;
    const removal = echo.keys(...repeat("BSpace", blanks));
    const atStart = blanks === 0 ? first : await echo.press([removal], { blanks: 0, passed });
    const { moved: start } = atStart;
    const shown = await this.#wayBack(atStart, -passed);
    if (shown.moved === 1) {
      // A person's key may have moved to the start of the line before the blank came, so the blank is there.
      const isAtEnd = !/^\S/.test(this.#row.from(shown));
      return await echo.refuse(echo.keys(...isAtEnd ? [] : ["C-a", "C-f"], "BSpace"));
    }
    // The blank itself, typed over what was printed, may be all there was to restore.
    const isTyped = start < -1 || this.#row.isShifted(first);
    if (this.#row.isUnchanged(shown) && isTyped) throw textTyped(this.#pane.paneId);
    const end = (await echo.press([echo.keys("C-e")])).moved;
    if (end === start) throw textTyped(this.#pane.paneId);
    if (end !== start + 1) return await echo.refuse(echo.keys("BSpace"));
    this.#row.beginAt(start);
    return true;
  }

  /** Goes back over text typed before the cursor, as many cells of it as C-a has gone, and the first blank. */
  async #wayBack(atStart: PromptRowView, cells: number): Promise<PromptRowView> {
    const echo = this.#echo;
    const isToEnd = cells > this.before.column || this.#way === 0 && !this.#row.isNarrow(cells);
    if (isToEnd) return await echo.press([echo.keys("C-e")]);
    await moveForward(echo, atStart, this.#row.chars(-cells) + 1);
    return await echo.read();
  }

  /**
   * In vi's command mode `0` goes back over typed text. Typing more blanks than are removed reveals that. Other modes
   * take Escape and `0` as a count for the `^` that follows (not fish), and show the `i`.
   */
  async #inInsertMode(typed: number): Promise<boolean> {
    const echo = this.#echo;
    const { passed } = AFTER_ESCAPE;
    // ksh93 shows the last of these removals late if Escape comes with them.
    const { moved } = await echo.press([echo.keys(...repeat("BSpace", typed))], NONE);
    // A mode that replaces may have gone further back, and would take the blank for a character.
    const isBlankTyped = moved === 0 && this.#row.isBlank(await echo.press([blank(echo)]));
    const removal = isBlankTyped ? "$x" : "";
    const atStart = await echo.pressEscaped(TO_START, BACK, { isApart: this.#isFish });
    if (atStart.moved < 0 && this.#row.isPromptSame(atStart)) return await this.#returnToEnd(removal);
    const shown = await echo.press([echo.literal(`i${" ".repeat(passed)}`)], AFTER_ESCAPE);
    if (this.#row.isBlank(shown, AFTER_ESCAPE)) return true;
    if (/^ (0\^)?i/.test(this.#row.from(shown))) return await this.#nextWay(shown.moved);
    if (this.#row.from(shown).startsWith(" ^[")) return await this.#withoutEditor().then(() => true);
    await echo.escape(...repeat("BSpace", passed));
    return await this.#returnToEnd(removal);
  }

  /**
   * Goes from vi's command mode to the end of the line, where fish's replace mode has kept blanks. zsh removes no blank
   * from before the place where it began to insert.
   * @returns false if the prompt names a mode: it can be judged only once it names this one
   */
  async #returnToEnd(removal: string): Promise<false> {
    const echo = this.#echo;
    const shown = await echo.press([echo.literal(`${removal}A`)], NONE);
    if (shown.moved > 0) await this.#pane.press(echo.keys(...repeat("BSpace", shown.moved)));
    if (this.#row.isPromptSame(shown)) throw textTyped(this.#pane.paneId);
    return false;
  }

  /** Removes what was typed at a remote terminal in line mode, which shows Escape. */
  async #withoutEditor(): Promise<void> {
    const echo = this.#echo;
    const removal = echo.keys(...repeat("BSpace", AFTER_ESCAPE.blanks + TO_START.length + 2));
    if (!this.#row.isBlank(await echo.press([removal], NONE, SLOW_ECHO_MS), NONE)) await echo.refuse();
    this.isUnedited = true;
  }

  /** Types a blank at the end of the line, where `A` goes in vi's command mode. */
  async #inCommandMode(): Promise<void> {
    const echo = this.#echo;
    const row = this.#row;
    const shown = await echo.press([echo.keys("A"), blank(echo)]);
    if (row.isBlank(shown)) return;
    if (/^ {0,2}A/.test(row.from(shown))) {
      // The shell was so slow that it had not shown the keys before.
      const removal = echo.keys(...repeat("BSpace", shown.moved));
      if (row.isBlank(await echo.press([removal, blank(echo)], ONE, SLOW_ECHO_MS))) return;
      throw notShown(this.#pane.paneId);
    }
    if (row.isUnchanged(shown)) return await this.#withoutEcho();
    const chars = row.chars(shown.moved - 1) - 1;
    await echo.refuse(echo.keys("BSpace", "Escape"), ...chars > 0 ? [echo.keys(...repeat("h", chars))] : []);
  }

  /** Handles a missing echo: after `stty -echo` bash reads all and shows nothing; other line editors still echo. */
  async #withoutEcho(): Promise<void> {
    const { shell, waitingForInput } = await this.#shell?.inspect() ?? {};
    await this.#pane.press(this.#echo.keys("BSpace", "BSpace"));
    if (shell !== "bash" || !waitingForInput) throw notShown(this.#pane.paneId);
  }
}

function blank(echo: KeyEcho): ReturnType<KeyEcho["literal"]> {
  return echo.literal(" ");
}

function repeat(key: string, times: number): string[] {
  return Array<string>(times).fill(key);
}
