// Reading stored lines within limits.
import { assert, assertEquals } from "@std/assert";
import { type Keep, MemoryLines } from "../../src/terminal/memory_lines.ts";

/** There is room for this many chunks. */
function roomFor(chunks: number): Keep {
  return (bytes) => chunks-- > 0 ? () => bytes : undefined;
}

/** `count` lines of 1 KB, each its number and blanks. */
function kilobytes(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `${from + i}`.padEnd(1023) + "\n").join("");
}

function storeOf(...chunks: string[]): MemoryLines {
  return keptBy(undefined, ...chunks);
}

function keptBy(keep: Keep | undefined, ...chunks: string[]): MemoryLines {
  const store = new MemoryLines(keep);
  for (const chunk of chunks) store.append(new TextEncoder().encode(chunk), chunk.split("\n").length - 1);
  return store;
}

Deno.test("lines are read from anywhere, across chunks", () => {
  const store = storeOf("a\nb\n", "\n", "c\nd\n");
  assertEquals(store.read(0, { lines: 9, bytes: 99 }), { text: "a\nb\n\nc\nd", lines: 5 });
  assertEquals(store.read(1, { lines: 3, bytes: 99 }), { text: "b\n\nc", lines: 3 });
  assertEquals(store.read(5, { lines: 3, bytes: 99 }), { text: "", lines: 0 });
  assertEquals(store.readTail({ lines: 3, bytes: 99 }), { text: "\nc\nd", lines: 3 });
  assertEquals(store.readTail({ lines: 9, bytes: 99 }, 4), { text: "d", lines: 1 });
});

Deno.test("the byte limit counts line ends between lines", () => {
  const store = storeOf("ab\ncd\nef\n");
  assertEquals(store.bytes, 8);
  assertEquals(store.read(0, { lines: 9, bytes: 5 }).text, "ab\ncd");
  assertEquals(store.read(0, { lines: 9, bytes: 4 }).text, "ab");
  assertEquals(store.readTail({ lines: 9, bytes: 5 }).text, "cd\nef");
});

Deno.test("a line over the limit is cut between characters, and said so", () => {
  const store = storeOf("日本語\n");
  assertEquals(store.read(0, { lines: 9, bytes: 4 }), { text: "日", lines: 1, cut: 6 });
  assertEquals(store.readTail({ lines: 9, bytes: 4 }), { text: "語", lines: 1, cut: 6 });
  assertEquals(store.read(0, { lines: 9, bytes: 0 }), { text: "", lines: 0 });
});

Deno.test("an empty store", () => {
  assertEquals([storeOf().lines, storeOf().bytes], [0, 0]);
  assertEquals(storeOf().readTail({ lines: 9, bytes: 9 }), { text: "", lines: 0 });
});

Deno.test("without room the beginning and the end are kept, and what is lost between is said and counted", () => {
  const chunks = Array.from({ length: 100 }, (_, i) => kilobytes(i * 10, 10));
  const store = keptBy(roomFor(3), ...chunks);
  assertEquals([store.lines, store.bytes, store.isWhole], [1000, 1_024_000 - 1, false]);
  const lost = 1000 - 30 - 70;
  const mark = `[${lost} lines are lost here: neither memory nor disk had room for them]`;
  const whole = store.read(0, { lines: 1e9, bytes: 1e9 });
  const lines = whole.text.split("\n").map((line) => line.trimEnd());
  const numbers = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => `${from + i}`);
  assertEquals([whole.lines, lines], [1000, [...numbers(0, 30), mark, ...numbers(930, 1000)]]);
  assertEquals(store.readTail({ lines: 1e9, bytes: 1e9 }), whole);
  assertEquals(store.read(30, { lines: 1, bytes: 1e9 }), { text: mark, lines: lost });
  assertEquals(store.read(929, { lines: 1, bytes: 1e9 }), { text: mark.replace(/\d+/, "1"), lines: 1 });
  assertEquals(store.readTail({ lines: 1e9, bytes: 1e9 }, 929).lines, 71);
  assertEquals(store.readTail({ lines: 70, bytes: 1e9 }).text.slice(0, 3), "930");
  assert(store.extended(new TextEncoder().encode("more\n"), 1).isWhole === false);
});

Deno.test("lines that come together lose no more than those that come one by one", () => {
  let room = 200 * 1024;
  const store = keptBy((bytes) => (room -= bytes.length) >= 0 ? () => bytes : undefined, kilobytes(0, 500));
  const { text, lines } = store.read(0, { lines: 1e9, bytes: 1e9 });
  const [, head, lost, tail] = /\n(\d+) *\n\[(\d+) lines are lost .*\]\n(\d+) *\n/.exec(text)!.map(Number);
  assertEquals([lines, head! + lost! + 1, store.isWhole], [500, tail, false]);
  assert(head! >= 128 && tail! >= 500 - 128, `${head} ${tail}`);
});

Deno.test("one line may be longer than what is put away together", () => {
  const long = "x".repeat(200_000);
  const store = storeOf(`a\n${long}\nb\n`);
  assertEquals(store.read(0, { lines: 9, bytes: 1e9 }), { text: `a\n${long}\nb`, lines: 3 });
  assertEquals(store.readTail({ lines: 2, bytes: 1e9 }), { text: `${long}\nb`, lines: 2 });
});

Deno.test("a store without room is whole as long as the end of its text is all of it", () => {
  const store = keptBy(roomFor(0), kilobytes(0, 32), kilobytes(32, 32));
  assertEquals([store.isWhole, store.read(0, { lines: 99, bytes: 1e9 }).lines], [true, 64]);
});

Deno.test("what finds room again is kept, and each loss is said in its place", () => {
  let room = false;
  const store = new MemoryLines((bytes) => room ? () => bytes : undefined);
  const encoder = new TextEncoder();
  for (let i = 0; i < 60; i++) {
    room = i === 30;
    store.append(encoder.encode(kilobytes(i * 10, 10)), 10);
  }
  const { text, lines } = store.read(0, { lines: 1e9, bytes: 1e9 });
  assertEquals(lines, 600);
  assertEquals(text.match(/\[\d+ lines/g), ["[300 lines", "[220 lines"]);
  assert(text.includes("\n300 ") && text.includes("\n309 ") && !text.includes("\n310 "));
});

Deno.test("lines that come one by one are stored together, and are there at once", () => {
  const kept: Uint8Array[] = [];
  const lines = Array.from({ length: 10_000 }, (_, i) => `${i}`.padEnd(79));
  const store = keptBy((bytes) => (kept.push(bytes), () => bytes), ...lines.map((line) => `${line}\n`));
  assertEquals([store.lines, store.bytes], [10_000, 800_000 - 1]);
  assert(kept.length <= 800_000 / 4000, `${kept.length} chunks`);
  const whole = { text: lines.join("\n"), lines: 10_000 };
  assertEquals(store.read(0, { lines: 1e9, bytes: 1e9 }), whole);
  assertEquals(store.readTail({ lines: 1e9, bytes: 1e9 }), whole);
  assertEquals(store.readTail({ lines: 2, bytes: 1e9 }).text, lines.slice(-2).join("\n"));
  for (const from of [1, 50, 51, 4999, 9998]) {
    assertEquals(store.read(from, { lines: 2, bytes: 1e9 }).text, lines.slice(from, from + 2).join("\n"));
  }
  store.seal();
  assertEquals(kept.reduce((sum, { length }) => sum + length, 0), 800_000);
  assertEquals(store.read(0, { lines: 1e9, bytes: 1e9 }), whole);
});

Deno.test("long and short appends stay in order, and small ones find no room like others", () => {
  const all = ["a\n", kilobytes(0, 10), "b\n", "c\n", kilobytes(10, 70), "d\n"];
  const text = all.join("").slice(0, -1);
  assertEquals(storeOf(...all).read(0, { lines: 99, bytes: 1e9 }), { text, lines: 84 });
  assertEquals(keptBy(roomFor(4), ...all).read(0, { lines: 99, bytes: 1e9 }), { text, lines: 84 });
  const small = kilobytes(0, 500).split(/(?<=\n)/);
  const { text: left, lines } = keptBy(roomFor(0), ...small).read(0, { lines: 1e9, bytes: 1e9 });
  const [, lost, next] = /^\[(\d+) lines are lost .*\]\n(\d+) /.exec(left)!.map(Number);
  assertEquals([lines, lost, left.trimEnd().endsWith("499")], [500, next, true]);
  assert(lost! >= 400 && lost! <= 436, `${lost} lost`);
});

Deno.test("a copy, and lines that are being read, stay as they are while more come", () => {
  const store = storeOf("a\n", "b\n");
  const longer = store.extended(new TextEncoder().encode("unfinished\n"), 1);
  const reading = store.forward();
  const first = reading.next().value;
  const backward = store.backward();
  const last = backward.next().value;
  for (let i = 0; i < 5; i++) store.append(new TextEncoder().encode(kilobytes(i, 1)), 1);
  assertEquals([first, ...reading].map((line) => line!.text), ["a", "b"]);
  assertEquals([last, ...backward].map((line) => line!.text), ["b", "a"]);
  assertEquals(longer.read(0, { lines: 9, bytes: 1e9 }), { text: "a\nb\nunfinished", lines: 3 });
  assertEquals([store.lines, store.read(2, { lines: 1, bytes: 1e9 }).text.trimEnd()], [7, "0"]);
});
