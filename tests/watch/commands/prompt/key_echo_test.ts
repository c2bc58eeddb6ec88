// Keys that are pressed at a prompt, and the requests that read their effect.
import { assertEquals, assertRejects } from "@std/assert";
import { KeyEcho } from "../../../../src/watch/commands/prompt/key_echo.ts";
import { PaneKeys } from "../../../../src/watch/commands/prompt/pane_keys.ts";
import { PromptRow } from "../../../../src/watch/commands/prompt/prompt_row.ts";

const AT_PROMPT = { column: 2, row: 0, history: 0, width: 80, height: 24, character: "" };

Deno.test("where no request is sent any more, the reader of a row has the error, and nobody else", async () => {
  const pane = new PaneKeys("%0", () => {
    throw new Error("the timeout passed");
  });
  const row = new PromptRow(AT_PROMPT, "$ ");
  await assertRejects(() => new KeyEcho(pane, row, undefined).read(), Error, "the timeout passed");
});

for (const [isApart, pressed] of [[true, ["Escape", "0 ^"]], [false, ["Escape 0 ^"]]] as const) {
  Deno.test(`Escape reaches the shell ${isApart ? "before" : "with"} the keys after it`, async () => {
    const sent: string[] = [];
    const pane = new PaneKeys("%0", (...commands) => {
      const keys = commands.filter(([name]) => name === "send-keys").map((words) => words.slice(3).join(" "));
      sent.push(...keys);
      const isCursor = commands.at(-1)?.at(-1)?.includes("cursor_x") === true;
      return Promise.resolve(isCursor ? "2 0 0 80 24 \n" : "$ ");
    });
    const echo = new KeyEcho(pane, new PromptRow(AT_PROMPT, "$ "), undefined);
    await echo.pressEscaped(["0", "^"], { blanks: 0, passed: 0 }, { isApart });
    assertEquals(sent, [...pressed]);
  });
}
