// Which lines of a pane show a command at its prompt.
import { assertEquals } from "@std/assert";
import { ShownLines } from "../../../src/commands/durable/shown_lines.ts";
import type { StoredCommand } from "../../../src/commands/durable/stored_command.ts";

function typed(command: string, promptLine?: string, started = 0): StoredCommand {
  return { command, promptLine, started, lineCount: command.split("\n").length } as StoredCommand;
}

/** The lines that show none of the commands. */
function output(commands: StoredCommand[], lines: string[]): string[] {
  const shown = new ShownLines(commands);
  return lines.filter((line) => !shown.take(line));
}

Deno.test("a command with all of its lines is left out, once, and only behind its prompt", () => {
  const loop = typed("for x in 1; do\n  echo $x\ndone", "$");
  const lines = ["for x in 1; do", "$ for x in 1; do", "  echo $x", "done", "1", "$ for x in 1; do", "done"];
  assertEquals(output([loop], lines), ["for x in 1; do", "1", "$ for x in 1; do", "done"]);
});

Deno.test("of commands that begin alike, each is left out where it was shown", () => {
  const commands = [typed("echo a", "$", 2), typed("echo a\necho b", "$", 1), typed("echo a; ls", "$")];
  const lines = ["$ echo a; ls", "a", "$ echo a", "echo b", "a", "b", "$ echo a", "a"];
  assertEquals(output(commands, lines), ["a", "a", "b", "a"]);
});

Deno.test("nothing is left out for a command whose prompt or first line is unknown", () => {
  assertEquals(output([typed("ls"), typed("ls", ""), typed("\tls", "$")], ["$ ls", "ls: x", "$ \tls"]), [
    "$ ls",
    "ls: x",
    "$ \tls",
  ]);
});
