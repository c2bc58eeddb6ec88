// Patterns that run on a whole block of output, which can be one hostile line.
import { assertEquals } from "@std/assert";
import { WORDLESS_ERRORS } from "../../src/findings/line_severity.ts";

/** A repetition that can go over a place where the pattern may begin again: `.*`, `\S+`, `[^…]*`. */
const RUNS_ON = /(?<!\\)\.(?:[*+]|\{\d*,\d*\})|\\[SwWDs](?:[*+]|\{\d*,)|\[\^(?:\\.|[^\]])*\](?:[*+]|\{)/;

Deno.test("no pattern that is tried at each character of an output runs on to the line's end", () => {
  for (const { source } of WORDLESS_ERRORS) assertEquals(RUNS_ON.exec(source)?.[0], undefined, source);
  for (const source of ["e: .*x", "a\\S+b", "a[^\\]b]*c", "a.{2,}b"]) {
    assertEquals(RUNS_ON.test(source), true, source);
  }
});
