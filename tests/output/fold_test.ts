// Which runs of lines are folded.
import { assertEquals } from "@std/assert";
import { type Folding, foldLines } from "../../src/output/fold.ts";
import { MemoryLines } from "../../src/terminal/memory_lines.ts";

function linesOf(text: string): MemoryLines {
  const lines = new MemoryLines();
  lines.append(new TextEncoder().encode(`${text}\n`), text.split("\n").length);
  return lines;
}

function fold(text: string, folding: Folding = "always"): string[] {
  const lines = linesOf(text);
  const forward = [...foldLines(lines.forward(), folding)].map((line) => line.text);
  const backward = [...foldLines(lines.backward(), folding)].map((line) => line.text).reverse();
  assertEquals(backward, forward);
  return forward;
}

const FOLDED: ReadonlyArray<[string, string[]]> = [
  ["a\na\na", ["a [3 equal lines, offset 0]"]],
  ["x\na\na\nb", ["x", "a", "a", "b"]],
  ["\n\n\n\nend", ["[4 blank lines, offset 0]", "end"]],
  ["[=>   ] 10%\n[==>  ] 50%\n[====>] 100%", [
    "[=>   ] 10% … [====>] 100% [3 counting lines, offset 0]",
  ]],
  [".\n..\n...\n....", [". … .... [4 counting lines, offset 0]"]],
  ["Step 3/9\nStep 2/9\nStep 1/9", ["Step 3/9 … Step 1/9 [3 counting lines, offset 0]"]],
  ["n 1\nn 2\nn 1\nn 2", ["n 1", "n 2", "n 1", "n 2"]],
  ["id 1 of 5\nid 2 of 3\nid 3 of 9", ["id 1 of 5", "id 2 of 3", "id 3 of 9"]],
];

for (const [text, folded] of FOLDED) {
  Deno.test(`fold ${JSON.stringify(text)}`, () => assertEquals(fold(text), folded));
}

Deno.test("by itself folding touches no data, no failures and nothing it would make longer", () => {
  const keep = [
    Array.from({ length: 40 }, (_, i) => `${i}`).join("\n"),
    Array.from({ length: 40 }, (_, i) => `${i}, ${i * 2}`).join("\n"),
    Array.from({ length: 40 }, (_, i) => `a.c:${i}: error: no such thing`).join("\n"),
    "line 1\nline 2\nline 3",
  ];
  for (const text of keep) assertEquals(fold(text, "worthwhile"), text.split("\n"));
});

Deno.test("what folded lines stand for is read back byte for byte", () => {
  const text = Array.from({ length: 3000 }, (_, i) => i % 7 < 4 ? "same" : `part ${i} of 3000`).join("\n");
  const lines = linesOf(text);
  const back = [...foldLines(lines.forward(), "always")].map(({ offset, lines: count }) =>
    lines.read(offset, { lines: count, bytes: Infinity }).text
  );
  assertEquals(back.join("\n"), text);
});
