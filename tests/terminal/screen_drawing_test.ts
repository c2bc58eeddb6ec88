// The screen that a recording begins with, of a pane in which secrets are masked.
import { assert, assertEquals } from "@std/assert";
import { loadMasks } from "../../src/masking/masks.ts";
import { MaskStream } from "../../src/masking/mask_stream.ts";
import { openEmulator } from "../../src/terminal/emulator.ts";
import { type CapturedPane, parseScreen } from "../../src/terminal/screen.ts";
import { drawMaskedScreen, drawScreen } from "../../src/terminal/screen_drawing.ts";
import { readFixture } from "./fixture.ts";

const [COLUMNS, ROWS] = [14, 5];

async function streamOf(mask: string): Promise<MaskStream> {
  const masks = await loadMasks([mask], () => undefined);
  assert(masks);
  return new MaskStream(masks);
}

/** A capture of these rows with the cursor where "|" is; `padded` as most versions of tmux print them. */
function captureOf(shown: readonly string[], { padded = false } = {}): CapturedPane {
  const row = shown.findIndex((each) => each.includes("|"));
  const cells = (text: string) =>
    // deno-lint-ignore no-control-regex
    [...text.replaceAll(/\x1b\[[\d;]*m/g, "")].reduce((sum, each) => sum + (each === "日" ? 2 : 1), 0);
  const cursor = { row, column: cells(shown[row]?.split("|")[0] ?? "") };
  const rows = Array.from({ length: ROWS }, (_, index) => shown[index]?.replace("|", "") ?? "");
  const text = rows.map((each) => each + " ".repeat(padded ? COLUMNS - cells(each) : 0)).join("\n");
  return { text, columns: COLUMNS, rows: ROWS, ...(row >= 0 && { cursor }) };
}

async function rowsShown(
  capture: CapturedPane,
  drawn: string,
): Promise<{ rows: string[]; cursor: number[] }> {
  const terminal = await openEmulator(capture);
  await new Promise<void>((resolve) => terminal.write(drawn, resolve));
  const { active } = terminal.buffer;
  const rows = Array.from(
    { length: capture.rows },
    (_, row) => active.getLine(row)!.translateToString().trimEnd(),
  );
  const cursor = [active.cursorY, active.cursorX];
  terminal.dispose();
  return { rows, cursor };
}

const PATTERN = "regex:sk-[0-9]{6}";
const LITERAL = "literal:sk-123456";

/** Screens, and what is printed next. */
const HALF_SHOWN: Readonly<Record<string, readonly [mask: string, screen: string[], next: string]>> = {
  "at the cursor": [PATTERN, ["done", "key sk-123|"], "456"],
  "a text at the cursor": [LITERAL, ["done", "key sk-123|"], "456"],
  "most of a text at the cursor": [LITERAL, ["done", "key sk-12345|"], "6"],
  "in the last row": [LITERAL, ["", "", "", "", "key sk-12345|"], "6"],
  "wrapped": [PATTERN, ["a long line sk", "-123|"], "456"],
  "a text, wrapped": [LITERAL, ["a long line sk", "-123|"], "456"],
  "wrapped behind wide characters": [PATTERN, ["日日日 line sk", "-123|"], "456"],
  "at the end of the row": [LITERAL, ["long line sk-1|"], "23456"],
  "in a colour": [PATTERN, ["done", "\x1b[31mkey sk-\x1b[39m123|"], "456"],
  "before a prompt at the right": [PATTERN, ["done", "sk-123|  12:30"], "456"],
  "behind one that is whole": [PATTERN, ["sk-999999", "sk-888888 sk|"], "-123456"],
  "behind the beginning of its row": ["regex:^key sk\\S+", ["a full row ...", "key sk-123|"], "456"],
  "longer than what matches": ["regex:sk-\\S+", ["a long line sk", "-12|"], "3456"],
};

for (const [name, [mask, screen, next]] of Object.entries(HALF_SHOWN)) {
  for (const padded of [false, true]) {
    Deno.test(`half a secret that a recording begins with is not in it: ${name}${padded ? ", padded" : ""}`, async () => {
      const stream = await streamOf(mask);
      const capture = captureOf(screen, { padded });
      const drawn = drawMaskedScreen(capture, stream) + stream.push(`${next}\r\nnext\r\n`) + stream.end();
      const { rows } = await rowsShown(capture, drawn);
      assert(rows.join("").includes("[masked]"), drawn);
      const visible = rows.join("");
      for (const part of ["sk-1", "123", "456"]) {
        assert(!visible.includes(part) && !drawn.includes(part), drawn);
      }
    });
  }
}

Deno.test("no part of a secret that the cursor stands in is recorded", async () => {
  for (const mask of [PATTERN, LITERAL]) {
    const stream = await streamOf(mask);
    const drawn = drawMaskedScreen(captureOf(["done", "key sk-12|3456"]), stream) + stream.push("x\r\n") +
      stream.end();
    assert(!/sk-|12|34/.test(drawn), drawn);
  }
});

const PLAIN_SCREENS: Readonly<Record<string, readonly string[]>> = {
  "an empty line": ["done", "|"],
  "a prompt": ["done", "$ |"],
  "a prompt, and a line that is edited": ["done", "$ ls| -l"],
  "a prompt at the right": ["$ |      12:30"],
  "a blue row": ["\x1b[44mdone", "$ |   \x1b[49m", "below"],
  "a style that began above": ["\x1b[31mred", "still red |", "and here\x1b[39m"],
  "wide characters": ["日日日日日日日", "日 |"],
  "a full row": ["", "fourteen cells|"],
  "rows below": ["$ |", "a", "b"],
  "a hidden cursor": ["a", "b"],
};

for (const [name, screen] of Object.entries(PLAIN_SCREENS)) {
  for (const padded of [false, true]) {
    Deno.test(`a screen without a secret is recorded as it is: ${name}${padded ? ", padded" : ""}`, async () => {
      const capture = captureOf(screen, { padded });
      const isFull = capture.cursor?.column === COLUMNS;
      const printed = capture.cursor ? "!" : "";
      const expected = await rowsShown(capture, drawScreen(capture) + (isFull ? "\r\n" : "") + printed);
      for (const mask of [PATTERN, LITERAL]) {
        const stream = await streamOf(mask);
        const drawn = drawMaskedScreen(capture, stream) + stream.push(printed) +
          stream.end();
        const shown = await rowsShown(capture, drawn);
        assertEquals(shown, expected, drawn);
      }
    });
  }
}

for (const name of ["htop", "vim", "dialog"] as const) {
  Deno.test(`a screen without a secret is recorded as it is: ${name}`, async () => {
    const capture = await readFixture(name);
    const stream = await streamOf(PATTERN);
    const shown = await rowsShown(capture, drawMaskedScreen(capture, stream) + stream.end());
    const { rows } = await parseScreen(capture);
    assertEquals(shown.rows, rows.map((cells) => cells.map((cell) => cell.text).join("").trimEnd()));
    if (capture.cursor) assertEquals(shown.cursor, [capture.cursor.row, capture.cursor.column]);
  });
}
