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
