// Rows that are moved at once end up where xterm puts them one by one, and cost no more however many they are.
import { assert, assertEquals } from "@std/assert";
import xterm, { type Terminal } from "@xterm/headless";
import { openEmulator } from "../../src/terminal/emulator.ts";
import { numbers } from "../support/random.ts";

const SIZE = { columns: 12, rows: 6 };

function write(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

/** Every row with its text, wrapping and backgrounds, and the cursor. */
function cells({ buffer: { active }, cols }: Terminal): string[] {
  const rows = Array.from({ length: active.length }, (_, row) => {
    const line = active.getLine(row)!;
    const colours = Array.from({ length: cols }, (_, column) => line.getCell(column)!.getBgColor());
    return `${line.translateToString()}|${line.isWrapped}|${colours.join()}`;
  });
  return [...rows, `${active.cursorX},${active.cursorY}`];
}

function piece(random: (below: number) => number): string {
  const number = () => random(9);
  switch (random(8)) {
    case 0:
      return `\x1b[${number()};${number()}r`;
    case 1:
      return `\x1b[${number()};${random(14)}H`;
    case 2:
      return `\x1b[4${random(8)}m`;
    case 3:
      return `text ${"wide 漢字 and long ".slice(random(18))}\r\n`;
    case 4:
      return `\x1b[?${["6", "1049", "47"][random(3)]}${"hl"[random(2)]}`;
    default:
      // Only xterm moves the cursor to the first column.
      return `\x1b[${["", number(), number(), 99][random(4)]}${["S", "T", "L\r", "M\r"][random(4)]}`;
  }
}

Deno.test("rows moved at once: the screen is the one that xterm makes row by row", async () => {
  const random = numbers(20261122);
  for (let round = 0; round < 150; round++) {
    const text = Array.from({ length: 60 }, () => piece(random)).join("");
    const terminal = await openEmulator({ ...SIZE, scrollback: 1 });
    const { columns: cols, rows } = SIZE;
    const plain = new xterm.Terminal({ cols, rows, scrollback: 1, allowProposedApi: true, logLevel: "off" });
    for (const each of [terminal, plain]) await write(each, text);
    assertEquals(cells(terminal), cells(plain), `round ${round}: ${JSON.stringify(text)}`);
  }
});

Deno.test("rows moved at once: a count takes two steps at most, whatever it is", async () => {
  const terminal = await openEmulator({ columns: 80, rows: 24, scrollback: 1 });
  // deno-lint-ignore no-explicit-any -- a part of xterm that has no type
  const { lines } = (terminal as any)._core.buffer;
  const splice = lines.splice.bind(lines);
  let steps = 0;
  lines.splice = (...args: unknown[]) => (steps++, splice(...args));
  for (const final of "STLM") {
    steps = 0;
    await write(terminal, `\x1b[5H\x1b[999${final}`);
    assert(steps <= 2, `${final}: ${steps}`);
  }
});
