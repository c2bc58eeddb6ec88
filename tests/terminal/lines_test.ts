// Lines for triggers: what a stream of bytes says, wherever it is cut.
import { assertEquals } from "@std/assert";
import { LineReader } from "../../src/terminal/lines.ts";

const encoder = new TextEncoder();

function bytesOf(input: string | Uint8Array): Uint8Array {
  return typeof input === "string" ? encoder.encode(input) : input;
}

/** Finished text, a `|`, and the unfinished line. */
function read(input: string | Uint8Array, { columns = 80, chunk = Infinity } = {}): string {
  const reader = new LineReader({ columns });
  const bytes = bytesOf(input);
  let text = "";
  for (let at = 0; at < bytes.length; at += chunk) text += reader.push(bytes.slice(at, at + chunk)).text;
  return `${text}|${reader.pending()}`;
}

const CASES: [name: string, input: string | Uint8Array, expected: string, columns?: number][] = [
  ["lines end once at CR LF", "a\r\nb\r\r\n\r\nc", "a\nb\n\n|c"],
  ["a bare line feed ends a line", "a\nb\n", "a\nb\n|"],
  ["colours", "\x1b[1;31merror\x1b[0m: no\x1b[38;2;1;2;3m!\x1b[4:3m\r\n", "error: no!\n|"],
  ["OSC ended by BEL and by ST", "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\\r\n", "ab\n|"],
  [
    "DCS, APC, PM, SOS and a tmux title",
    "\x1bPq#0\x1b\\a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d\x1bkt\x1b\\e",
    "|abcde",
  ],
  ["BEL is data in a DCS", "\x1bPa\x07b\x1b\\c", "|c"],
  ["charsets, keypad, single shifts", "\x1b(B\x1b)0\x1b=\x1b>\x1bN\x1bOa\x0f", "|a"],
  ["a cancelled sequence", "\x1b[31\x18a\x1b]0;x\x1ab", "|ab"],
  ["a control character inside a sequence acts", "a\x1b[3\n1mb", "a\n|b"],
  ["NUL and other controls are nothing", "a\0\x01b\x7fc", "|abc"],
  ["tabs stay", "a\tb\r\n", "a\tb\n|"],
  ["a carriage return rewrites", "10%\r50%\r100%\r\n", "100%\n|"],
  ["a shorter rewrite leaves the rest", "abcdef\rXY\r\n", "XYcdef\n|"],
  ["erase to the end of the line", "abcdef\r\x1b[KXY\r\n", "XY\n|"],
  ["erase the whole line", "abc\x1b[2K\rd\r\n", "d\n|"],
  ["erase to the start", "abcd\x1b[D\x1b[1Ke\r\n", "   e\n|"],
  ["a trailing CR changes nothing yet", "50%\r", "|50%"],
  ["backspace", "abd\bc\b\b\bx\r\n", "xbc\n|"],
  ["overstrike as man pages do", "N\bNA\bA_\bM\r\n", "NAM\n|"],
  ["motion right pads", "a\x1b[3Cb\r\n", "a   b\n|"],
  ["absolute column", "a\x1b[10Gb\r\n", "a        b\n|"],
  ["insert, delete, erase characters", "abcdef\r\x1b[2P\x1b[1@\x1b[2C\x1b[2X\r\n", " c  f\n|"],
  ["delete characters before a tab", "ab\tc\r\x1b[P\r\n", "b      c\n|"],
  ["insert characters before a tab", "a\tb\r\x1b[@\r\n", " a       b\n|"],
  ["delete characters of one row of a wrapped line", "abcdefgh\b\b\b\b\b\b\x1b[P\r\n", "abde fgh\n|", 5],
  ["insert characters in one row of a wrapped line", "abcdefgh\b\b\b\b\b\b\x1b[2@\r\n", "ab  cfgh\n|", 5],
  ["vertical tab and form feed keep the column", "ab\vc\fd\r\n", "ab\n  c\n   d\n|"],
  ["form feed on an empty row, and before a CR", "\fa\f\rb\r\n", "\na\nb\n|"],
  ["repeat", "-\x1b[4b\r\n", "-----\n|"],
  ["repeat up to the end of the row", "-\x1b[80b+\x1b[3b\r\n", "-----++++\n|", 5],
  ["home ends a line", "abc\x1b[Hdef\x1b[5;1Hghi", "abc\ndef\n|ghi"],
  ["up and down end a line", "a\x1b[Ab\x1b[2Bc\x1bMd\x1bDe\x1bEf", "a\nb\nc\nd\ne\n|f"],
  ["insert line and scroll end a line", "a\x1b[Lb\x1b[Sc\x1b[1;20rd", "a\nb\nc\n|d"],
  ["moves on an empty line end nothing", "\x1b[H\x1b[2J\x1b[3Ja\r\n\x1b[H", "a\n|"],
  ["clearing ends a line", "ready\x1b[2Jx", "ready\n|x"],
  ["the alternate screen", "a\x1b[?1049hb\x1b[?1049lc", "a\nb\n|c"],
  ["modes and queries are nothing", "a\x1b[?25l\x1b[?2004hb\x1b[6n\x1b[>c\x1b[?1ud\x1b[2 qe", "|abde"],
  ["UTF-8", "naïve — 日本語 🙂\r\n", "naïve — 日本語 🙂\n|"],
  ["a byte order mark is text", "\ufeffa\r\n", "\ufeffa\n|"],
  ["invalid UTF-8", new Uint8Array([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82, 0x0a]), "a\ufffd\ufffd(\ufffd\n|"],
  ["invalid UTF-8 in a rewritten line", new Uint8Array([0x61, 0x0d, 0xe2, 0x82, 0x0d, 0x0a]), "\ufffd\n|"],
  ["surrogates in UTF-8", new Uint8Array([0xed, 0xa0, 0x80, 0x0a]), "\ufffd\ufffd\ufffd\n|"],
  ["half a character rests unseen", new Uint8Array([0x61, 0xe2, 0x82]), "|a"],
  ["wide characters take two cells", "日本\r\x1b[2Cx\r\n", "日x \n|"],
  ["half of a wide character overwritten", "日本\r\x1b[Cx\r\n", " x本\n|"],
  ["a combining mark stays with its letter", "xe\u0301y\rz\r\n", "ze\u0301y\n|"],
  ["a rewritten tab", "a\tb\r\tc\r\n", "a\tc\n|"],
  ["lines are not cut at the width", "x".repeat(200) + "\r\n", "x".repeat(200) + "\n|"],
  ["CR on a wrapped line goes to its last row", "abcdefgh\rX\r\n", "abcdeXgh\n|", 5],
  ["CR on an exactly full row", "abcde\rX\r\n", "Xbcde\n|", 5],
  ["zsh's partial-line mark", "%         \r \r\r\x1b[J$ ls\r\n", "$ ls\n|", 10],
  ["erasing the last row of a wrapped line leaves the rows above", "abcdefgh\r\x1b[KX\r\n", "abcde\nX\n|", 5],
  ["erasing all of that row does so too", "abcdefghijkl\x1b[2KX\r\n", "abcdefghij\n  X\n|", 5],
  ["erasing below its beginning does so too", "abcdefgh\r\x1b[JX\r\n", "abcde\nX\n|", 5],
  ["erasing it up to its last column does so too", "abcdefgh\x1b[5G\x1b[1KX\r\n", "abcde\n    X\n|", 5],
  ["erasing a part of that row does not", "abcdefgh\x1b[7G\x1b[K\b\x1b[KX\r\n", "abcdefghX\n|", 5],
  ["readline's wrap", "$ abc \rdef\r\n", "$ abcdef\n|", 5],
];

for (const [name, input, expected, columns = 80] of CASES) {
  Deno.test(`lines: ${name}`, () => {
    const length = bytesOf(input).length;
    for (let chunk = 1; chunk <= length; chunk++) {
      assertEquals(read(input, { columns, chunk }), expected, `in chunks of ${chunk}`);
    }
  });
}

Deno.test("bells ring, with their place; the end of an OSC does not", () => {
  const reader = new LineReader({ columns: 80 });
  assertEquals(reader.push(encoder.encode("a\x07\x1b]0;t\x07b")).bells, [1]);
  assertEquals(reader.push(encoder.encode("\x1b[\x07m\x07")).bells, [11, 13]);
});

Deno.test("a match maps back to its place in the stream, wherever the stream is cut", () => {
  const stream =
    "one\r\n\x1b[31mtwo\x1b[0m thr\x1b[1mée🙂 fo\x1b[0mur\r\nx five\r\nold\rsix\r\n\x1b]0;t\x07seven\r\n";
  const bytes = encoder.encode(stream);
  for (let chunk = 1; chunk <= bytes.length; chunk++) {
    const found: Record<string, string> = {};
    const reader = new LineReader({ columns: 80 });
    for (let at = 0; at < bytes.length; at += chunk) {
      const block = reader.push(bytes.subarray(at, at + chunk));
      for (const match of block.text.matchAll(/one|two|thrée🙂|four|five|six|seven/gu)) {
        const end = block.offsetAt(match.index + match[0].length);
        found[match[0]] = new TextDecoder().decode(bytes.subarray(0, end)).slice(-3);
      }
    }
    const expected = {
      one: "one",
      two: "two",
      "thrée🙂": "e🙂",
      four: "mur",
      five: "ive",
      six: "ix\r",
      seven: "ven",
    };
    assertEquals(found, expected, `in chunks of ${chunk}`);
  }
});

Deno.test("a long line is one line, whatever was in its place before and is erased after it", () => {
  const long = "é1".repeat(50_000);
  for (const text of [`old\r${long}`, `old\r\x1b[K${long}\x1b[K`, `${long}\x1b[K`.repeat(4)]) {
    const bytes = encoder.encode(text + "\r\nnext\r\n");
    const expected = text.replace("old\r", "").replaceAll("\x1b[K", "") + "\nnext\n|";
    for (const chunk of [4093, Infinity]) {
      assertEquals(read(bytes, { chunk }) === expected, true, text.slice(0, 9));
    }
  }
});

Deno.test("a match in a long line that was rewritten maps back to its place", () => {
  const bytes = encoder.encode(`old\r${"x".repeat(70_000)}\x07one \x1b[Ktwo\r\n`);
  for (const cut of [0, 66_000]) {
    const reader = new LineReader({ columns: 80 });
    reader.push(bytes.subarray(0, cut));
    const block = reader.push(bytes.subarray(cut));
    const end = block.offsetAt(block.text.indexOf("one") + 3);
    assertEquals(new TextDecoder().decode(bytes.subarray(end - 3, end)), "one");
  }
});

Deno.test("an endless rewritten line is bounded and loses nothing", () => {
  const reader = new LineReader({ columns: 80 });
  const chunk = encoder.encode("é".repeat(25_000) + "x\x1b[K");
  let length = reader.push(encoder.encode("old\r")).text.length;
  for (let n = 0; n < 90; n++) {
    length += reader.push(chunk).text.replaceAll("\n", "").length;
    assertEquals(encoder.encode(reader.pending()).length <= (1 << 20) + (1 << 18), true);
  }
  assertEquals(length + reader.pending().length, 90 * 25_001);
});

Deno.test("an endless line is bounded and loses nothing", () => {
  const reader = new LineReader({ columns: 80 });
  const chunk = encoder.encode("é".repeat(50_000) + "x");
  let length = 0;
  for (let n = 0; n < 40; n++) {
    length += reader.push(chunk).text.replaceAll("\n", "").length;
    assertEquals(reader.pending().length <= 1 << 20, true);
  }
  assertEquals(length + reader.pending().length, 40 * 50_001);
});

Deno.test("an OSC that never ends gives up after 1 MiB", () => {
  const reader = new LineReader({ columns: 80 });
  reader.push(encoder.encode("\x1b]0;" + "x".repeat((1 << 20) - 1)));
  assertEquals(reader.push(encoder.encode("after\r\n")).text, "after\n");
});

for (const start of ["\x1bP1", "\x1b]0;title", "\x1b_", "\x1b^", "\x1bk"]) {
  Deno.test(`a string ends after 5 s, as in tmux: ${JSON.stringify(start)}`, () => {
    const reader = new LineReader({ columns: 80 });
    const now = performance.now();
    reader.push(encoder.encode(`before ${start}`), now);
    assertEquals(reader.push(encoder.encode("hidden\r\n"), now + 4900).text, "");
    const block = reader.push(encoder.encode("needle\r\n"), now + 60_000);
    assertEquals([block.text, block.offsetAt(13)], ["before needle\n", 7 + start.length + 8 + 6]);
  });
}

Deno.test("finish ends the last line", () => {
  const reader = new LineReader({ columns: 80 });
  reader.push(encoder.encode("a\r\nb\r"));
  assertEquals(reader.finish().text, "b\n");
  assertEquals(reader.finish().text, "");
});
