// Reading stored lines within limits.
import { assertEquals } from "@std/assert";
import { MemoryLines } from "../../src/terminal/memory_lines.ts";

function storeOf(...chunks: string[]): MemoryLines {
  const store = new MemoryLines();
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
  assertEquals(store.read(0, { lines: 9, bytes: 4 }), { text: "日", lines: 1, cut: true });
  assertEquals(store.readTail({ lines: 9, bytes: 4 }), { text: "語", lines: 1, cut: true });
  assertEquals(store.read(0, { lines: 9, bytes: 0 }), { text: "", lines: 0 });
});

Deno.test("an empty store", () => {
  assertEquals([storeOf().lines, storeOf().bytes], [0, 0]);
  assertEquals(storeOf().readTail({ lines: 9, bytes: 9 }), { text: "", lines: 0 });
});
