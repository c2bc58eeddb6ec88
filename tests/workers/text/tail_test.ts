// The end of what a pane printed.
import { assert, assertEquals } from "@std/assert";
import { LineReader } from "../../../src/terminal/lines.ts";
import { Tail } from "../../../workers/text/tail.ts";

function tailOf(...chunks: string[]): { tail: Tail; pending: string } {
  const reader = new LineReader({ columns: 80 });
  const tail = new Tail();
  for (const chunk of chunks) tail.add(reader.push(new TextEncoder().encode(chunk)));
  return { tail, pending: reader.pending() };
}

Deno.test("little output is whole, with the unfinished line", () => {
  const { tail, pending } = tailOf("one\r\ntwo\r\n", "thr", "ee");
  assertEquals(tail.text(pending), { output: "one\ntwo\nthree", truncated: false });
  assertEquals([tail.lines, tail.totalBytes(pending)], [2, 13]);
});

Deno.test("the size is that of the text, without a final line end", () => {
  const { tail } = tailOf();
  tail.add(new LineReader({ columns: 80 }).push(new Uint8Array([0xc3, 0xa9, 0xff, 10, 10])));
  assertEquals([tail.totalBytes(""), tail.totalBytes("é")], [6, 9]);
  assertEquals([tailOf().tail.totalBytes(""), tailOf().tail.totalBytes("é")], [0, 2]);
});

Deno.test("the last hundred lines are kept", () => {
  const lines = Array.from({ length: 150 }, (_, i) => `line ${i + 1}`);
  const { tail } = tailOf(lines.join("\n") + "\n");
  assertEquals(tail.text(""), { output: lines.slice(50).join("\n"), truncated: true });
  assertEquals(tail.lines, 150);
});

Deno.test("the last 16 KiB are kept, whole characters", () => {
  const { tail } = tailOf("é".repeat(20_000) + "end\n");
  const { output, truncated } = tail.text("");
  assertEquals(truncated, true);
  assert(new TextEncoder().encode(output).length <= 16384);
  assert(/^é+end$/.test(output));
  for (const end of ["", "a", "ab", "abc"]) {
    const { tail: emoji } = tailOf("🙂".repeat(5000) + end + "\n");
    assert(/^🙂+[abc]*$/u.test(emoji.text("").output), end);
    assert(/^…🙂+[abc]*$/u.test(emoji.lastLine()), end);
    const { tail: later } = tailOf("before\n", "🙂".repeat(5000) + end + "\n");
    assert(/^🙂+[abc]*$/u.test(later.text("").output), end);
  }
});

Deno.test("a million lines in many pieces leave the last, and the count of all", () => {
  const chunks = Array.from(
    { length: 1000 },
    (_, i) => Array.from({ length: 1000 }, (_, j) => `${i * 1000 + j + 1}\r\n`).join(""),
  );
  const { tail } = tailOf(...chunks);
  const { output, truncated } = tail.text("");
  assertEquals([tail.lines, truncated], [1_000_000, true]);
  assertEquals(output.split("\n").slice(-2), ["999999", "1000000"]);
  assertEquals(output.split("\n").length, 100);
});

Deno.test("a gap is said", () => {
  const { tail } = tailOf("one\n");
  tail.gap();
  assertEquals(tail.text(""), { output: "one", truncated: true });
});

Deno.test("the last line with text is what progress shows", () => {
  assertEquals(tailOf("first\n  41 of 90  \n\n \nunfinished").tail.lastLine(), "41 of 90");
  assertEquals(tailOf().tail.lastLine(), "");
  assertEquals(tailOf(`${"x".repeat(1022)}\n${"y".repeat(1023)}\n`).tail.lastLine(), "y".repeat(1023));
});
