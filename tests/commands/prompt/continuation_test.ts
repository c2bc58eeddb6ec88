import { assertEquals } from "@std/assert";
import { bash } from "../../../src/shell/bash.ts";
import { continuesCommand } from "../../../src/commands/prompt/continuation.ts";

async function continues(prompt: string, ...above: string[]): Promise<boolean> {
  return await continuesCommand({ prompt, column: prompt.length, above, width: 80 }, bash);
}

Deno.test("the rest of a command is asked for below a prompt of several signs", async () => {
  for (const ps1 of ["$ ", "❯ ", "➜ ~ $ ", "➜ ~ # ", "λ ~ » ", "it's ➜ $ "]) {
    for (const command of ["for i in 1 2; do", "echo 'a", "awk '$1 > 5' x |", "awk '$1 > 5"]) {
      assertEquals(await continues("> ", "out", `${ps1}${command}`), true, `${ps1}${command}`);
    }
    assertEquals(await continues("> ", `${ps1}for i in 1 2; do`, "> true # it's"), true, ps1);
    assertEquals(await continues("> ", `${ps1}for i in 1 2; do^C`), false, ps1);
  }
});

Deno.test("a new command is asked for below a whole one with signs in its quotes and comment", async () => {
  const commands = ["awk '$1 > 5' x", "awk '$1 > 5' x > y", 'true "Fix # of items"', "true # it's", "# it's"];
  for (const command of [...commands, "grep '^> it\"s' x"]) {
    for (const ps1 of ["❯ ", "> "]) assertEquals(await continues(ps1, `${ps1}${command}`), false, command);
    assertEquals(await continues("❮ ", `❯ ${command.replace(/ *# it's/, "")}`), false, command);
  }
});
