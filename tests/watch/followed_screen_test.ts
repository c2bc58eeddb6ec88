// The screen of a followed pane, and the first row of the cursor's line, which the terminal wrapped.
import { assertEquals } from "@std/assert";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { readFollowedScreen, readWrappedScreen } from "../../src/watch/followed_screen.ts";

/** First row of the cursor's line on a screen of ten columns with these rows, and lines as tmux joins them. */
async function lineRowOf(rows: string[], lines: string[], cursor: [column: number, row: number]) {
  const described = `10 ${rows.length} ${cursor.join(" ")} 1 0 0 1 0 ${rows.length - 1}`;
  const printed = [described, ...rows, ...lines, ""].join("\n");
  const send = () => Promise.resolve(printed);
  return (await readWrappedScreen({ send }, "%0")).lineRow;
}

Deno.test("a line is found from its first row on, where a wide character left a cell of a row empty", async () => {
  // tmux from 3.6 on prints such a cell as a blank, except in joined lines.
  for (const blank of ["", " "]) {
    const short = [`aaaaaaaaa${blank}`, "日", ""];
    assertEquals(await lineRowOf(short, ["aaaaaaaaa日", ""], [2, 1]), 0, blank);
    const long = ["$ ask ", `a日日日日${blank}`, `日日日日日`, `b日日日日${blank}`, "日 ", ""];
    const joined = ["$ ask ", "a日日日日日日日日日b日日日日日 ", ""];
    assertEquals(await lineRowOf(long, joined, [3, 4]), 1, blank);
    assertEquals(
      await lineRowOf(long.with(4, "next"), [...joined.with(1, joined[1]!.slice(0, -2)), "next"], [4, 4]),
      4,
      blank,
    );
  }
});

Deno.test("blanks at the end of a line belong to it, and an empty row is a line", async () => {
  const rows = ["", "aaaaaaaaaa", "          ", "b  ", "", "c"];
  const lines = ["", "aaaaaaaaaa          b  ", "", "c"];
  const found = [];
  for (const [row] of rows.entries()) found.push(await lineRowOf(rows, lines, [0, row]));
  assertEquals(found, [0, 1, 1, 1, 4, 5]);
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
