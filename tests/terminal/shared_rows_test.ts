// Rows that share their cells show what xterm's own rows show, and no sequence costs a step for each cell.
import { assert, assertEquals } from "@std/assert";
import xterm, { type Terminal } from "@xterm/headless";
import { eraseFromLastCell, openEmulator, repeatWithinRow } from "../../src/terminal/emulator.ts";
import { TextRenderer } from "../../src/terminal/text.ts";
import { numbers } from "../support/random.ts";

const ESC = "\x1b";
/** Finals of escape sequences, and of control sequences with what stands before them. */
const ESCAPES = ["c", "D", "E", "H", "M", "7", "8", "#8", "(0", "(B"];
const CONTROLS = [
  ..."@ABCDEFGHIJKLMPSTXZ`abdefgmr",
  ...[" @", " A", "'}", "'~", '"q', "!p"],
];
const MODES = ["6", "7", "47", "1047", "1048", "1049"];
const TEXTS = [
  "x",
  "wide 漢字",
  "e\u0301",
  "\t",
  "\r\n",
  "\n",
  "\b",
  `${ESC}[41m`,
  `${ESC}[4:3m`,
  `${ESC}[m`,
];

function write(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

function piece(random: (below: number) => number): string {
  const one = (of: readonly string[]) => of[random(of.length)]!;
  const number = () => ["", "1", "2", `${random(14)}`][random(4)];
  switch (random(8)) {
    case 0:
      return ESC + one(ESCAPES);
    case 1:
      return `${ESC}[?${one(MODES)}${one(["h", "l"])}`;
    case 2:
      return `${ESC}[?${number()}${one(["J", "K"])}`;
    case 3:
      return `${ESC}[${random(7)};${random(14)}H`;
    case 4:
    case 5:
      return one(TEXTS);
    default: {
      const final = one(CONTROLS);
      // Only xterm moves the cursor to the first column.
      return `${ESC}[${number()}${final}${/[LM]/.test(final) ? "\r" : ""}`;
    }
  }
}

/** Every row with its text and the looks of its cells, and the cursor. */
function shown({ buffer: { active }, cols }: Terminal): string[] {
  const rows = Array.from({ length: active.length }, (_, row) => {
    const line = active.getLine(row)!;
    const cells = Array.from({ length: cols }, (_, column) => {
      const cell = line.getCell(column)!;
      return [cell.getChars(), cell.getWidth(), cell.getBgColor(), cell.isUnderline()].join();
    });
    return `${line.translateToString(true)}|${line.translateToString()}|${line.isWrapped}|${cells.join(" ")}`;
  });
  return [...rows, `${active.type} ${active.cursorX},${active.cursorY}`];
}

Deno.test("shared rows: the screen is the one that xterm shows", async () => {
  const random = numbers(20261123);
  for (let round = 0; round < 250; round++) {
    const text = Array.from({ length: 60 }, () => piece(random)).join("");
    const terminal = await openEmulator({ columns: 12, rows: 6, scrollback: 1 });
    const plain = new xterm.Terminal({
      cols: 12,
      rows: 6,
      scrollback: 1,
      allowProposedApi: true,
      logLevel: "off",
    });
    eraseFromLastCell(plain);
    repeatWithinRow(plain);
    for (const each of [terminal, plain]) await write(each, text);
    assertEquals(shown(terminal), shown(plain), `round ${round}: ${JSON.stringify(text)}`);
    const columns = 8 + random(9);
    for (const each of [terminal, plain]) each.resize(columns, 6), await write(each, text);
    assertEquals(
      shown(terminal),
      shown(plain),
      `round ${round}, ${columns} columns: ${JSON.stringify(text)}`,
    );
  }
});

interface XtermRow {
  setCell(this: XtermRow, ...cell: unknown[]): void;
}

/** Counts the cells that are written to rows one by one, or copied, while `act` runs. */
async function written(terminal: Terminal, act: () => Promise<void>): Promise<number> {
  const numbers = Uint32Array.prototype;
  // deno-lint-ignore no-explicit-any -- a part of xterm that has no type
  let row: XtermRow = (terminal as any)._core.buffer.lines.get(0);
  while ("setCell" in Object.getPrototypeOf(row)) row = Object.getPrototypeOf(row);
  const { slice, copyWithin } = numbers;
  const { setCell } = row;
  let cells = 0;
  row.setCell = function (...cell) {
    cells++;
    setCell.apply(this, cell);
  };
  numbers.slice = function (...at) {
    cells += this.length / 3;
    return slice.apply(this, at);
  };
  numbers.copyWithin = function (...at) {
    cells += this.length / 3;
    return copyWithin.apply(this, at);
  };
  try {
    await act();
  } finally {
    Object.assign(numbers, { slice, copyWithin });
    row.setCell = setCell;
  }
  return cells;
}

/** Two that are written to, and two that others share. */
const MOST_ROWS = 6;
/** Every row with a character that was printed differs from the others once it is shifted. */
const SHIFTED_ROWS = 2 * 50 + MOST_ROWS;

Deno.test("shared rows: a sequence that changes the whole screen writes a row or two", async () => {
  const terminal = await openEmulator({ columns: 200, rows: 50, scrollback: 1 });
  const whole = ["c", "#8", "[2J", "[J", "[?2J", "[99S", "[99L"];
  for (const first of whole) {
    for (const second of [...whole, "D", "M", "[ @", `[?1047h${ESC}[?1047l`]) {
      await write(terminal, `${ESC}c`);
      const rows = await written(terminal, () => write(terminal, `${ESC}${first}x${ESC}${second}x`)) / 200;
      const most = first === "#8" && second === "[ @" ? SHIFTED_ROWS : MOST_ROWS;
      assert(rows <= most, `${first} x ${second} x: ${rows} rows`);
    }
  }
});

Deno.test("shared rows: text that was not printed is not given out again and again", async () => {
  let bytes = 0;
  const renderer = new TextRenderer({ columns: 200, rows: 50 }, {
    append: (lines) => void (bytes += lines.length),
  });
  const text = `${ESC}#8${ESC}[2J${ESC}#8${ESC}c`.repeat(1000);
  renderer.push(new TextEncoder().encode(text));
  await renderer.finish();
  assert(bytes <= text.length, `${bytes} bytes of text from ${text.length}`);
});
