// A line that a person has typed, and a line editor that takes the keys of the probe later than it seemed to.
import { assertEquals, assertRejects } from "@std/assert";
import { LineProbe } from "../../../src/commands/prompt/line_probe.ts";
import { PaneKeys } from "../../../src/commands/prompt/pane_keys.ts";
import type { Command } from "../../../src/tmux_exec/exec.ts";

const PROMPT = "$ ";
const LINE = "echo half";

type Key = (line: string, cursor: number) => [line: string, cursor: number];

const EMACS: Record<string, Key> = {
  BSpace: (
    line,
    cursor,
  ) => [line.slice(0, Math.max(cursor - 1, 0)) + line.slice(cursor), Math.max(cursor - 1, 0)],
  "C-a": (line) => [line, 0],
  "C-e": (line) => [line, line.length],
  "C-b": (line, cursor) => [line, Math.max(cursor - 1, 0)],
  Left: (line, cursor) => [line, Math.max(cursor - 1, 0)],
  Right: (line, cursor) => [line, Math.min(cursor + 1, line.length)],
  "C-f": (line, cursor) => [line, Math.min(cursor + 1, line.length)],
};

/** A line editor behind tmux that takes the first keys only when the next ones come. */
class LateEditor {
  line = LINE;
  #cursor = LINE.length;
  #presses = 0;
  readonly #waiting: Command[] = [];

  answer(commands: readonly Command[]): string {
    const keys = commands.filter(([name]) => name === "send-keys");
    this.#waiting.push(...keys);
    if (keys.length > 0) this.#presses++;
    if (this.#presses !== 1) { for (const command of this.#waiting.splice(0)) this.#take(command); }
    const asked = commands.at(-1)!;
    if (asked[0] === "capture-pane") return `${PROMPT}${this.line}`;
    return `${PROMPT.length + this.#cursor} 0 0 80 24 2000 ${this.line[this.#cursor] ?? ""}\n`;
  }

  #take([, flag, ...words]: Command): void {
    const keys = flag === "-l" ? [...words.at(-1)!] : words.slice(1);
    for (const key of keys) {
      const insert: Key = (line, cursor) => [line.slice(0, cursor) + key + line.slice(cursor), cursor + 1];
      [this.line, this.#cursor] = (EMACS[key] ?? insert)(this.line, this.#cursor);
    }
  }
}

Deno.test("a blank that a line editor takes late does not stay in a person's line", async () => {
  const editor = new LateEditor();
  const pane = new PaneKeys("%0", (...commands) => Promise.resolve(editor.answer(commands)));
  const column = PROMPT.length + LINE.length;
  const before = { column, row: 0, history: 0, width: 80, height: 24, character: "" };
  const probe = new LineProbe(pane, { before, row: PROMPT + LINE, dialect: "fish", isSecond: false });
  await assertRejects(() => probe.typeBlank(), Error, "text");
  assertEquals(editor.line, LINE);
});
