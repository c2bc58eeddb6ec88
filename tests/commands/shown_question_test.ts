import { assertEquals } from "@std/assert";
import { questionOn } from "../../src/commands/shown_question.ts";

interface Shown {
  rows: string[];
  at: [column: number, row: number];
  hidden?: true;
  alternate?: true;
  /** Rows above the cursor's, if the terminal wrapped its line. */
  above?: string[];
}

function question(
  { rows, at: [column, row], hidden, alternate = false as never, above = [] }: Shown,
  kind = "raw",
  firstRow = 0,
): string {
  return questionOn(
    {
      text: rows.map((line) => line.padEnd(60)).join("\n"),
      columns: 60,
      rows: rows.length,
      cursorColumn: column,
      cursorRow: row,
      alternateOn: alternate,
      history: 100,
      lineAbove: above,
      ...(hidden ? {} : { cursor: { column, row } }),
    },
    kind as "raw",
    firstRow,
  );
}

Deno.test("a question is the unfinished line before the cursor", () => {
  assertEquals(question({ rows: ["$ program", "Name? "], at: [6, 1] }, "line"), "Name? ");
  assertEquals(question({ rows: ["$ bc -q", ""], at: [0, 1] }), "");
  const withRightPrompt = "inner> ".padEnd(50) + "10:15 main";
  assertEquals(question({ rows: ["before", withRightPrompt], at: [7, 1] }), "inner> ");
});

Deno.test("a question that the terminal wrapped is its whole line, from the program's first row on", () => {
  const rows = ["$ program", "x".repeat(60), "tail? "];
  const shown: Shown = { rows, at: [6, 2], above: rows.slice(1, 2) };
  assertEquals(question(shown, "line"), `${"x".repeat(60)}tail? `);
  assertEquals(question(shown, "line", 102), "tail? ");
  assertEquals(question({ ...shown, above: [] }, "line"), "tail? ");
});

Deno.test("a question that wrapped before a wide character has no blank there", () => {
  const above = "日".repeat(29) + "a";
  const shown: Shown = { rows: ["$ program", `${above} `, "日? "], at: [4, 2], above: [above] };
  assertEquals(question(shown, "line"), `${above}日? `);
});

Deno.test("a menu without a cursor is the last lines of the screen", () => {
  const rows = ["Setting up", "? Which colour", "❯ red", "  green", "", "↑↓ navigate", ""];
  assertEquals(
    question({ rows, at: [0, 6], hidden: true }),
    "? Which colour\n❯ red\n  green\n↑↓ navigate",
  );
});

Deno.test("a menu without a mark is the last lines of its program", () => {
  const rows = ["$ before", "$ program", "Which colour", "> red", "  green", ""];
  const menu = "Which colour\n> red\n  green";
  assertEquals(question({ rows, at: [0, 5], hidden: true }, "raw", 102), menu);
  assertEquals(question({ rows, at: [0, 5], hidden: true }, "raw", 50), `$ before\n$ program\n${menu}`);
  // The program has cleared the screen.
  assertEquals(question({ rows: rows.slice(2), at: [0, 3], hidden: true }, "raw", 120), menu);
});

Deno.test("a menu below its question is read from the question on", () => {
  const choices = ["one", "two", "three", "four", "five", "six"].map((word) => `  ${word}`);
  const rows = ["$ program", "? Which … ", ...choices];
  assertEquals(question({ rows, at: [10, 1] }), ["? Which …", ...choices].join("\n"));
  assertEquals(question({ rows: ["$ program", "Go on? (y/N) > no"], at: [10, 1] }), "Go on? (y/N) > no");
});

Deno.test("a dialog is read without its frame", () => {
  const rows = [
    "",
    "  ┌─────────────────┐",
    "  │ Really?         │",
    "  │ <Yes>     <No>  │",
    "  └─────────────────┘",
    "",
  ];
  const read = "Really?\n<Yes>     <No>";
  assertEquals(question({ rows, at: [5, 3] }), read);
  assertEquals(question({ rows, at: [0, 5], alternate: true }), read);
});
