// Rendered output: what a terminal would have shown, whichever way it is rendered and wherever it is cut.
import { assertEquals } from "@std/assert";
import { MemoryLines } from "../../src/terminal/memory_lines.ts";
import { TextRenderer } from "../../src/terminal/text.ts";

const encoder = new TextEncoder();
const ALL = { lines: Infinity, bytes: Infinity };

interface Rendered {
  text: string;
  lines: number;
  alternateScreen: boolean;
}

async function render(
  input: string | Uint8Array,
  size: { row?: number; rows?: number; columns?: number } = {},
  chunk = Infinity,
): Promise<Rendered> {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 20, rows: 5, ...size }, store);
  for (let at = 0; at < bytes.length; at += chunk) renderer.push(bytes.subarray(at, at + chunk));
  await renderer.finish();
  return { text: store.read(0, ALL).text, lines: store.lines, alternateScreen: renderer.alternateScreen };
}

/** Motions that change nothing on the screen but bring in the emulator. */
const NUDGE = "\x1b7\x1b8";

const ON_A_ROW: [name: string, input: string | Uint8Array, expected: string][] = [
  ["nothing", "", ""],
  ["one line", "hello\r\n", "hello"],
  ["no final line end", "hello", "hello"],
  ["blank lines", "\r\na\r\n\r\n\r\n", "\na\n\n"],
  ["colours and titles", "\x1b]0;t\x07\x1b[1;32mok\x1b[0m\x1bktitle\x1b\\!\r\n", "ok!"],
  ["a progress bar is one line", "10%\r50%\r100%\r\ndone\r\n", "100%\ndone"],
  ["a progress bar that erases", "loading...\r\x1b[Kdone\r\n", "done"],
  ["backspaces", "abc\b\bX\r\n", "aXc"],
  ["a wrapped line", "x".repeat(50) + "\r\n", "x".repeat(50)],
  ["a wrapped line rewritten", "x".repeat(25) + "\ryy\r\nz\r\n", "x".repeat(20) + "yyxxx\nz"],
  ["a wrapped line with its last row erased", "x".repeat(25) + "\r\x1b[Kdone\r\n", "x".repeat(20) + "\ndone"],
  ["a character repeated to the end of the row", "a-\x1b[99b+\r\n", "a" + "-".repeat(19) + "+"],
  ["a character repeated in the middle", "a-\x1b[2b+\r\n", "a---+"],
  ["characters joined to one", "👨\u200d👩\u200d👧abcd\rxyz\r\n", "xyzbcd"],
  ["an ASCII letter is never joined", "日\u200dab\rxyz\r\n", "xyzb"],
  ["an exactly full line", "x".repeat(20) + "\r\nz\r\n", "x".repeat(20) + "\nz"],
  ["printed trailing blanks stay", "a  \r\n", "a  "],
  ["wide characters", "日本語 🙂\rx\r\n", "x 本語 🙂"],
  ["combining marks", "e\u0301a\u0308\r\n", "e\u0301a\u0308"],
  ["invalid UTF-8", new Uint8Array([0x61, 0xff, 0xe2, 0x82, 0x0d, 0x0a]), "a\ufffd\ufffd"],
  [
    "more lines than the screen",
    Array.from({ length: 30 }, (_, n) => `${n}\r\n`).join(""),
    Array.from({ length: 30 }, (_, n) => n).join("\n"),
  ],
];

for (const [name, input, expected] of ON_A_ROW) {
  Deno.test(`text: ${name}`, async () => {
    const bytes = typeof input === "string" ? encoder.encode(input) : input;
    const nudged = new Uint8Array([...encoder.encode(NUDGE), ...bytes]);
    for (const chunk of [1, 3, Infinity]) {
      assertEquals((await render(bytes, {}, chunk)).text, expected, `in chunks of ${chunk}`);
      assertEquals((await render(nudged, {}, chunk)).text, expected, `emulated, in chunks of ${chunk}`);
    }
  });
}

const OFF_THE_ROW: [name: string, input: string, expected: string, size?: { row?: number; rows?: number }][] =
  [
    ["two bars redrawn", "a 1%\r\nb 1%\r\n\x1b[2Aa 99%\r\nb 99%\r\nend\r\n", "a 99%\nb 99%\nend"],
    ["bars redrawn by erasing below", "a\r\nb\r\n\x1b[2A\x1b[Jc\r\n", "c"],
    [
      "bars redrawn after many lines",
      "0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\na\r\nb\r\n\x1b[2AA\r\nB\r\n",
      "0\n1\n2\n3\n4\n5\n6\nA\nB",
    ],
    [
      "up no further than the screen",
      "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n\x1b[99AX\r\n",
      "1\n2\n3\nX\n5\n6\n7",
    ],
    ["up no further than the output's first row", "a\r\n\x1b[9AX", "X\na", { row: 1 }],
    ["in the middle of a line", "abc\r\ndef\x1b[AX\x1b[BY\r\n", "abcX\ndef Y"],
    ["in the middle of an edited line", "abc\r\ndefgh\r\x1b[2C\x1b[AX\x1b[BY\r\n", "abX\ndefYh"],
    ["cleared text stays", "one\r\ntwo\r\n\x1b[H\x1b[2J\x1b[3Jthree\r\n", "one\ntwo\nthree"],
    ["cleared by erasing below home", "one\r\n\x1b[H\x1b[Jtwo\r\n", "one\ntwo"],
    ["cleared by a reset", "one\r\n\x1bctwo\r\n", "one\ntwo"],
    ["the alternate screen is left out", "a\r\n\x1b[?1049h\x1b[Hvim\x1b[?1049lb\r\n", "a\nb"],
    ["line drawing", "\x1b(0lqk\x1b(B\r\n", "┌─┐"],
    ["a line feed alone keeps the column", "\x1b[Aab\ncd\r\n", "ab\n  cd", { row: 1 }],
    ["inserted and deleted lines keep the column", "ab\x1b[Lcd\r\n\x1b[2Cx\x1b[My\r\n", "  cd\n   y"],
    [
      "a scroll region keeps what leaves its top",
      "\x1b[1;4r\x1b[H1\r\n2\r\n3\r\n4\r\n5\r\n\x1b[r\x1b[5;1H",
      "1\n2\n3\n4\n5\n",
    ],
    [
      "a scroll region further down keeps what leaves its top",
      "head\r\n\x1b[2;4r\x1b[2;1H1\r\n2\r\n3\r\n4\r\n5\x1b[r\x1b[5;1H",
      "1\n2\nhead\n3\n4\n5",
    ],
    [
      "a wrapped line that leaves it in part stays whole, and does not continue the row above",
      `head\r\n\x1b[2;4r\x1b[2;1H${"x".repeat(45)}\r\nb\r\nc\x1b[r\x1b[5;1H`,
      `head\n${"x".repeat(45)}\nb\nc`,
    ],
    [
      "a wrapped line that leaves it whole",
      `head\r\n\x1b[2;4r\x1b[2;1H${"x".repeat(45)}\r\nb\r\nc\r\nd\x1b[r\x1b[5;1H`,
      `${"x".repeat(45)}\nhead\nb\nc\nd`,
    ],
    [
      "a wrapped line that scrolling it on demand cuts",
      `head\r\n\x1b[2;5r\x1b[2;1H${"x".repeat(45)}\r\nb\x1b[2S\x1b[9S\x1b[r\x1b[5;1H`,
      `${"x".repeat(45)}\nb\n\n\nhead\n\n\n`,
    ],
    [
      "a wrapped line that leaves it in part, with the rest erased",
      `\x1b[2;3r\x1b[2;1H${"x".repeat(45)}\r\x1b[A\x1b[J\x1b[r\x1b[H`,
      `\n${"x".repeat(20)}`,
    ],
    [
      "a wrapped line that leaves it in part before the screen is cleared",
      `head\r\n\x1b[2;4r\x1b[2;1H${"x".repeat(45)}\r\nb\r\nc\x1b[r\x1b[H\x1b[2Jd`,
      `head\n${"x".repeat(45)}\nb\nc\nd`,
    ],
    [
      "scrolling it on demand keeps its rows",
      "head\r\n\x1b[2;4r\x1b[2;1H1\r\n2\r\n3\x1b[2S\x1b[9S\x1b[r\x1b[5;1H",
      "1\n2\n3\n\n\nhead\n\n\n",
    ],
    ...["60;70", "30;20", "5;5"].map((region): typeof OFF_THE_ROW[number] => [
      `an invalid scroll region, ${region}, forgets nothing`,
      `\x1b[${region}r` + "1 2 3 4 5 6 7 8".replaceAll(" ", "\r\n"),
      "1\n2\n3\n4\n5\n6\n7\n8",
    ]),
    [
      "a scroll region of the alternate screen is not that of the main one",
      "\x1b[?1049h\x1b[2;3r\x1b[?1049l" + "1 2 3 4 5 6 7 8".replaceAll(" ", "\r\n"),
      "1\n2\n3\n4\n5\n6\n7\n8",
    ],
    ["scrolling on demand keeps what leaves", "a\r\nb\r\nc\r\n\x1b[2Sd", "a\nb\nc\n\n\nd"],
    [
      "scrolling a region on demand keeps only its rows",
      "a\r\nb\r\nc\r\nd\x1b[1;2r\x1b[9S\x1b[r\x1b[5;1H",
      "a\nb\n\n\nc\nd",
    ],
    [
      "rows above the output are not part of it when they scroll off",
      NUDGE + "1\r\n\r\n3\r\n4\r\n5\r\n",
      "1\n\n3\n4\n5",
      { row: 3 },
    ],
    ["rows above the output are not part of it", "\x1b[2;1Hx\r\n", "x", { row: 1 }],
    [
      "wrapped lines are joined when they scroll off",
      NUDGE + ("x".repeat(45) + "\r\n").repeat(4),
      ("x".repeat(45) + "\n").repeat(4).trimEnd(),
    ],
    [
      "C1 controls in UTF-8 are nothing",
      NUDGE + "â\u0080\u009d b\r\n\u009b2Jc\u0085\r\nd\r\n",
      "â b\n2Jc\nd",
    ],
    [
      "C1 controls in lines before the switch are nothing",
      "â\u009d b\r\nc\r\nd\x1b[AX\x1b[B\r\n",
      "â b\ncX\nd",
    ],
    ["a tmux title cut by the switch", NUDGE + "\x1bktitle\x1b\\a\r\n", "a"],
  ];

for (const [name, input, expected, size = {}] of OFF_THE_ROW) {
  Deno.test(`text: ${name}`, async () => {
    for (const chunk of [1, 3, 5, Infinity]) {
      assertEquals((await render(input, size, chunk)).text, expected, `in chunks of ${chunk}`);
    }
  });
}

Deno.test("text: a resize ends the scroll region", async () => {
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 20, rows: 5 }, store);
  renderer.push(encoder.encode("\x1b[2;3r"));
  renderer.resize(30, 5);
  renderer.push(encoder.encode("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7"));
  await renderer.finish();
  assertEquals(store.read(0, ALL).text, "1\n2\n3\n4\n5\n6\n7");
});

Deno.test("text: the alternate screen is reported", async () => {
  assertEquals((await render("a\x1b[?1049hb\x1b[?1049l")).alternateScreen, true);
  assertEquals((await render("a\x1b[2Jb")).alternateScreen, false);
});

Deno.test("text: counts", async () => {
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 80, rows: 24 }, store);
  renderer.push(encoder.encode("é\r\nb"));
  await renderer.finish();
  assertEquals([store.lines, store.bytes], [2, 4]);
});

Deno.test("text: bytes that are no character count as what replaces them", async () => {
  for (const bytes of [new Uint8Array(9).fill(0xff), new Uint8Array([0xc3, 0xa9, 0xe2, 0x82, 0x61])]) {
    const store = new MemoryLines();
    const renderer = new TextRenderer({ columns: 80, rows: 24 }, store);
    renderer.push(bytes);
    await renderer.finish();
    assertEquals(store.bytes, encoder.encode(store.read(0, ALL).text).length);
  }
});

Deno.test("text: unsettled lines are the newest, whoever renders them", async () => {
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 20, rows: 2 }, store);
  for (const text of ["1\r\n", "2\r\n", "3\r\n", "4"]) renderer.push(encoder.encode(text));
  assertEquals([store.read(0, ALL).text, renderer.unsettled()], ["1", ["2", "3", "4"]]);
  renderer.push(encoder.encode("\x1b[A"));
  await renderer.flush();
  assertEquals([store.read(0, ALL).text, renderer.unsettled()], ["1\n2", ["3", "4"]]);
  await renderer.finish();
  assertEquals(store.read(0, ALL).text, "1\n2\n3\n4");
});

Deno.test("text: bytes come in order, whenever they are pushed", async () => {
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 20, rows: 5 }, store);
  for (let n = 0; n < 9; n++) {
    renderer.push(encoder.encode(`${NUDGE}${n}a\r\n`));
    if (n % 2 === 0) await renderer.flush();
    renderer.push(encoder.encode(`${n}b\r\n`));
  }
  await renderer.finish();
  assertEquals(store.read(0, ALL).text, Array.from({ length: 9 }, (_, n) => `${n}a\n${n}b`).join("\n"));
});

for (const before of ["", NUDGE]) {
  Deno.test(`text: a resize acts between what came before and after it${before && ", emulated"}`, async () => {
    const store = new MemoryLines();
    const renderer = new TextRenderer({ columns: 20, rows: 5 }, store);
    renderer.push(encoder.encode(before + "abcdefgh\rX\r\n"));
    renderer.resize(5, 5);
    renderer.push(encoder.encode("abcdefgh\rX\r\n"));
    await renderer.finish();
    assertEquals(store.read(0, ALL).text, "Xbcdefgh\nabcdeXgh");
  });

  Deno.test(`text: a resize loses and repeats nothing${before && ", emulated"}`, async () => {
    const store = new MemoryLines();
    const renderer = new TextRenderer({ columns: 20, rows: 5 }, store);
    const expected: string[] = [];
    renderer.push(encoder.encode(before));
    for (const [columns, rows] of [[20, 5], [8, 3], [40, 9], [10, 2], [20, 20]] as const) {
      renderer.resize(columns, rows);
      for (let n = 0; n < 7; n++) expected.push(`${columns}x${rows} line ${n}`);
      renderer.push(encoder.encode(expected.slice(-7).join("\r\n") + "\r\n"));
    }
    await renderer.finish();
    assertEquals(store.read(0, ALL).text.split("\n"), expected);
  });
}

Deno.test("text: a million lines come whole", async () => {
  const store = new MemoryLines();
  const renderer = new TextRenderer({ columns: 80, rows: 24 }, store);
  let chunk = "";
  for (let n = 1; n <= 1_000_000; n++) {
    chunk += `${n}\r\n`;
    if (n % 8000 === 0) renderer.push(encoder.encode(chunk)), chunk = "";
  }
  await renderer.finish();
  assertEquals([store.lines, store.bytes], [1_000_000, 6_888_895]);
  assertEquals(store.read(499_999, { lines: 2, bytes: 100 }), { text: "500000\n500001", lines: 2 });
  assertEquals(store.readTail({ lines: 2, bytes: 100 }), { text: "999999\n1000000", lines: 2 });
});
