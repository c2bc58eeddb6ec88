// The screen of a followed pane, and the rows above the cursor that the terminal wrapped its line from.
import { assertEquals } from "@std/assert";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { readFollowedScreen, readWrappedScreen } from "../../src/watch/followed_screen.ts";

/** Wrapped rows above the cursor, on a screen of ten columns with these rows, and lines as tmux joins them. */
async function aboveOn(rows: string[], lines: string[], row: number): Promise<string[]> {
  const described = `10 ${rows.length} 0 ${row} 1 0 0 1 0 ${rows.length - 1}`;
  const printed = [described, ...rows, ...lines, ""].join("\n");
  const send = () => Promise.resolve(printed);
  return (await readWrappedScreen({ send }, "%0")).lineAbove;
}

Deno.test("a wrapped line is read without cells that were left empty before a wide character", async () => {
  // tmux from 3.6 on prints such a cell as a blank, except in joined lines.
  for (const blank of ["", " "]) {
    const short = [`aaaaaaaaa${blank}`, "日", ""];
    assertEquals(await aboveOn(short, ["aaaaaaaaa日", ""], 1), ["aaaaaaaaa"], blank);
    const long = ["$ ask ", `a日日日日${blank}`, "日日日日日", `b日日日日${blank}`, "日 ", ""];
    const joined = ["$ ask ", "a日日日日日日日日日b日日日日日 ", ""];
    assertEquals(await aboveOn(long, joined, 4), ["a日日日日", "日日日日日", "b日日日日"], blank);
    const ended = ["$ ask ", "a日日日日日日日日日b日日日日", "next", ""];
    assertEquals(await aboveOn(long.with(4, "next"), ended, 4), [], blank);
  }
});

Deno.test("blanks at the end of a line belong to it, and an empty row is a line", async () => {
  const rows = ["", "aaaaaaaaaa", "          ", "b  ", "", "c"];
  const lines = ["", "aaaaaaaaaa          b  ", "", "c"];
  const found = await Promise.all(rows.map((_, row) => aboveOn(rows, lines, row)));
  assertEquals(found, [[], [], rows.slice(1, 2), rows.slice(1, 3), [], []]);
});

Deno.test("lines are joined only for a screen that shows where the cursor's line begins", async () => {
  const joins: boolean[] = [];
  const send = (commands: Command[]) => {
    joins.push(commands.some((command) => command.includes("-J")));
    return Promise.resolve("10 2 1 0 1 0 0 1 0 1\na\n\na\n\n");
  };
  await readFollowedScreen({ send }, "%0");
  await readWrappedScreen({ send }, "%0");
  assertEquals(joins, [false, true]);
});
