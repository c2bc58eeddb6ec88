// Output that draws nothing, such as a frame in which nothing has changed.
import { assertEquals } from "@std/assert";
import { drawsNothing } from "../../src/terminal/sequence.ts";

Deno.test("colours, modes and moves draw nothing; text and what erases it do", () => {
  const nothing = [
    "\x1b[m\x1b[m\x1b[m\x1b[0m\x1b[?25l",
    "\x1b[?2026h\x1b[H\x1b[?25h\x1b[?2026l",
    "\x1b[38:2::1:2:3m",
    "\x1b[2 q",
  ];
  const drawn = [
    "",
    "x",
    "\x1b[Hrow\x1b[?25h",
    "\x1b[2K",
    "\x1b[J",
    "\r",
    "\x1b]0;title\x07",
    "\x1b[?25l\x1b[",
  ];
  const encoder = new TextEncoder();
  assertEquals(nothing.filter((text) => !drawsNothing(encoder.encode(text))), []);
  assertEquals(drawn.filter((text) => drawsNothing(encoder.encode(text))), []);
});
