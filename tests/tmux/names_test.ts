// Titles that this tmux would store differently are refused; other versions keep them.
import { assertRejects } from "@std/assert";
import { checkTitle } from "../../src/tmux/names.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";

/** These checks ask no tmux. */
const TMUX = {} as Tmux;

Deno.test("a backslash in a title is refused where tmux would double it", async () => {
  for (const version of ["3.2a", "3.3a", "3.5a", "3.6"]) await checkTitle(TMUX, "a\\b", version);
  for (const version of ["3.7c", "3.8", "next-3.9"]) {
    await assertRejects(() => checkTitle(TMUX, "a\\b", version));
  }
  for (const version of ["3.3a", "3.8"]) await assertRejects(() => checkTitle(TMUX, "a\tb", version));
});
