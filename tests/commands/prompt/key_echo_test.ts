// Keys that are pressed at a prompt, and the requests that read their effect.
import { assertEquals, assertRejects } from "@std/assert";
import { KeyEcho } from "../../../src/commands/prompt/key_echo.ts";
import { PaneKeys } from "../../../src/commands/prompt/pane_keys.ts";
import { PromptRow } from "../../../src/commands/prompt/prompt_row.ts";

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

Deno.test("a prompt that zsh draws below a job's end is read with its cursor, and not while that moves", async () => {
  const rows: Readonly<Record<string, string>> = { "5": "ready $  ", "7": "ready $  ^A" };
  let column = 0;
  const pane = new PaneKeys("%0", (...commands) => {
    const words = commands.at(-1) ?? [];
    if (words[0] === "display-message") return Promise.resolve(`${column} 7 0 80 24 2000  `);
    // The cursor arrives before the next request.
    column = 11;
    return Promise.resolve(rows[words[words.indexOf("-S") + 1]!] ?? "");
  });
  const place = { column: 8, row: 5, history: 0, width: 80, height: 24, character: "" };
  const { moved, cells } = await new KeyEcho(pane, new PromptRow(place, "ready $ "), undefined).read();
  assertEquals([moved, cells.join("").trimEnd()], [3, "ready $  ^A"]);
});
