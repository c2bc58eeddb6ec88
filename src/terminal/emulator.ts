// The terminal emulator (xterm), loaded when first needed, in the main process only.
import type { IUnicodeVersionProvider, Terminal } from "@xterm/headless";
import { moveRowsAtOnce } from "./row_moves.ts";
import { eraseFromLastCell } from "./whole_erasure.ts";
import { characterWidth } from "./width.ts";

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
  return terminal;
}

const WIDTHS: IUnicodeVersionProvider & { version: string } = {
  version: "tmux",
  wcwidth: (codePoint) => characterWidth(String.fromCodePoint(codePoint)),
  /** xterm's encoding: bit 0 joins the previous character, bits 1-2 are the width. */
  charProperties(codePoint: number, preceding: number): number {
    if (codePoint < 0x300) return 2;
    const width = characterWidth(String.fromCodePoint(codePoint));
    const before = (preceding >> 1) & 3;
    return width === 0 && before !== 0 ? (before << 1) | 1 : width << 1;
  },
};
