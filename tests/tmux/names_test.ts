// Titles that this tmux would store differently are refused; other versions keep them.
import { assertThrows } from "@std/assert";
import { checkTitle } from "../../src/tmux/names.ts";

Deno.test("a backslash in a title is refused where tmux would double it", () => {
  for (const version of ["3.2a", "3.3a", "3.5a", "3.6"]) checkTitle("a\\b", version);
  for (const version of ["3.7c", "3.8", "next-3.9"]) assertThrows(() => checkTitle("a\\b", version));
  for (const version of ["3.3a", "3.8"]) assertThrows(() => checkTitle("a\tb", version));
});
