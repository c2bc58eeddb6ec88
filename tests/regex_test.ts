// Callers' regular expressions: which ones no line can match.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../src/errors.ts";
import { compileRegex } from "../src/regex.ts";

const NEVER = [
  "a\\nb",
  "a\nb",
  "done\\n",
  "\\n+x",
  "a\\n{1,2}",
  "(?i)a\\nb",
  "(a|b)\\nc",
  "[|]\\nb",
  "\\\\\\nx",
];
const IN_A_LINE = [
  "[^\\n]*",
  "[a\n]b",
  "a\\\\nb",
  "(?s)a.b",
  "a\\n?b",
  "a\\n*",
  "a\\n{0,2}b",
  "a(?:\\nb)?",
  "a|b\\nc",
  "(?:\\n|$)",
  "\\s+",
  "\\Q\\n\\E",
];

Deno.test("a pattern that needs a line break is refused where lines are searched", async () => {
  for (const source of NEVER) {
    const { code, hint } = await assertRejects(() => compileRegex(source), AppError, "line break");
    assertEquals([code, hint?.includes("line by line")], ["invalid-argument", true]);
    await compileRegex(source, { byLine: false });
  }
});

Deno.test("a pattern that a line can match is taken, with a line break or without", async () => {
  for (const source of IN_A_LINE) await compileRegex(source);
});
