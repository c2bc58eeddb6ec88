// Lines of an emulated screen, in the order in which they left it.
import type { IBuffer, IBufferNamespace, IFunctionIdentifier, Terminal } from "@xterm/headless";
import { BegunLine } from "./begun_line.ts";
import { CountLimiter } from "./count_limiter.ts";
import { type EmulatorOptions, openEmulator } from "./emulator.ts";
import { PaneDecoder, withoutC1 } from "./pane_decoder.ts";
import type { SharedRow } from "./shared_row.ts";

/** Maximum rows that a resize may push off the screen. */
const MAX_PUSHED_OFF = 10_000;

/**
 * Size of one write (UTF-16 units) to a screen with this many cells; other work runs between writes. One
 * write takes 0.2 ms, or 30 ms if every third byte resets the terminal.
 */
const SLICE = 1 << 11;
const SLICE_CELLS = 10_000;
const LEAST_SLICE = 256;
/** xterm drops data that comes while 50 MB are waiting. */
const SLICES_AT_ONCE = 512;
/** Maximum length of a wrapped line (UTF-16 units), so that an endless line stays bounded. */
const MAX_LINE = 1 << 20;

/**
 * Feeds an emulator and emits each line once it can't change anymore: when it scrolls off, or when the whole
 * screen is cleared. Wrapped rows are joined; the alternate screen is left out.
 */
export class Transcript {
  readonly #terminal: Terminal;
  readonly #buffer: IBufferNamespace;
  readonly #decoder = new PaneDecoder();
  readonly #limiter: CountLimiter;
  readonly #append: (lines: string[]) => void;
  #lines: string[] = [];
  /** Rows of a wrapped line whose last row is still on the screen. */
  #wrapped = "";
  readonly #begun = new BegunLine();
  /** Number of blank rows above the output, which aren't part of it. */
  #above: number;
  #alternateScreen = false;
  #homed = false;
  #onAlternate = false;
  #resetting = false;

  private constructor(terminal: Terminal, above: number, append: (lines: string[]) => void) {
    this.#terminal = terminal;
    this.#buffer = terminal.buffer;
    this.#limiter = new CountLimiter(terminal.cols, terminal.rows);
    this.#append = append;
    this.#above = above;
    this.#listen();
  }

  /** Starts on an empty screen with the cursor `above` rows down. */
  static async open(
    size: EmulatorOptions,
    above: number,
    append: (lines: string[]) => void,
  ): Promise<Transcript> {
    const transcript = new Transcript(await openEmulator({ ...size, scrollback: 1 }), above, append);
    await transcript.write("\n".repeat(above));
    return transcript;
  }

  get alternateScreen(): boolean {
    return this.#alternateScreen;
  }

  get onAlternateScreen(): boolean {
    return this.#onAlternate;
  }

  /** Writes data, which may be cut anywhere. Resolves when it has taken effect and finished lines were emitted. */
  async write(data: Uint8Array | string): Promise<void> {
    const decoded = typeof data === "string" ? withoutC1(data) : this.#decoder.decode(data);
    const text = this.#limiter.limit(decoded);
    const { cols, rows } = this.#terminal;
    const slice = Math.max(Math.min(SLICE, Math.ceil(SLICE * SLICE_CELLS / (cols * rows))), LEAST_SLICE);
    for (let at = 0; at < text.length;) {
      const end = Math.min(at + SLICES_AT_ONCE * slice, text.length);
      for (; at < end; at += slice) this.#terminal.write(text.slice(at, Math.min(at + slice, end)));
      at = end;
      await new Promise<void>((resolve) => this.#terminal.write("", resolve));
      this.#giveOut();
    }
  }

  /** Resizes the screen. Rows that a smaller size pushes off are emitted; wrapped ones are joined again. */
  resize(columns: number, rows: number): void {
    const { options } = this.#terminal;
    this.#lines.push(...this.#begun.end());
    options.scrollback = 0;
    options.scrollback = MAX_PUSHED_OFF;
    this.#terminal.resize(columns, rows);
    this.#limiter.resize(columns, rows);
    for (let row = -this.#buffer.normal.baseY; row < 0; row++) this.#take(row);
    options.scrollback = 1;
    this.#giveOut();
  }

  /** The lines that are still on the screen, without blank lines after the cursor. */
  screen(): string[] {
    let wrapped = this.#wrapped;
    const lines: string[] = [];
    const last = this.#lastRow();
    for (let row = 0; row <= last; row++) {
      const text = wrapped + this.#textAt(row);
      if (continues(this.#buffer.normal, row)) wrapped = text;
      else lines.push(text), wrapped = "";
    }
    if (wrapped !== "") lines.push(wrapped);
    return dropAbove(lines, this.#above);
  }

  /** Number of the lines of `screen` below the cursor's. */
  get belowCursor(): number {
    const { normal } = this.#buffer;
    let below = 0;
    for (let row = normal.cursorY; row < this.#lastRow(); row++) below += continues(normal, row) ? 0 : 1;
    return below;
  }

  /** The cursor's line up to the cursor, including blanks. */
  pending(): string {
    const { normal } = this.#buffer;
    const at = normal.baseY + normal.cursorY;
    let text = normal.getLine(at)?.translateToString(false, 0, normal.cursorX) ?? "";
    for (let row = at; row > 0 && normal.getLine(row)?.isWrapped; row--) {
      text = (normal.getLine(row - 1)?.translateToString(false) ?? "") + text;
    }
    return text;
  }

  /** Emits the remaining lines. */
  finish(): void {
    this.#append(this.screen());
    this.#terminal.dispose();
  }

  #listen(): void {
    const { parser } = this.#terminal;
    this.#keepRegion();
    this.#terminal.onScroll(() => this.#onScroll());
    this.#buffer.onBufferChange(() => this.#onSwap());
    const before = (id: IFunctionIdentifier, act: (first: number) => boolean | void) =>
      parser.registerCsiHandler(id, (params) => act(Number(params[0] ?? 0)) === true);
    for (const final of "Hf") before({ final }, () => void (this.#homed = true));
    for (const final of "AF") before({ final }, () => void (this.#homed = false));
    before({ final: "J" }, (mode) => this.#onErase(mode));
    before({ final: "S" }, (rows) => this.#onScrollUp(Math.max(rows, 1)));
    parser.registerEscHandler({ final: "c" }, () => this.#onReset());
  }

  #onSwap(): void {
    this.#onAlternate = this.#buffer.active.type === "alternate";
    this.#alternateScreen ||= this.#onAlternate;
  }

  /** xterm doesn't keep rows that leave a scroll region below the top; tmux does. */
  #keepRegion(): void {
    const service = (this.#terminal as unknown as Internals)._core._bufferService;
    const scroll = service.scroll;
    service.scroll = (...args) => {
      if (!this.#onAlternate && this.#normal.scrollTop > 0) this.#takeRegion(1);
      scroll.apply(service, args);
    };
  }

  /** Emits the first rows of the region. What stays of a wrapped line does not continue the row above. */
  #takeRegion(rows: number): void {
    const { scrollTop, scrollBottom } = this.#normal;
    const end = Math.min(scrollTop + rows, scrollBottom + 1);
    let text = "";
    for (let row = scrollTop; row < end; row++) {
      text += this.#begun.take(this.#rowAt(row)) + this.#written(row);
      if (row < scrollBottom && continues(this.#buffer.normal, row) && text.length < MAX_LINE) continue;
      this.#lines.push(text);
      text = "";
    }
    if (end <= scrollBottom) this.#rowAt(end)!.isWrapped = false;
    if (text !== "") this.#lines.push(...this.#begun.begin(this.#rowAt(end)!, text));
  }

  /** xterm also emits "scroll" when it resets, and before it reports a switch of screens. */
  #onScroll(): void {
    if (this.#onAlternate || this.#resetting || this.#normal.scrollTop > 0) return;
    if (this.#buffer.active.type === "normal") this.#take(-1);
  }

  /** Emits the rows that scroll off: xterm doesn't keep rows that an explicit scroll removes. */
  #onScrollUp(rows: number): void {
    if (this.#onAlternate) return;
    if (this.#normal.scrollTop > 0) return this.#takeRegion(rows);
    for (let row = 0; row < Math.min(rows, this.#normal.scrollBottom + 1); row++) this.#take(row);
  }

  /**
   * Emits the lines of a screen that is cleared as a whole, because they were meant to be read; rows erased further
   * down are only being redrawn. Erasing the history (3) is ignored: those lines were already emitted.
   */
  #onErase(mode: number): boolean {
    const { active } = this.#buffer;
    if (mode === 3) return true;
    if (active.type !== "normal") return false;
    const atHome = this.#homed && active.cursorX === 0 && active.cursorY === 0;
    if (mode === 2 || (mode === 0 && atHome)) this.#takeScreen();
    return false;
  }

  #onReset(): boolean {
    if (this.#buffer.active.type === "normal") this.#takeScreen();
    this.#resetting = true;
    this.#terminal.reset();
    this.#resetting = false;
    return true;
  }

  #takeScreen(): void {
    let last = this.#terminal.rows - 1;
    while (last >= this.#buffer.normal.cursorY && this.#written(last) === "") last--;
    for (let row = 0; row <= last; row++) this.#take(row);
    if (this.#wrapped !== "") this.#lines.push(this.#wrapped);
    this.#lines.push(...this.#begun.end());
    this.#wrapped = "";
    this.#above = 0;
  }

  #take(row: number): void {
    this.#wrapped += this.#begun.take(this.#rowAt(row)) + this.#written(row);
    if (continues(this.#buffer.normal, row) && this.#wrapped.length < MAX_LINE) return;
    if (this.#above > 0 && this.#wrapped === "") this.#above--;
    else this.#lines.push(this.#wrapped), this.#above = 0;
    this.#wrapped = "";
  }

  /**
   * Text of a row that leaves the screen. The test pattern of `ESC # 8` is left out, because three bytes of
   * output would become 10,000 bytes of text.
   */
  #written(row: number): string {
    const line = this.#rowAt(row);
    return line === undefined || line.isPattern ? "" : line.translateToString(true);
  }

  /** Last row with text, or the row before the cursor's if that is lower. */
  #lastRow(): number {
    let row = this.#terminal.rows - 1;
    while (row >= this.#buffer.normal.cursorY && this.#textAt(row) === "") row--;
    return row;
  }

  /** Text of a row on the screen, after the beginning of its line that has left a scroll region. */
  #textAt(row: number): string {
    const line = this.#rowAt(row);
    return this.#begun.before(line) + (line?.translateToString(true) ?? "");
  }

  /** A row of the screen; row -1 is the last one that scrolled off. */
  #rowAt(row: number): SharedRow | undefined {
    const { ybase, lines } = this.#normal;
    return lines.get(ybase + row);
  }

  get #normal(): NormalScreen {
    return (this.#terminal as unknown as Internals)._core.buffers.normal;
  }

  #giveOut(): void {
    if (this.#lines.length > 0) this.#append(this.#lines);
    this.#lines = [];
  }
}

/**
 * Private parts of xterm, because its public interface creates an object for each row that is read, and doesn't tell
 * which rows scroll.
 */
interface Internals {
  readonly _core: {
    readonly buffers: { readonly normal: NormalScreen };
    readonly _bufferService: { scroll(...args: unknown[]): void };
  };
}

interface NormalScreen {
  readonly ybase: number;
  /** First and last row of the scroll region. */
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly lines: { get(index: number): SharedRow | undefined };
}

function continues(buffer: IBuffer, row: number): boolean {
  return buffer.getLine(buffer.baseY + row + 1)?.isWrapped ?? false;
}

function dropAbove(lines: string[], above: number): string[] {
  const first = lines.findIndex((line, at) => at >= above || line !== "");
  return first < 0 ? [] : lines.slice(first);
}
