// Global options as they were before a workspace set them, and what a failed step means.
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { MadeParts } from "../../src/workspaces/made_parts.ts";
import type { DescribedPane } from "../../src/workspaces/workspace.ts";

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

Deno.test("a program ended at once if its pane is missing, and not because tmux could not be asked", async () => {
  const made = new MadeParts();
  made.panes.set("%1", { where: "pane 1" } as DescribedPane);
  const step = async (snapshot: Promise<unknown>): Promise<string> => {
    const tmux = { unbound: { snapshot: () => snapshot } } as unknown as Tmux;
    const error = await assertRejects(() =>
      made.step(tmux, Promise.reject(new AppError("tmux-error", "no room")))
    );
    return (error as Error).message;
  };
  assertMatch(await step(Promise.resolve({ panes: [] })), /ended at once/);
  assertMatch(await step(Promise.reject(new AppError("gone", "the server ended"))), /ended at once/);
  assertEquals(await step(Promise.reject(new AppError("timeout", "no answer"))), "no room");
});
