// A prompt is read with several requests at once: when one fails, nothing else may end the server.
import { assertRejects } from "@std/assert";
import { KeyEcho } from "../../../../src/watch/commands/prompt/key_echo.ts";
import { PaneKeys } from "../../../../src/watch/commands/prompt/pane_keys.ts";
import { PromptRow } from "../../../../src/watch/commands/prompt/prompt_row.ts";

Deno.test("where no request is sent any more, the reader of a row has the error, and nobody else", async () => {
  const pane = new PaneKeys("%0", () => {
    throw new Error("the timeout passed");
  });
  const row = new PromptRow({ column: 2, row: 0, history: 0, width: 80, height: 24, character: "" }, "$ ");
  await assertRejects(() => new KeyEcho(pane, row, undefined).read(), Error, "the timeout passed");
});
