import { assertEquals } from "@std/assert";
import { RowCodec } from "../../../src/tmux/row_codec.ts";
import { gridCommands, readGrid, readLines } from "../../../src/tmux/capture/grid.ts";

Deno.test("rows that wrap are one line, with the row it begins on", () => {
  const rows = ["abcd", "ef  ", "", "ghij", "k"];
  assertEquals(readLines("abcdef  \n\nghijk\n", rows, 7), [
    { row: 7, rows: 2, text: "abcdef", blanks: 2 },
    { row: 9, rows: 1, text: "", blanks: 0 },
    { row: 10, rows: 2, text: "ghijk", blanks: 0 },
  ]);
});

Deno.test("rows that tmux 3.7 shows with a blank for each wide character too much are as long as they are", () => {
  const rows = ["a漢字", "漢字漢    ", "字        ", "$         ", "b"];
  assertEquals(readLines("a漢字漢字漢字\n$ \nb\n", rows, 0).map(({ row, rows, text }) => [row, rows, text]), [
    [0, 3, "a漢字漢字漢字"],
    [3, 1, "$"],
    [4, 1, "b"],
  ]);
});

Deno.test("under the alternate screen a line that wraps out of the history goes on in the saved screen", () => {
  const codec = new RowCodec("nonce");
  const state = {
    ...{ id: "%0", serverKey: "1-2", panePid: "3", dead: "0", width: "4", height: "2" },
    ...{ historySize: "2", historyLimit: "100", alternateOn: "1", activity: "0", cursorY: "1" },
  };
  const grid = readGrid("%0", codec, [
    codec.format(state) + "\n",
    "one\nabcdEDIT\nOR\n",
    "one\nabcd\nEDIT\nOR\n",
    "ef\nlast\n",
    "ef\nlast\n",
  ]);
  assertEquals(grid.lines.map(({ row, rows, text }) => [row, rows, text]), [
    [0, 1, "one"],
    [1, 2, "abcdef"],
    [3, 1, "last"],
  ]);
  assertEquals([grid.used, grid.cursorRow, grid.complete], [3, 3, true]);
});

Deno.test("no time is read of a pane that is gone: tmux 3.2 crashes on it", () => {
  const formats = gridCommands("%0", new RowCodec("nonce"), 0).flat().join(" ");
  const times = /(#\{\?window_id,)?#\{(?:session_(?:activity|created|last_attached)|window_activity)\}/g;
  const guards = [...formats.matchAll(times)].map(([, guard]) => guard !== undefined);
  assertEquals(guards, [true]);
});
