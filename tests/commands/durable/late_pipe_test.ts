// Lines of a command that a pane shows as a later server begins to copy its output.
import { assertEquals } from "@std/assert";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import { joinLate, type LatePipeOptions } from "../../../src/commands/durable/late_pipe.ts";
import type { StoredCommand } from "../../../src/commands/durable/stored_command.ts";

const ROWS = 12;
const STORED = {
  paneId: "%0",
  command: "read name",
  columns: 80,
  promptRow: 0,
  lineCount: 1,
} as StoredCommand;

/** Lines that are taken for the command's, of a pane with these rows. */
async function joinedLines(rows: readonly string[], { dead }: { dead: boolean }): Promise<readonly string[]> {
  const shown = Array.from({ length: ROWS }, (_, row) => `${rows[row] ?? ""}\n`).join("");
  const state = {
    id: "%0",
    dead,
    width: 80,
    height: ROWS,
    historySize: 0,
    historyLimit: 100,
    alternateOn: false,
    cursorY: rows.length - 1,
  };
  const tmux = {
    codec: { format: () => "", parse: () => [state] },
    run: () => Promise.resolve("0\n"),
    runParts: () => Promise.resolve(["0", "", "", shown, shown, "", ""]),
  } as unknown as Tmux;
  let lines: readonly string[] = [];
  const output = {
    piece: 0,
    missing: (all: readonly string[]) => {
      lines = all;
      return Promise.resolve(undefined);
    },
  };
  const pipe = { file: { path: "/tmp/none", maxBytes: 1 }, begun: () => Promise.resolve() };
  await joinLate(tmux, STORED, { output, pipe, isBack: false } as unknown as LatePipeOptions);
  return lines;
}

Deno.test("tmux's own message in a dead pane is no output of its command", async () => {
  const rows = ["$ read name", "Name? Ada", "Hello Ada", "", "", "", "Pane is dead (status 36)"];
  assertEquals(await joinedLines(rows, { dead: true }), ["Name? Ada", "Hello Ada", ""]);
});

Deno.test("a live pane may print the same", async () => {
  const rows = ["$ read name", "Pane is dead (status 36)", ""];
  assertEquals(await joinedLines(rows, { dead: false }), ["Pane is dead (status 36)", ""]);
});
