// Captures become cells with their attributes.
import { assertEquals } from "@std/assert";
import { type Cell, parseScreen } from "../../src/terminal/screen.ts";
import { readFixture } from "./fixture.ts";

async function readRow(text: string, columns = 20): Promise<readonly Cell[]> {
  return (await parseScreen({ text, columns, rows: 1 })).rows[0] as readonly Cell[];
}

/** Names of the attributes that are set, and the colours. */
async function lookOf(text: string): Promise<string> {
  const [cell] = await readRow(text) as [Cell];
  const entries = Object.entries(cell.style).filter(([, value]) => value !== false && value !== undefined);
  return entries.map(([name, value]) => value === true ? name : `${name} ${value}`).join(", ");
}

const LOOKS: [sequence: string, look: string][] = [
  ["", ""],
  ["\x1b[1m", "bold"],
  ["\x1b[2m", "dim"],
  ["\x1b[3m", "italic"],
  ["\x1b[4m", "underline"],
  ["\x1b[4:3m", "underline"],
  ["\x1b[7m", "inverse"],
  ["\x1b[8m", "hidden"],
  ["\x1b[9m", "strikethrough"],
  ["\x1b[53m", "overline"],
  ["\x1b[31;42m", "foreground 1, background 2"],
  ["\x1b[91;102m", "foreground 9, background 10"],
  ["\x1b[38;5;208;48;5;17m", "foreground 208, background 17"],
  ["\x1b[38;2;1;2;3;48;2;255;0;128m", "foreground #010203, background #ff0080"],
  ["\x1b[1;31m\x1b[0m", ""],
];

for (const [sequence, look] of LOOKS) {
  Deno.test(`screen: ${JSON.stringify(sequence)} is ${look || "plain"}`, async () => {
    assertEquals(await lookOf(`${sequence}x`), look);
  });
}

Deno.test("screen: wide characters and emoji take two cells, marks none", async () => {
  const cells = await readRow("a日🙂e\u0301b");
  assertEquals(cells.slice(0, 5).map(({ text, column, width }) => [text, column, width]), [
    ["a", 0, 1],
    ["日", 1, 2],
    ["🙂", 3, 2],
    ["e\u0301", 5, 1],
    ["b", 6, 1],
  ]);
});

Deno.test("screen: emoji joined to one take two cells, as in tmux", async () => {
  const family = "👨\u200d👩\u200d👧";
  const cells = await readRow(`${family}|a\u200d日\u200db`);
  assertEquals(cells.slice(0, 4).map(({ text, column, width }) => [text, column, width]), [
    [family, 0, 2],
    ["|", 2, 1],
    ["a\u200d日\u200d", 3, 1],
    ["b", 4, 1],
  ]);
});

Deno.test("screen: a C1 control takes no cell and begins nothing", async () => {
  const { rows } = await parseScreen({ text: "â\u0080\u009db\nc\u009b2Jd", columns: 5, rows: 2 });
  assertEquals(rows.map((cells) => cells.map((cell) => cell.text).join("")), ["âb   ", "c2Jd "]);
});

Deno.test("screen: rows stay where they are, full rows and blank ones too", async () => {
  const { rows } = await parseScreen({ text: "12345\n\n67890\n", columns: 5, rows: 4 });
  assertEquals(rows.map((cells) => cells.map((cell) => cell.text).join("")), [
    "12345",
    "     ",
    "67890",
    "     ",
  ]);
});

Deno.test("screen: attributes go on over line ends, as tmux writes them", async () => {
  const { rows } = await parseScreen({ text: "\x1b[31ma\nb", columns: 5, rows: 2 });
  assertEquals(rows[1]?.[0]?.style.foreground, 1);
});

Deno.test("screen: line drawing between SO and SI", async () => {
  assertEquals((await readRow("\x0elqk\x0fq")).slice(0, 4).map((cell) => cell.text).join(""), "┌─┐q");
});

Deno.test("screen: one look is one object", async () => {
  const cells = await readRow("\x1b[1mab\x1b[0mc\x1b[1md");
  assertEquals(new Set(cells.slice(0, 4).map((cell) => cell.style)).size, 2);
});

Deno.test("screen: a captured vim", async () => {
  const screen = await parseScreen(await readFixture("vim"));
  const text = screen.rows.map((cells) => cells.map((cell) => cell.text).join(""));
  assertEquals([screen.columns, screen.rows.length, text[5]?.trimEnd()], [
    100,
    30,
    "  5 const MAX_CELL = 32;",
  ]);
  const { column, row } = screen.cursor as { column: number; row: number };
  assertEquals(text[row]?.slice(column, column + 7), "columns");
});
