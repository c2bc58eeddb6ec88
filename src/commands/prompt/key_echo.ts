// Presses keys at a prompt and waits until the shell has shown their effect.
import type { Command } from "../../tmux_exec/exec.ts";
import { delay, pollUntil } from "../../timer.ts";
import type { SeenShell } from "../seen_shell.ts";
import type { PaneKeys } from "./pane_keys.ts";
import { type Blanks, ONE, type PromptRow, type PromptRowView } from "./prompt_row.ts";
import { textTyped } from "../refusals.ts";

/** Time (ms) within which a line editor echoes a key; after it, the key has no effect. */
const ECHO_MS = 80;
/** Extra time (ms) for a machine under load whose shell has not read the keys yet. */
const LOADED_MS = 2000;
/** A screen that is unchanged for this long (ms) shows the final effect of the keys. */
const REST_MS = 8;
/** Number of reads without a pause, each about half a millisecond; later reads have pauses between them. */
const QUICK_READS = 4;
const PAUSE_MS = 3;
/** Maximum number of times that the row is read again because its pane has scrolled meanwhile. */
const MAX_READS = 3;
/** Time (ms) after Escape before the next key; fish takes Escape for a key of its own after 30 ms. */
const ESCAPE_MS = 100;

export class KeyEcho {
  readonly #pane: PaneKeys;
  readonly #row: PromptRow;
  readonly #shell: SeenShell | undefined;
  /** Set if the shell can't be observed. */
  readonly #remote: RemoteEcho | undefined;
  /** Rows of history at the last read. */
  #history: number;
  /** Cells that the cursor of a remote shell had moved before the last keys. */
  #moved = 0;

  constructor(pane: PaneKeys, row: PromptRow, shell: SeenShell | undefined) {
    this.#pane = pane;
    this.#row = row;
    this.#shell = shell;
    this.#remote = shell ? undefined : new RemoteEcho();
    this.#history = row.before.history;
  }

  keys(...names: string[]): Command {
    return this.#pane.keys(...names);
  }

  literal(text: string): Command {
    return this.#pane.literal(text);
  }

  /** Presses keys and waits until the row shows the expected blanks, or until nothing more is going to change. */
  async press(
    keys: Command[],
    expected: Blanks = ONE,
    patienceMs = this.#remote?.patienceMs ?? ECHO_MS,
  ): Promise<PromptRowView> {
    this.#remote?.notePressed();
    const shown = await this.#press(keys, expected, patienceMs);
    if (this.#remote) this.#moved = shown.moved;
    return shown;
  }

  async #press(keys: Command[], expected: Blanks, patienceMs: number): Promise<PromptRowView> {
    const slept = await this.#shell?.sleeps();
    // The first read is in the same batch, so tmux reads the row as soon as it has pressed the keys.
    const [, first] = await Promise.all([this.#pane.press(...keys), this.read()]);
    const began = performance.now();
    let hasSlept = slept === undefined;
    let last = first;
    let restedAt = began;
    // A key that is still on its way may leave the cursor there too.
    for (let reads = 1; !hasSlept || !this.#row.isBlank(last, expected); reads++) {
      const isSoon = reads < QUICK_READS;
      if (!isSoon) await delay(PAUSE_MS);
      hasSlept = await this.#hasSlept(slept);
      const shown = isSoon ? await this.read() : await this.#readQuickly(expected);
      if (shown.moved !== last.moved) restedAt = performance.now();
      last = shown;
      const now = performance.now();
      const patience = shown.moved === this.#moved ? patienceMs : this.#remote?.restMs ?? REST_MS;
      // A program that prints all the time moves the cursor all the time.
      const isTimeUp = now - began > patienceMs + LOADED_MS;
      if (!isTimeUp && now - Math.max(restedAt, began) < patience) continue;
      if (isTimeUp || await this.#took(slept)) return await this.read();
    }
    this.#remote?.noteShown();
    return last;
  }

  /**
   * Presses keys in separate parts: Escape and a letter sent together would be another key. So would the first key of
   * the next call, if Escape is the last.
   */
  async pressInParts(...parts: Command[]): Promise<void> {
    for (const [index, keys] of parts.entries()) {
      await this.#pane.press(keys);
      if (index < parts.length - 1 || keys.at(-1) === "Escape") await this.escapeTaken();
    }
  }

  /** Presses Escape and keys after it. `isApart`: fish 4 takes Escape and a key that comes with it for Alt. */
  async pressEscaped(
    names: readonly string[],
    expected: Blanks,
    { isApart }: { isApart: boolean },
  ): Promise<PromptRowView> {
    if (!isApart) return await this.press([this.keys("Escape", ...names)], expected);
    await this.escape();
    return await this.press([this.keys(...names)], expected);
  }

  /** Presses these keys and Escape, which the shell takes for a key of its own. */
  async escape(...before: string[]): Promise<void> {
    await this.#pane.press(this.#pane.keys(...before, "Escape"));
    await this.escapeTaken();
  }

  /**
   * Settles when the shell has taken Escape for a key of its own, so that a letter after it is not combined with it.
   * On a machine so busy that fish read both together, Alt-h opened a manual page.
   */
  async escapeTaken(): Promise<void> {
    if (this.#shell) await pollUntil(() => this.waits(), { ms: LOADED_MS, pauseMs: PAUSE_MS });
    await delay(ESCAPE_MS + (this.#remote?.restMs ?? 0));
    if (this.#remote) this.#moved = (await this.read()).moved;
  }

  /**
   * Presses the keys that restore the line.
   * @throws {AppError} `busy`, always
   */
  async refuse(...restore: Command[]): Promise<never> {
    await this.pressInParts(...restore);
    throw textTyped(this.#pane.paneId);
  }

  /** True if the shell is visible and has read everything that has reached it. */
  async waits(): Promise<boolean> {
    return (await this.#shell?.inspect())?.waitingForInput === true;
  }

  /** True if the shell has woken up for the keys and read them all, or is remote and can't be observed. */
  async #took(slept: number | undefined): Promise<boolean> {
    if (!this.#shell) return true;
    return await this.waits() && await this.#hasSlept(slept);
  }

  /** True if the shell has slept since `slept` was counted: keys that are pressed together reach it as one. */
  async #hasSlept(slept: number | undefined): Promise<boolean> {
    return slept === undefined || await this.#shell?.sleeps() !== slept;
  }

  /** Reads the row only if the cursor is where it should be; until the keys are echoed, that halves the requests. */
  async #readQuickly({ passed }: Blanks): Promise<PromptRowView> {
    const moved = this.#row.movedTo(await this.#pane.cursor());
    return moved === passed ? await this.read() : { moved, cells: this.#row.cells };
  }

  /** Reads cursor and row in one batch: read apart, the row may be newer than the cursor. */
  async read(): Promise<PromptRowView> {
    for (let reads = 1;; reads++) {
      const { row, history } = this.#row.before;
      const [now, shown] = await Promise.all([
        this.#pane.cursor(),
        this.#pane.capture(row + history - this.#history),
      ]);
      this.#row.noteCleared(now);
      const isBelow = this.#row.isBelow(now);
      const isDrawnBelow = isBelow && this.#row.noteDrawnBelow(now, await this.#pane.capture(now.row));
      const isTogether = !isDrawnBelow && now.history === this.#history;
      if (isTogether || reads === MAX_READS) {
        return { moved: this.#row.movedTo(now), cells: this.#row.cellsOf(shown) };
      }
      this.#history = now.history;
    }
  }
}

/** Time (ms) within which a link is expected to bring an echo, and no key has ever been shown. */
const FIRST_MS = 1500;
/** Least time (ms) for an echo once one was seen. */
const LEAST_MS = 600;
/** Least time (ms) for which the screen is unchanged once it shows the final effect of keys. */
const LEAST_REST_MS = 60;

/** Time limits for the echo of a shell behind a link, which looks the same whether it is slow or ignores keys. */
class RemoteEcho {
  /** Longest time (ms) from keys to their effect; undefined until they had one. */
  #echoMs: number | undefined;
  /** Time of the keys whose echo is awaited; keys that show nothing may be late, until any have shown. */
  #pressedAt: number | undefined;

  /** Time (ms) after which keys have no effect. */
  get patienceMs(): number {
    return this.#echoMs === undefined ? FIRST_MS : Math.max(LEAST_MS, 2 * this.#echoMs);
  }

  /** Time (ms) without a change after which keys have had all of their effect: as long as a lost packet may take. */
  get restMs(): number {
    return this.#echoMs === undefined ? LEAST_MS : Math.max(LEAST_REST_MS, this.#echoMs);
  }

  notePressed(): void {
    if (this.#echoMs !== undefined || this.#pressedAt === undefined) this.#pressedAt = performance.now();
  }

  /** Notes that the keys have had the expected effect; any other may be that of a person's keys. */
  noteShown(): void {
    if (this.#pressedAt === undefined) return;
    this.#echoMs = Math.max(this.#echoMs ?? 0, performance.now() - this.#pressedAt);
    this.#pressedAt = undefined;
  }
}
