// The last lines of a capture look as they do below the lines that are left out.
import { assertEquals } from "@std/assert";
import { lastStyledLines } from "../../../src/tmux/capture/styles.ts";

const LINK = "\x1b]8;id=1;http://x\x1b\\";

const CASES: [name: string, above: string[], begun: string][] = [
  ["nothing", ["a", ""], ""],
  ["a color", ["\x1b[31ma", "b"], "\x1b[31m"],
  ["a color that ended", ["\x1b[31ma\x1b[39m"], ""],
  ["the last of several colors", ["\x1b[31ma", "\x1b[38;5;208mb", "\x1b[91mc"], "\x1b[91m"],
  [
    "both colors and that of the underline",
    ["\x1b[31m\x1b[100m\x1b[58:2::1:2:3ma"],
    "\x1b[31m\x1b[100m\x1b[58:2::1:2:3m",
  ],
  ["a background that ended", ["\x1b[48;2;1;2;3ma\x1b[3m\x1b[49m"], "\x1b[3m"],
  ["attributes", ["\x1b[1m\x1b[4:3m\x1b[53ma"], "\x1b[1m\x1b[4:3m\x1b[53m"],
  ["a reset", ["\x1b[1m\x1b[31ma\x1b[0m"], ""],
  ["a short reset", ["\x1b[1m\x1b[31ma\x1b[m"], ""],
  ["a reset to other attributes", ["\x1b[1m\x1b[31ma\x1b[0;4mb\x1b[32m"], "\x1b[0;4m\x1b[32m"],
  ["line drawing", ["a\x0eqqq"], "\x0e"],
  ["line drawing that ended, in color", ["\x1b[31m\x0eqqq\x0f"], "\x1b[31m"],
  ["line drawing, past a reset", ["\x0e\x1b[1mq\x1b[0m"], "\x0e"],
  ["a link", [`${LINK}a`], LINK],
  ["a link that ended", [`${LINK}a\x1b]8;;\x1b\\`], ""],
];

for (const [name, above, begun] of CASES) {
  Deno.test(`styles: below ${name}`, () => {
    assertEquals(lastStyledLines([...above, "y", "z"], 2), [`${begun}y`, "z"]);
  });
}

Deno.test("styles: all lines, more lines, no lines", () => {
  const lines = ["\x1b[31ma", "b"];
  assertEquals([lastStyledLines(lines, 2), lastStyledLines(lines, 5)], [lines, lines]);
  assertEquals([lastStyledLines(lines, 0), lastStyledLines([], 3)], [[], []]);
});
