import { assertEquals } from "@std/assert";
import { redraw, SHOWN_MARK, shownLines } from "../../src/shell/screen.ts";

Deno.test("a command takes as many lines as it is shown in, however long it is", () => {
  for (const command of ["true", "echo 'a\nb'", "echo line\n".repeat(3000)]) {
    const drawn = redraw({ row: "$ ", column: 2, rowsTyped: 1 }, { command, publicId: "id" });
    const shown = drawn.slice(0, drawn.indexOf(SHOWN_MARK));
    assertEquals(shownLines(command).length, shown.split("\n").length - 1);
  }
  assertEquals(shownLines("a\x01\tb"), ["a^A\tb"]);
});
