// Global options as they were before a workspace set them.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { MadeParts } from "../../src/workspaces/made_parts.ts";

/** A tmux whose options fail to be shown; what is set goes into `sets`. */
function failing(error: Error, sets: unknown[]): Tmux {
  const options = {
    elements: () => Promise.resolve(undefined),
    show: () => Promise.reject(error),
    set: (...words: unknown[]) => Promise.resolve(void sets.push(words)),
  };
  return { options, unbound: { options } } as unknown as Tmux;
}

Deno.test("an option that a cancelled call could not read keeps its value", async () => {
  const sets: unknown[] = [];
  const tmux = failing(new DOMException("cancelled", "AbortError"), sets);
  const made = new MadeParts();
  await assertRejects(() => made.noteGlobal(tmux, "status-right"), DOMException, "cancelled");
  await made.restoreGlobals(tmux);
  assertEquals(sets, []);
});

Deno.test("an option that was not set is unset again", async () => {
  const sets: unknown[] = [];
  const tmux = failing(new AppError("not-found", 'Option "@mine" is not set'), sets);
  const made = new MadeParts();
  await made.noteGlobal(tmux, "@mine");
  await made.restoreGlobals(tmux);
  assertEquals(sets, [["@mine", null, { global: true }]]);
});
