// Lines of a watched pane for its triggers: a command that a server shows is not among them, everything else is.
import { assertEquals } from "@std/assert";
import { clearTyped, redraw } from "../../../src/shell/screen.ts";
import { LineReader } from "../../../src/terminal/lines.ts";
import { ShownCommands } from "../../../workers/text/shown_commands.ts";

const VIEW = { row: "\x1b[32m$\x1b[m", column: 2, rowsTyped: 2 };
const BEGIN = "\x1b]133;C;id\x07";

/** Bytes with which a server shows a command. */
function shown(command: string): string {
  return redraw(VIEW, { command, publicId: "id" }).replaceAll("\n", "\r\n");
}

/** Lines that pass at once, a `|`, and those that pass once the filter is flushed. */
function passed(chunks: readonly string[]): string {
  const reader = new LineReader({ columns: 80 });
  const texts: string[] = [];
  const filter = new ShownCommands({ release: (lines) => texts.push(lines.text), gaveUp: () => {} });
  for (const chunk of chunks) {
    const bytes = new TextEncoder().encode(chunk);
    texts.push(filter.take({ block: reader.push(bytes), bytes, offset: reader.offset }).text);
  }
  texts.push("|");
  filter.flush();
  return texts.join("");
}

const CASES: { name: string; chunks: string[]; lines: string }[] = [
  {
    name: "a command is left out, and its output passes",
    chunks: [`before\r\n${shown("echo one")}${BEGIN}one\r\n`],
    lines: "before\none\n|",
  },
  {
    name: "every line of a command is left out",
    chunks: [shown("for x in a b\ndo echo $x\ndone"), `${BEGIN}a\r\nb\r\n`],
    lines: "a\nb\n|",
  },
  {
    name: "two commands in one chunk are left out",
    chunks: [`${shown("echo one")}${BEGIN}one\r\n${shown("echo two")}${BEGIN}two\r\n`],
    lines: "one\ntwo\n|",
  },
  {
    name: "the shell's complaint about a text that doesn't parse passes",
    chunks: [`${shown("echo (")}bash: syntax error\r\n`],
    lines: "bash: syntax error\n|",
  },
  {
    name: "a drawing without a command ends with the next mark",
    chunks: [`${clearTyped(VIEW)}\x1b]133;D;0;secret\x07$ echo one\r\n`],
    lines: "$ echo one\n|",
  },
  {
    name: "a line that another mark follows passes, in its order",
    chunks: [`before\r\n${clearTyped(VIEW)}one\r\n`, "two\r\n\x1b]133;A\x07three\r\n"],
    lines: "before\none\ntwo\nthree\n|",
  },
  {
    name: "a line that no mark follows passes late",
    chunks: [`${clearTyped(VIEW)}one\r\n`, "two\r\n"],
    lines: "|one\ntwo\n",
  },
  {
    name: "more than a drawing can hold passes at once",
    chunks: [`${clearTyped(VIEW)}one\r\n`, `${"x".repeat(1 << 17)}\r\n`, "two\r\n"],
    lines: `one\n${"x".repeat(1 << 17)}\ntwo\n|`,
  },
];

for (const { name, chunks, lines } of CASES) {
  Deno.test(`shown commands: ${name}`, () => assertEquals(passed(chunks), lines));
}

Deno.test("a shown command is left out, wherever chunks are cut", () => {
  const stream = `before\r\n${shown("echo one\necho two")}${BEGIN}one\r\ntwo\r\n`;
  for (let cut = 1; cut < stream.length; cut++) {
    assertEquals(passed([stream.slice(0, cut), stream.slice(cut)]), "before\none\ntwo\n|", `at ${cut}`);
  }
  assertEquals(passed([...stream]), "before\none\ntwo\n|");
});

Deno.test("the line being written counts as shown until the mark, or until none has come in time", async () => {
  const gaveUp = Promise.withResolvers<void>();
  const filter = new ShownCommands({ release: () => {}, gaveUp: gaveUp.resolve });
  const reader = new LineReader({ columns: 80 });
  const isShowing = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    filter.take({ block: reader.push(bytes), bytes, offset: reader.offset });
    return filter.isShowing;
  };
  const command = shown("echo one");
  const mark = command.lastIndexOf("\x1b");
  assertEquals([isShowing("$ "), isShowing(command.slice(0, mark)), isShowing(command.slice(mark))], [
    false,
    true,
    false,
  ]);
  assertEquals(isShowing(`${clearTyped(VIEW)}Continue? `), true);
  await gaveUp.promise;
  assertEquals(filter.isShowing, false);
});
