// The terminal emulator (xterm), loaded when first needed, in the main process only.
import type { IFunctionIdentifier, IUnicodeVersionProvider, Terminal } from "@xterm/headless";
import { moveRowsAtOnce } from "./row_moves.ts";
import { characterWidth, JOINER } from "./width.ts";

export interface EmulatorOptions {
  columns: number;
  rows: number;
  /** Number of rows kept after they scrolled off. */
  scrollback?: number;
}

/** Opens an emulator with tmux's widths of characters. */
export async function openEmulator({ columns, rows, scrollback = 0 }: EmulatorOptions): Promise<Terminal> {
  const { default: xterm } = await import("@xterm/headless");
  const { shareRows } = await import("./shared_rows.ts");
  // Otherwise xterm writes forty lines to stderr for each sequence that it can't parse.
  const logLevel = "off";
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback, logLevel, allowProposedApi: true });
  terminal.unicode.register(WIDTHS);
  terminal.unicode.activeVersion = WIDTHS.version;
  shareRows(terminal);
  moveRowsAtOnce(terminal);
  eraseFromLastCell(terminal);
  repeatWithinRow(terminal);
  return terminal;
}

/** Set in a character's properties if it joins the next one to it. */
const JOINS = 1 << 3;

const WIDTHS: IUnicodeVersionProvider & { version: string } = {
  version: "tmux",
  wcwidth: (codePoint) => characterWidth(String.fromCodePoint(codePoint)),
  /** xterm's encoding: bit 0 joins the previous character, bits 1-2 are the width, further ones are ours. */
  charProperties(codePoint: number, preceding: number): number {
    if (codePoint < 0x300) return 2;
    const character = String.fromCodePoint(codePoint);
    const width = characterWidth(character);
    const before = (preceding >> 1) & 3;
    const isJoined = before !== 0 && (width === 0 || (preceding & JOINS) !== 0);
    return (isJoined ? (before << 1) | 1 : width << 1) | (character === JOINER ? JOINS : 0);
  },
};

/** Private parts of xterm. */
interface Internals {
  readonly _core: {
    readonly _inputHandler: {
      readonly _activeBuffer: { readonly x: number; readonly y: number };
      eraseInDisplay(params: { params: number[] }, respectProtect: boolean): boolean;
      repeatPrecedingCharacter(params: { params: number[] }): boolean;
    };
  };
}

/** ED: 1 erases up to the cursor, 2 everything. */
const UP_TO_CURSOR = 1;
const EVERYTHING = 2;

/**
 * With the cursor in the last cell, `CSI 1 J` erases everything. xterm then looks at the row below the last
 * one, and throws because there is no such row.
 */
export function eraseFromLastCell(terminal: Terminal): void {
  const input = (terminal as unknown as Internals)._core._inputHandler;
  const isLastCell = (): boolean => {
    const { x, y } = input._activeBuffer;
    return y + 1 >= terminal.rows && x + 1 >= terminal.cols;
  };
  const on = (id: IFunctionIdentifier, respectProtect: boolean) =>
    terminal.parser.registerCsiHandler(id, ([what]) =>
      what === UP_TO_CURSOR && isLastCell() &&
      input.eraseInDisplay({ params: [EVERYTHING] }, respectProtect));
  on({ final: "J" }, false);
  on({ prefix: "?", final: "J" }, true);
}

/** Makes REP end at the end of the row, as in tmux; xterm goes on in the next one. */
export function repeatWithinRow(terminal: Terminal): void {
  const input = (terminal as unknown as Internals)._core._inputHandler;
  terminal.parser.registerCsiHandler({ final: "b" }, ([count]) => {
    const room = terminal.cols - input._activeBuffer.x;
    return room <= 0 || input.repeatPrecedingCharacter({ params: [Math.min(Number(count ?? 0) || 1, room)] });
  });
}
