// The screen that a recording begins with, of a pane in which secrets are masked.
import { assert, assertEquals } from "@std/assert";
import { loadMasks } from "../../src/masking/masks.ts";
import { MaskStream } from "../../src/masking/mask_stream.ts";
import { openEmulator } from "../../src/terminal/emulator.ts";
import { type CapturedScreen, type Screen, screenOf } from "../../src/terminal/screen.ts";
import { drawMaskedScreen, drawScreen } from "../../src/terminal/screen_drawing.ts";
import { placed, readFixture } from "./fixture.ts";

const [COLUMNS, ROWS] = [14, 5];
/** Text of an emoji that tmux draws in two cells. */
const EMOJI = "\u{1f469}\u200d\u{1f4bb}";

async function streamOf(mask: string): Promise<MaskStream> {
  const masks = await loadMasks([mask], () => undefined);
  assert(masks);
  return new MaskStream(masks);
}

function cellsOf(text: string): number {
  // deno-lint-ignore no-control-regex
  const shown = text.replaceAll(/\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\/g, "").replaceAll(EMOJI, "日");
  let cells = 0;
  for (const each of shown) cells += each === "\t" ? 8 - cells % 8 : each === "日" ? 2 : 1;
  return cells;
}

interface Look {
  /** With blanks to the end of each row, as most versions of tmux print them. */
  padded: boolean;
  columns?: number;
  rows?: number;
}

/** A capture of these rows with the cursor in place of "|", or of "¦" if it is hidden. */
function captureOf(
  shown: readonly string[],
  { padded, columns = COLUMNS, rows = ROWS }: Look,
): CapturedScreen {
  const row = shown.findIndex((each) => /[|¦]/.test(each));
  const column = cellsOf(shown[row]!.split(/[|¦]/)[0]!);
  const each = Array.from({ length: rows }, (_, index) => shown[index]?.replace(/[|¦]/, "") ?? "");
  const text = each.map((one) => one + " ".repeat(padded ? columns - cellsOf(one) : 0)).join("\n");
  const isVisible = shown[row]!.includes("|");
  return placed({ text, columns, rows, ...(isVisible && { cursor: { column, row } }) }, { column, row });
}

/** The cells and the cursor that a terminal shows. */
async function shownBy(
  capture: CapturedScreen,
  drawn: string,
): Promise<{ screen: Screen; cursor: number[] }> {
  const terminal = await openEmulator(capture);
  await new Promise<void>((resolve) => terminal.write(drawn, resolve));
  const { cursorX, cursorY } = terminal.buffer.active;
  const screen = screenOf(terminal);
  terminal.dispose();
  return { screen, cursor: [cursorX, cursorY] };
}

function textOf({ rows }: Screen): string {
  return rows.map((cells) => cells.map(({ text }) => text).join("")).join("");
}

const PATTERN = "regex:sk-[0-9]{6}";
const LITERAL = "literal:sk-123456";
const FULL = "-".repeat(COLUMNS);
/** Rows of more characters than are held back. */
const LONG = Array.from({ length: 400 }, () => FULL);

/** Screens, and what is printed next. */
const HALF_SHOWN: Readonly<
  Record<string, readonly [mask: string, screen: string[], next: string, columns?: number]>
> = {
  "at the cursor": [PATTERN, ["done", "key sk-123|"], "456"],
  "at a hidden cursor": [PATTERN, ["done", "key sk-123¦"], "456"],
  "a text at the cursor": [LITERAL, ["done", "key sk-123|"], "456"],
  "most of a text at the cursor": [LITERAL, ["done", "key sk-12345|"], "6"],
  "in the last row": [LITERAL, ["", "", "", "", "key sk-12345|"], "6"],
  "wrapped": [PATTERN, ["a long line sk", "-123|"], "456"],
  "a text, wrapped": [LITERAL, ["a long line sk", "-123|"], "456"],
  "wrapped after wide characters": [PATTERN, ["日日日 line sk", "-123|"], "456"],
  "wrapped after a tab": [PATTERN, ["\tline sk", "-123|"], "456", 15],
  "at the end of the row": [LITERAL, ["long line sk-1|"], "23456"],
  "in a colour": [PATTERN, ["done", "\x1b[31mkey sk-\x1b[39m123|"], "456"],
  "after a tab": [PATTERN, ["a\tsk-123|"], "456"],
  "after an emoji": [LITERAL, [`${EMOJI} sk-123|`], "456"],
  "before a prompt at the right": [PATTERN, ["done", "sk-123|  12:30"], "456"],
  "after one that is whole": [PATTERN, ["sk-999999", "sk-888888 sk|"], "-123456"],
  "between one that is whole and a prompt": [PATTERN, ["sk-888888 sk-123|  12:30"], "456", 30],
  "after the beginning of its row": ["regex:^key sk\\S+", ["a full row ...", "key sk-123|"], "456"],
  "longer than what matches": ["regex:sk-\\S+", ["a long line sk", "-12|"], "3456"],
  "wrapped after one that is whole": [PATTERN, ["sk-888888 --sk", "-123|"], "456"],
  "a text, wrapped after one that is whole": [LITERAL, ["sk-123456 --sk", "-123|"], "456"],
  "wrapped after a coloured one": [PATTERN, ["sk-8\x1b[31m88888 --sk", "-123\x1b[39m|"], "456"],
  "whole, wrapped after another one": [PATTERN, ["sk-888888 --sk", "-123456|"], ""],
  "below more than is held back": [PATTERN, [...LONG, "key sk-123|"], "456"],
};

for (const [name, [mask, screen, next, columns]] of Object.entries(HALF_SHOWN)) {
  for (const padded of [false, true]) {
    Deno.test(`half a secret that a recording begins with is not in it: ${name}${padded ? ", padded" : ""}`, async () => {
      const stream = await streamOf(mask);
      const rows = Math.max(ROWS, screen.length);
      const capture = captureOf(screen, { padded, rows, ...(columns !== undefined && { columns }) });
      const drawn = drawMaskedScreen(capture, stream) + stream.push(`${next}\r\nnext\r\n`) + stream.end();
      const visible = textOf((await shownBy(capture, drawn)).screen);
      assert(visible.includes("[masked]"), drawn);
      // deno-lint-ignore no-control-regex
      const written = visible + drawn.replaceAll(/\x1b\[\d+;\d+H/g, "");
      for (const part of ["sk-1", "123", "456"]) assert(!written.includes(part), part);
    });
  }
}

Deno.test("no part of a secret that the cursor stands in is recorded", async () => {
  const screens: [mask: string, rows: string[]][] = [
    [PATTERN, ["done", "key sk-12|3456"]],
    [LITERAL, ["done", "key sk-12|3456"]],
    [LITERAL, ["the key sk-1|23", "456 end"]],
  ];
  for (const [mask, rows] of screens) {
    const stream = await streamOf(mask);
    const drawn = drawMaskedScreen(captureOf(rows, { padded: true }), stream) + stream.push("x\r\n") +
      stream.end();
    assert(!/sk-|12|45/.test(drawn), drawn);
  }
});

const LONG_SECRET = "literal:ghp_abcdefghijklmnop";

/** Secrets that the line at the cursor has only a part of, all of which is there. */
const SPREAD: Readonly<Record<string, readonly [masks: string[], screen: string[]]>> = {
  "wrapped by an editor": [[LITERAL], ["a long line sk", "-123456|"]],
  "wrapped, and text after the cursor": [[LITERAL], ["a long line sk", "-123456 mo|re"]],
  "wrapped by a program before the end of the row": [[LITERAL], ["key sk-1", "23456|"]],
  "begun above the screen": [[LONG_SECRET], ["ijklmnop $ |"]],
  "begun above a screen full of one line": [[LONG_SECRET], ["ijklmnop------", FULL, "---|"]],
  "that goes on below": [[LITERAL], ["0123456 sk-1|", "23456 end"]],
  "beside another one": [[LITERAL, "literal:abcdef"], ["abcdef sk-|1", "23456 end"]],
  "after more than is held back": [[LITERAL], [...LONG, "---------sk-1", "23456|"]],
  "that only a wrapped one hides": [["regex:pin [0-9]{4}$", "regex:i[0-9]{9}"], [
    "xxxxx pin 1234",
    "abcdefghi12345",
    "6789|",
  ]],
};

for (const [name, [masks, screen]] of Object.entries(SPREAD)) {
  for (const alternateOn of [false, true]) {
    Deno.test(`a secret that is masked on a screen is masked in its recording: ${name}, ${alternateOn}`, async () => {
      const loaded = await loadMasks(masks, () => undefined);
      const stream = new MaskStream(loaded!);
      const capture = captureOf(screen, { padded: false, rows: Math.max(ROWS, screen.length) });
      const hidden = loaded!.text(capture.text).replaceAll(/\[masked\]|\n/g, "");
      const drawn = drawMaskedScreen({ ...capture, alternateOn }, stream) + stream.push("x\r\n") +
        stream.end();
      const written = textOf((await shownBy(capture, drawn)).screen).replaceAll("[masked]", "");
      for (const part of ["sk-1", "23456", "ijklmnop", "pin 1234"]) {
        assert(hidden.includes(part) || !written.includes(part), drawn);
      }
    });
  }
}

Deno.test("masked rows above the cursor stay rows", async () => {
  for (const row of ["--abcd--------", "--ab\x1b[1mcd------\x1b[m--", "----------abcd"]) {
    const capture = captureOf(["one", "two", row, "$ |"], { padded: true });
    const stream = await streamOf("literal:abcd");
    const drawn = drawMaskedScreen(capture, stream) + stream.push("ls") + stream.end();
    const text = textOf((await shownBy(capture, drawn)).screen);
    assertEquals(text.slice(3 * COLUMNS).trim(), "$ ls");
    assertEquals(text.slice(0, 3), "one");
    const expected = row.startsWith("--ab") ? "--[mas--------" : "----------[mas";
    assertEquals(text.slice(2 * COLUMNS, 3 * COLUMNS), expected);
  }
});

Deno.test("no secret of a wrapped line hides what another one needs", async () => {
  const screens: [masks: string[], rows: string[], next: string, secret: RegExp][] = [
    [["literal:abcdef", "literal:efghij"], ["----------abcd", "ef|"], "ghij", /abcd|ghij/],
    [["literal:abcdef", "literal:xxabcdefgh1"], ["--------xxabcd", "ef|"], "gh1", /abcd|gh1/],
    [["literal:abcd", "literal:xabcdefghijk"], ["-------xabcdef", "gh|"], "ijk", /efgh|ijk/],
    [["regex:pw:", "regex:\\bsk-[0-9]+"], ["--- pw:sk-1234", "56|"], "789", /sk-|456|789/],
    [["literal:user", "regex:http://user:\\S+@"], ["--- http://us", "er:pass|"], "12@h", /pass|12@/],
  ];
  for (const [masks, rows, next, secret] of screens) {
    const columns = rows[0]!.length;
    const stream = new MaskStream((await loadMasks(masks, () => undefined))!);
    const drawn = drawMaskedScreen(captureOf(rows, { padded: true, columns }), stream) +
      stream.push(`${next}\r\n`) + stream.end();
    assert(!secret.test(drawn.replaceAll(/\[\d+;\d+H/g, "")), drawn);
  }
});

Deno.test("a skin tone at the cursor stays with its emoji", async () => {
  const shown = "\u{1f44d}\u{1f3fd} xy";
  const capture = placed({ text: shown, columns: COLUMNS, rows: 1 }, { column: 2, row: 0 });
  const drawn = drawMaskedScreen(capture, await streamOf(LITERAL));
  assert(drawn.includes(shown), drawn);
});

Deno.test("a row that is longer on another terminal doesn't scroll the screen", async () => {
  const capture = captureOf(["top|", "", "", "", EMOJI.repeat(7)], { padded: false });
  const { screen } = await shownBy(capture, drawScreen(capture));
  assertEquals(textOf(screen).slice(0, 3), "top");
});

Deno.test("an emoji after the cursor doesn't move it", async () => {
  const capture = captureOf([`$ ls| ${EMOJI} x`], { padded: false });
  const stream = await streamOf(PATTERN);
  const { screen } = await shownBy(
    capture,
    drawMaskedScreen(capture, stream) + stream.push("!") + stream.end(),
  );
  assertEquals(textOf(screen).slice(0, 5), "$ ls!");
});

Deno.test("a row that is longer once it is masked doesn't scroll the screen", async () => {
  const capture = captureOf(["$ |", "", "", "", "0123 abcd xyz."], { padded: true });
  const { screen } = await shownBy(capture, drawMaskedScreen(capture, await streamOf("literal:abcd")));
  assertEquals(textOf(screen).slice(4 * COLUMNS, 4 * COLUMNS + 13), "0123 [masked]");
});

Deno.test("a secret at the end of a wrapped line takes no other row", async () => {
  for (
    const [rows, at] of [[[FULL, "12345678abcd|", "below row"], 2], [
      ["", "", "top", FULL, "12345678abcd|"],
      2,
    ]] as const
  ) {
    const capture = captureOf(rows, { padded: true });
    const { screen, cursor } = await shownBy(
      capture,
      drawMaskedScreen(capture, await streamOf("literal:abcd")),
    );
    assertEquals(textOf(screen).slice(at * COLUMNS, (at + 1) * COLUMNS).trim(), rows[at]);
    assertEquals(cursor, [12, capture.cursorRow]);
  }
});

Deno.test("a divider above a secret in the same line stays one", async () => {
  const capture = captureOf(["\x0eqqqqqqqqqqqqqq\x0f", "$ x abcd y|"], { padded: false });
  const { screen } = await shownBy(capture, drawMaskedScreen(capture, await streamOf("literal:abcd")));
  assertEquals(textOf(screen).slice(0, COLUMNS), "─".repeat(COLUMNS));
  const within = captureOf(["\x0eqqqabcdqqqqqqq\x0f", "$ x|"], { padded: false });
  const shown = await shownBy(within, drawMaskedScreen(within, await streamOf("literal:abcd")));
  assertEquals(textOf(shown.screen).slice(0, COLUMNS), "───[mas───────");
});

Deno.test("of two secrets that overlap at the cursor, all is masked", async () => {
  const screens: [masks: string[], rows: string[]][] = [
    [["regex:(?i)\\bpw=\\S+", "literal:hunter22"], ["x".repeat(16), "pw=Xy9-hunter22|"]],
    [["regex:\\btok-[a-z]+", "regex:[a-z]+=[0-9]+"], ["x".repeat(16), "tok-abc=1|"]],
    [["regex:^pw=\\S+|abcd"], ["x".repeat(16), "pw=Xy9-abcd|"]],
  ];
  for (const [masks, rows] of screens) {
    const stream = new MaskStream((await loadMasks(masks, () => undefined))!);
    const drawn = drawMaskedScreen(captureOf(rows, { padded: true, columns: 16 }), stream) + stream.end();
    assert(!/Xy9|tok/.test(drawn), drawn);
  }
});

Deno.test("a line that is longer once it is masked stays in its row", async () => {
  const capture = captureOf(["0123 abcd xyz|", "below row"], { padded: true });
  const stream = await streamOf("literal:abcd");
  const { screen } = await shownBy(capture, drawMaskedScreen(capture, stream));
  assertEquals(textOf(screen).slice(0, 13), "0123 [masked]");
  assertEquals(textOf(screen).slice(COLUMNS, COLUMNS + 9), "below row");
});

Deno.test("a secret in the address of a link is not recorded", async () => {
  const link = "\x1b]8;;http://h/?k=sk-123456\x1b\\link\x1b]8;;\x1b\\";
  for (const screen of [[link, "$ |"], ["done", `${link} |`], ["done", `$ |${link}`]]) {
    for (const mask of [PATTERN, LITERAL]) {
      const stream = await streamOf(mask);
      const drawn = drawMaskedScreen(captureOf(screen, { padded: false }), stream) + stream.push("x\r\n");
      assert(drawn.includes("[masked]") && !drawn.includes("123456"), drawn);
    }
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
  "a tab": ["Name:\t|"],
  "a full row": ["", "fourteen cells|"],
  "a line below a full row": ["done", FULL, "|"],
  "a prompt below a full row": ["done", FULL, "$ |"],
  "rows below": ["$ |", "a", "b"],
  "a hidden cursor": ["a", "b", "50%¦"],
};

for (const [name, rows] of Object.entries(PLAIN_SCREENS)) {
  for (const padded of [false, true]) {
    Deno.test(`a screen without a secret is recorded as it is: ${name}${padded ? ", padded" : ""}`, async () => {
      const capture = captureOf(rows, { padded });
      for (const printed of ["!", "\r!", "\r\n!"]) {
        const wraps = capture.cursorColumn === COLUMNS && printed === "!" ? "\r\n" : "";
        const expected = await shownBy(capture, drawScreen(capture) + wraps + printed);
        for (const mask of [PATTERN, LITERAL]) {
          const stream = await streamOf(mask);
          const drawn = drawMaskedScreen(capture, stream) + stream.push(printed) + stream.end();
          assertEquals(await shownBy(capture, drawn), expected, drawn);
        }
      }
    });
  }
}

Deno.test("the blanks between a coloured row and the cursor have no colour", async () => {
  const capture = { ...captureOf(["\x1b[44mdone|", "below"], { padded: false }), cursorColumn: 8 };
  const drawn = drawMaskedScreen(capture, await streamOf(LITERAL));
  assertEquals(await shownBy(capture, drawn), await shownBy(capture, drawScreen(capture)), drawn);
});

const MODES: Readonly<Record<string, readonly [modes: Partial<CapturedScreen>, set: string]>> = {
  "wrapping is off": [{ wrapOff: true }, "\x1b[?7l"],
  "only some rows scroll": [{ scrollRegion: { top: 0, bottom: 1 } }, "\x1b[1;2r\x1b[3;5H"],
};
/** Screens, and how they are shown if their secret of eight letters is masked. */
const WITH_MODES: readonly (readonly [screen: string[], shown: string[]])[] = [
  [["above", FULL, "two |", "below"], ["above", FULL, "two |", "below"]],
  [["above", "", "abcdefgh x|"], ["above", "", "[masked] x|"]],
  [["abcdefgh", "", "two |"], ["[masked]", "", "two |"]],
  [["", "abcdef", "gh x|"], ["", "[masked]", " x  |"]],
];

for (const [name, [modes, set]] of Object.entries(MODES)) {
  Deno.test(`a recording goes on as its pane does: ${name}`, async () => {
    for (const [rows, masked] of WITH_MODES) {
      const capture = captureOf(rows, { padded: false });
      const shown = drawScreen(captureOf(masked, { padded: false }));
      for (const printed of ["a long text over the end", "\r\n1\r\n2\r\n3"]) {
        const expected = await shownBy(
          capture,
          shown + set.replace("5H", `${capture.cursorColumn + 1}H`) + printed,
        );
        const stream = await streamOf("literal:abcdefgh");
        const drawn = drawMaskedScreen({ ...capture, ...modes }, stream) + stream.push(printed) +
          stream.end();
        assertEquals(await shownBy(capture, drawn), expected, drawn);
        const unmasked = drawScreen({ ...captureOf(masked, { padded: false }), ...modes });
        assertEquals(await shownBy(capture, unmasked + printed), expected);
      }
    }
  });
}

for (const name of ["htop", "vim", "dialog"] as const) {
  Deno.test(`a screen without a secret is recorded as it is: ${name}`, async () => {
    const capture = placed(await readFixture(name));
    for (const alternateOn of [false, true]) {
      const stream = await streamOf(PATTERN);
      const drawn = drawMaskedScreen({ ...capture, alternateOn }, stream) + stream.end();
      assertEquals(await shownBy(capture, drawn), await shownBy(capture, drawScreen(capture)), drawn);
    }
  });
}

Deno.test("the frame of a full-screen program is there at once", async () => {
  const stream = await streamOf(PATTERN);
  const capture = captureOf([FULL, FULL, FULL, `${FULL.slice(3)}|`], { padded: true });
  const { screen } = await shownBy(capture, drawMaskedScreen({ ...capture, alternateOn: true }, stream));
  assertEquals(textOf(screen).replaceAll(" ", "").length, 3 * COLUMNS);
});
