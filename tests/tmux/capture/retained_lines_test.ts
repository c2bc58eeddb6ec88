// Place of the end of a stream among the lines that a pane retains.
import { assertEquals } from "@std/assert";
import { missedText, readRetained, type RetainedLines } from "../../../src/tmux/capture/retained_lines.ts";

function retained(texts: string[], { historySize = 0, historyLimit = 2000 } = {}): RetainedLines {
  const lines = texts.map((text, row) => ({ row, rows: 1, text, blanks: 0 }));
  return { lines, cursorLine: lines.length - 1, columns: 80, key: "1 80", historySize, historyLimit };
}

const ABC = ["a", "b", "c"];
const FROM = { row: 0, lines: 3 };

Deno.test("what follows the end of the stream was missed", () => {
  const end = { last: ABC, pending: "d", from: FROM };
  assertEquals(missedText(retained([...ABC, "d"]), end), "");
  assertEquals(missedText(retained([...ABC, "d e", "f", ""]), end), " e\nf\n");
  assertEquals(missedText(retained([...ABC, "other"]), end), undefined);
});

Deno.test("blanks and tabs of the stream need not be those that tmux shows", () => {
  const end = { last: ABC, pending: "d\te: ", from: FROM };
  assertEquals(missedText(retained([...ABC, "d       e: f"]), end), "f");
  assertEquals(missedText(retained([...ABC, "d       e:"]), end), "");
});

Deno.test("the row tells lines apart that repeat, while tmux has dropped none", () => {
  const end = { last: ["tick", "tick"], pending: "", from: { row: 0, lines: 2 } };
  const ticks = ["tick", "tick", "tick", ""];
  assertEquals(missedText(retained(ticks), end), "tick\n");
  assertEquals(missedText(retained(ticks, { historySize: 95, historyLimit: 100 }), end), undefined);
});

Deno.test("once tmux has dropped rows, text that stands in one place decides", () => {
  const full = { historySize: 95, historyLimit: 100 };
  const end = { last: ABC, pending: "", from: { row: 50, lines: 3 } };
  assertEquals(missedText(retained(["x", ...ABC, "d", ""], full), end), "d\n");
  assertEquals(missedText(retained([...ABC, "d", ...ABC, ""], full), end), undefined);
  assertEquals(missedText(retained(["x", "y", "z", ""], full), end), undefined);
  assertEquals(missedText(retained(["a", "a", "a", ""], full), { ...end, last: ["a", "a", "a"] }), undefined);
});

Deno.test("a pane is read with the blank row that its cursor is on", () => {
  const state = "1 4 3 1 2000 2 0";
  const read = readRetained(`${state}\nabcdef\ng\n\nabcd\nef\ng\n\n`, "-")!;
  assertEquals(read.lines.map(({ text, row }) => [text, row]), [["abcdef", 0], ["g", 2], ["", 3]]);
  assertEquals(read.cursorLine, 2);
  assertEquals(readRetained(`${state.replace(/0$/, "1")}\n\n\n\n\n\n\n\n\n`, "-"), undefined);
});
