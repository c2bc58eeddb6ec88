// Text that has come on a prompt's row since it was read.
import { assertEquals } from "@std/assert";
import { PromptRow } from "../../../src/commands/prompt/prompt_row.ts";

const WIDTH = 20;
const CLOCK = "        12:00";
const AT_PROMPT = { column: 5, row: 0, history: 0, width: WIDTH, height: 10, character: "" };

/** `moved`: cells that the cursor has moved to the right; a row counts as its width. */
const CASES: readonly [what: string, rows: [before: string, now: string], moved: number, isNew: boolean][] = [
  ["a blank", ["far$ ", "far$  "], 1, false],
  ["a person's text and a blank", ["far$ ", "far$ echo a "], 7, true],
  ["text that ends at the edge", ["far$ ", "far$ echo 0123456789"], 15, true],
  ["text that is continued on the next row", ["far$ ", "far$ echo 0123456789"], 18, true],
  ["what a job prints after the prompt", ["far$ ", "far$ [1]+  Done"], 15, false],
  ["what a job prints below the prompt", ["far$ ", "far$  "], 25, false],
  ["a clock at the right edge", [`far$ ${CLOCK}:00`, `far$ ${CLOCK}:01`], 2, false],
  ["another prompt", ["far$ ", "our$ echo a "], 7, false],
];

Deno.test("text that a person typed is new on a prompt's row, what a job or a clock prints is not", () => {
  for (const [what, [before, now], moved, isNew] of CASES) {
    const row = new PromptRow(AT_PROMPT, before);
    assertEquals(row.hasNewText({ moved, cells: row.cellsOf(now) }), isNew, what);
  }
});
