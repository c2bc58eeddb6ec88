// Waits for a pane that changes between their first capture and their watch.
import { assertEquals, assertRejects } from "@std/assert";
import type { ToolContext } from "../../src/tool.ts";
import { waitForText } from "../../src/tools/waiting.ts";

/** A pane that shows these screens one after the other, and prints these lines between the first and the second. */
function contextOf(screens: string[][], printed: string[]): ToolContext {
  const capture = {
    cursor: () => Promise.resolve("before"),
    shown: () => Promise.resolve((screens.shift() ?? []).map((text) => ({ text, blanks: 0 }))),
    since: () => Promise.resolve({ lines: printed, cursor: "after" }),
  };
  const watches = {
    paneSource: () => Promise.resolve({}),
    async wait(
      _source: unknown,
      _request: unknown,
      { whenFollowing }: { whenFollowing(over: AbortSignal): Promise<boolean> },
    ) {
      if (await whenFollowing(AbortSignal.abort())) return undefined;
      throw new Error("It goes on waiting");
    },
  };
  return { tmux: { capture }, watches, signal: new AbortController().signal } as unknown as ToolContext;
}

// deno-lint-ignore no-explicit-any -- the fields of a tool's answer
async function wait(context: ToolContext, args: Record<string, unknown> = {}): Promise<any> {
  return await waitForText.run(
    waitForText.input.parse({ paneId: "%0", pattern: "done", timeout: 9, ...args }),
    context,
  );
}

Deno.test("what is drawn anywhere on the screen before the watch begins ends a wait", async () => {
  const { outcome, matchedLines } = await wait(contextOf([["menu", "busy"], ["done", "busy"]], []));
  assertEquals([outcome, matchedLines], ["matched", ["done"]]);
});

Deno.test("a line drawn before the watch begins ends a wait as stopped where it has both texts", async () => {
  const context = contextOf([["busy"], ["error: not done", "busy"]], []);
  const { outcome, matchedLines } = await wait(context, { stop: "error" });
  assertEquals([outcome, matchedLines], ["stopped", ["error: not done"]]);
});

Deno.test("what is printed before the watch begins ends a wait, also one that looks at nothing older", async () => {
  for (const newOnly of [false, true]) {
    const { outcome } = await wait(contextOf([["busy"]], ["it is done"]), { newOnly });
    assertEquals(outcome, "matched");
  }
});

Deno.test("a wait for what is new takes nothing from the screen", async () => {
  const waiting = wait(contextOf([["done"], ["done"]], []), { newOnly: true });
  await assertRejects(() => waiting, Error, "It goes on waiting");
});
