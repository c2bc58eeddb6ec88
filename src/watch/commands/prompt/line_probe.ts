// Finds out if anything is typed at a prompt, with keys that remove none of it.
import type { SeenShell } from "../interruption.ts";
import { escapeTaken, KeyEcho } from "./key_echo.ts";
import type { CursorPlace, PaneKeys } from "./pane_keys.ts";
import { type Blanks, NONE, ONE, PromptRow } from "./prompt_row.ts";
import { notShown, textTyped } from "../refusals.ts";
import { typeBeforeText } from "./text_behind.ts";

const SLOW_ECHO_MS = 2000;
const PROBE: Blanks = { blanks: 3, passed: 2 };
const AFTER_ESCAPE: Blanks = { blanks: 6, passed: 6 };
/** Places that the keys of the first try take in vi's insert mode, which shows C-a by its name. */
const SHOWN_KEYS = 4;

export class LineProbe {
  readonly #pane: PaneKeys;
  readonly #row: PromptRow;
  readonly #echo: KeyEcho;
  readonly #shell: SeenShell | undefined;

  /** `row` is what the cursor's row shows. */
  constructor(
    pane: PaneKeys,
    { before, row, shell }: { before: CursorPlace; row: string; shell?: SeenShell | undefined },
  ) {
    this.#pane = pane;
    this.#row = new PromptRow(before, row);
    this.#echo = new KeyEcho(pane, this.#row, shell);
    this.#shell = shell;
  }

  /** Place of the cursor before anything was typed. */
  get before(): CursorPlace {
    return this.#row.before;
  }

  /**
   * Types blanks to a line editor whose line is empty: one, and two before it, which leaves the cursor where neither
   * those keys on their way nor any of them behind text leave it. As its mode turns out there are other ways: vi's
   * insert mode shows C-a as ^A or does nothing with it, vi's command mode shows nothing at all.
   * @returns false, and nothing is typed, where the prompt was drawn again elsewhere
   * @throws {AppError} `busy` when there is text at the prompt, which then stands as before
   */
  async typeBlank(): Promise<boolean> {
    const echo = this.#echo;
    const row = this.#row;
    if (row.behind !== "") return await this.#typeBeforeText();
    const shown = await echo.press([blank(echo), echo.keys("C-a"), echo.literal("  ")], PROBE);
    const { moved } = shown;
    const isRowSame = row.isSame(shown);
    if (row.isBlank(shown, PROBE)) return true;
    if (row.from(shown).startsWith(" ^A")) return await this.#inInsertMode(SHOWN_KEYS);
    if (moved === 3 && isRowSame && row.behindIn(shown.cells) === "") return await this.#inInsertMode(3);
    if (row.isUnchanged(shown)) await this.#inCommandMode();
    else if (moved > 0 && moved <= 3 && isRowSame) {
      await echo.refuse(echo.keys(...repeat("h", moved)));
    } else if (moved > 2) {
      return await this.#pane.press(echo.keys("BSpace", "BSpace", "C-e", "BSpace")).then(() => false);
    } else await this.#refuseFromStart(2 - moved);
    return true;
  }

  async #typeBeforeText(): Promise<boolean> {
    const result = await typeBeforeText(this.#echo, this.#row);
    if (result === "unchanged") await this.#inCommandMode();
    return result !== "elsewhere";
  }

  /** The first blank is not there where it ended a key that a person had begun (`C-x`, `C-v`). */
  async #refuseFromStart(cells: number): Promise<never> {
    const echo = this.#echo;
    const shown = await echo.press([echo.keys("BSpace", "BSpace", ...this.#wayBack(cells))]);
    if (shown.moved !== 1) throw textTyped(this.#pane.paneId);
    return await echo.refuse(echo.keys("BSpace"));
  }

  /** Keys that go back over text typed before the cursor, as many cells of it as C-a has gone, and the first blank. */
  #wayBack(cells: number): string[] {
    if (cells > this.before.column) return ["C-e"];
    return repeat("C-f", this.#row.chars(-cells) + 1);
  }

  /** `0` in vi's command mode goes back over what is typed. More blanks than are being removed reveal that. */
  async #inInsertMode(typed: number): Promise<boolean> {
    const echo = this.#echo;
    const { blanks } = AFTER_ESCAPE;
    const shown = await echo.press(
      [echo.keys(...repeat("BSpace", typed), "Escape", "0", "i"), echo.literal(" ".repeat(blanks))],
      AFTER_ESCAPE,
    );
    if (this.#row.isBlank(shown, AFTER_ESCAPE)) return true;
    if (this.#row.from(shown).startsWith("^[")) return await this.#withoutEditor().then(() => true);
    await this.#returnToEnd(blanks);
    // A prompt that names the mode can be judged only once it does.
    if (this.#row.isPromptSame(shown)) throw textTyped(this.#pane.paneId);
    return false;
  }

  /** To the end of the line, without the blanks: fish's replace mode has kept those it was to take back. */
  async #returnToEnd(blanks: number): Promise<void> {
    const echo = this.#echo;
    await this.#pane.press(echo.keys(...repeat("BSpace", blanks), "Escape"));
    await escapeTaken();
    const { moved } = await echo.press([echo.keys("A")], NONE);
    if (moved > 0) await this.#pane.press(echo.keys(...repeat("BSpace", moved)));
  }

  /** A remote terminal that takes whole lines shows Escape, and removes it all by itself. */
  async #withoutEditor(): Promise<void> {
    const echo = this.#echo;
    const takeBack = echo.keys(...repeat("BSpace", AFTER_ESCAPE.blanks + 3));
    const shown = await echo.press([takeBack, blank(echo)], ONE, SLOW_ECHO_MS);
    if (!this.#row.isBlank(shown)) await echo.refuse(echo.keys("BSpace"));
  }

  /** `A` goes to the end of the line. */
  async #inCommandMode(): Promise<void> {
    const echo = this.#echo;
    const row = this.#row;
    const shown = await echo.press([echo.keys("A"), blank(echo)]);
    if (row.isBlank(shown)) return;
    const { moved } = shown;
    if (/^ {0,2}A/.test(row.from(shown))) {
      // A shell so slow that it had not shown the keys before.
      const takeBack = echo.keys(...repeat("BSpace", moved));
      if (row.isBlank(await echo.press([takeBack, blank(echo)], ONE, SLOW_ECHO_MS))) return;
      throw notShown(this.#pane.paneId);
    }
    if (row.isUnchanged(shown)) return await this.#withoutEcho();
    const chars = row.chars(moved - 1) - 1;
    await echo.refuse(
      echo.keys("BSpace", "Escape"),
      ...chars > 0 ? [echo.keys(...repeat("h", chars))] : [],
    );
  }

  /** After `stty -echo` bash reads it all and shows nothing; line editors of other shells show it all the same. */
  async #withoutEcho(): Promise<void> {
    const { shell, waitingForInput } = await this.#shell?.inspect() ?? {};
    if (shell !== "bash" || !waitingForInput) throw notShown(this.#pane.paneId);
    await this.#pane.press(this.#echo.keys("BSpace", "BSpace"));
  }
}

function blank(echo: KeyEcho): ReturnType<KeyEcho["literal"]> {
  return echo.literal(" ");
}

function repeat(key: string, times: number): string[] {
  return Array<string>(times).fill(key);
}
