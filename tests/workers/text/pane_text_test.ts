// Progress of a pane's output: only new lines show in it.
import { assertEquals } from "@std/assert";
import { Patterns } from "../../../workers/text/patterns.ts";
import { PaneText, type PaneTextOptions } from "../../../workers/text/pane_text.ts";

Deno.test("no progress reports a line again because of blank lines, or of a line that was erased", () => {
  const text = new PaneText({
    pane: { columns: 80 },
    spec: {
      triggers: [],
      pace: { minMs: 0, everyMs: 0, everyLines: 1 },
      errorPattern: "",
      errorIgnorePattern: "",
    },
    patterns: new Patterns(),
    fired() {},
    failed(error: unknown) {
      throw error;
    },
  } as unknown as PaneTextOptions);
  const after = (printed: string): unknown[] => {
    text.push(new TextEncoder().encode(printed));
    const { newLines, lastLine } = text.progress(performance.now()) ?? {};
    return [newLines, lastLine];
  };
  assertEquals(after("fetching\r\ncompiling\r\n\r\n"), [3, "compiling"]);
  assertEquals(after("\r\n\r\n"), [2, ""]);
  assertEquals(after("50%"), [0, "50%"]);
  assertEquals(after(""), [0, ""]);
  assertEquals(after("\r\x1b[K"), [0, ""]);
  assertEquals(after("done\r\n"), [1, "done"]);
});
