// Bytes and text before and after the line, wherever the stream is cut.
import { assertEquals } from "@std/assert";
import { bytesAfter, textAfter } from "../../../src/tmux/ssh/start_mark.ts";

const MARK = "5d2b-mark";
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Text that is left of the bytes, which come in pieces of this size. */
async function cut(bytes: Uint8Array<ArrayBuffer>, size: number): Promise<string> {
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, at) => bytes.slice(at * size, (at + 1) * size),
  );
  const left = await new Response(ReadableStream.from(pieces).pipeThrough(bytesAfter(MARK))).arrayBuffer();
  return new TextDecoder().decode(left);
}

const rows: Record<string, [before: string, after: string]> = {
  "nothing before": ["", "output\n"],
  "lines before": ["welcome\nto é\n", "output\né"],
  "a text that does not end its line": ["5d2b-mar", "output"],
  "the line begun twice": [`${MARK}${MARK} `, "output"],
  "no output": ["welcome", ""],
  "the line in the output": ["x", `${MARK}\nmore`],
};

for (const [name, [before, after]] of Object.entries(rows)) {
  Deno.test(`the output of a program begins after the line: ${name}`, async () => {
    const all = `${before}${MARK}\n${after}`;
    const bytes = encode(all);
    for (let size = 1; size <= bytes.length; size++) assertEquals(await cut(bytes, size), after, `${size}`);
    assertEquals(textAfter(all, MARK), after);
  });
}

Deno.test("a shell that ends before the line leaves no output, and its own words", async () => {
  assertEquals(await cut(encode("This account is not available"), 4), "");
  assertEquals(textAfter("ssh: connection refused\n", MARK), "ssh: connection refused\n");
  assertEquals(textAfter("as it is", undefined), "as it is");
});
