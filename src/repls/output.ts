// Output of a REPL for one input: the pane's text from its prompt on, without the echo and the next prompt.
import { HeadAndTail } from "../terminal/head_and_tail.ts";
import { TextRenderer } from "../terminal/text.ts";
import { type FollowedScreen, textBefore } from "../watch/followed_screen.ts";
import { isSamePrompt } from "../watch/prompt_line.ts";

/** End of the wait for a program, which decides how the last line is read. */
export type WaitEnd =
  /** The program waits again; the last line is its prompt. */
  | "waits"
  /** The program is gone; the last line is the shell's prompt. */
  | "gone"
  /** Time is up; the last line is output. */
  | "time";

export interface ReplAnswer {
  lines: string[];
  /** Prompt at which the program waits. */
  prompt: string;
  truncated: boolean;
  /** True if a full-screen program has taken over. */
  fullScreen: boolean;
}

const KEPT = { head: 1 << 18, tail: 3 << 18 };
/** Maximum number of rows by which a redrawn prompt can move the echo down. */
const MAX_REDRAWN = 4;
/** Marks that a line editor may put before an empty line. */
const BARE_PROMPT = /^\W{0,24}$/;

export class ReplOutput {
  /** Text before the cursor when the input was typed. */
  readonly prompt: string;
  /** Prompt at which the whole input began; later lines are typed at other prompts. */
  readonly #first: string;
  readonly #last: string | undefined;
  readonly #lines = new HeadAndTail(KEPT);
  readonly #renderer: TextRenderer;
  #lost = false;

  /** `first`: prompt at which the whole input began, if this isn't it. `last`: the last one with text before that. */
  constructor(
    screen: FollowedScreen,
    { first, last }: { first?: string | undefined; last?: string | undefined } = {},
  ) {
    const { columns, rows, cursorRow, cursorColumn } = screen;
    this.prompt = textBefore(screen.text, { row: cursorRow, column: cursorColumn });
    this.#first = first ?? this.prompt;
    this.#last = last;
    this.#renderer = new TextRenderer({ columns, rows, row: cursorRow }, this.#lines);
    this.#renderer.push(new TextEncoder().encode(this.prompt));
  }

  push(bytes: Uint8Array): void {
    this.#renderer.push(bytes);
  }

  resize(columns: number, rows: number): void {
    this.#renderer.resize(columns, rows);
  }

  lose(): void {
    this.#lost = true;
  }

  /** Returns the text before the cursor on its line, once everything so far has taken effect. */
  async pending(): Promise<string> {
    await this.#renderer.flush();
    return this.#renderer.pending();
  }

  /** Number of rows so far, from that of the prompt on. Call it after `pending`. */
  get rows(): number {
    return this.#lines.count + this.#renderer.unsettled().length;
  }

  /** True if the cursor has left the line of the prompt. Call it after `pending`. */
  get moved(): boolean {
    return this.rows > 1 || !this.#renderer.pending().startsWith(this.prompt.trimEnd());
  }

  /** `earlier`: lines that were typed since the first prompt, which an editor may draw again. */
  async answer(typed: readonly string[], end: WaitEnd, earlier: readonly string[] = []): Promise<ReplAnswer> {
    const pending = await this.pending();
    const all = [...this.#lines.lines(), ...this.#renderer.unsettled()];
    const own = end === "waits" && isSamePrompt(pending, this.#first) ? this.#renderer.belowCursor : 0;
    const shown = all.slice(0, all.length - own);
    const known = [this.prompt, this.#first];
    if (this.#last !== undefined && isSamePrompt(pending, this.#last)) known.push(this.#last);
    const answered = dropPrompt(shown, { pending, known, end });
    const block = [...earlier, ...typed];
    const lines = earlier.length > 0 && isBlock(answered, this.#first, block)
      ? answered.slice(block.length)
      : dropEcho(answered, this.prompt, typed);
    const truncated = this.#lost || this.#renderer.isLossy || this.#lines.omitted > 0;
    const { onAlternateScreen: fullScreen } = this.#renderer;
    return { lines, prompt: end === "waits" ? pending : "", truncated, fullScreen };
  }
}

/** Returns the lines without the prompt at which the program waits; output before the prompt on its line stays. */
export function dropPrompt(
  lines: readonly string[],
  { pending, known, end }: { pending: string; known: readonly string[]; end: WaitEnd },
): string[] {
  const isBlank = end === "waits" && pending !== "" && `${pending}${lines.at(-1)}`.trim() === "";
  if (isBlank) return lines.slice(0, -1);
  const row = findPromptRow(lines, pending.trimEnd());
  const prompts = known.filter((prompt) => prompt.trim() !== "");
  const prompt = end === "gone" || prompts.some((each) => shapeOf(each) === shapeOf(pending))
    ? undefined
    : prompts.find((each) => pending.endsWith(each) && isSamePrompt(pending, each));
  // For a program without a prompt, the unfinished line is output.
  const output = end === "time"
    ? !prompts.some((each) => pending.endsWith(each))
    : end === "waits" && prompts.length === 0;
  if (row < 0 || output) return [...lines];
  const before = prompt === undefined ? "" : pending.slice(0, -prompt.length);
  return before === "" ? lines.slice(0, row) : [...lines.slice(0, row), before];
}

/** A prompt without its numbers: that of octave, `octave:4> `, ends with the one for more lines, `> `. */
function shapeOf(prompt: string): string {
  return prompt.trimEnd().replace(/\d+/g, "0");
}

/** Row of the prompt; -1 without one. A line editor may draw a prompt at the right edge and leave blank rows below. */
function findPromptRow(lines: readonly string[], prompt: string): number {
  const row = lines.findLastIndex((line) => line.trim() !== "");
  const shown = lines[row]?.trimEnd() ?? "";
  return prompt !== "" && (shown === prompt || shown.startsWith(`${prompt}  `)) ? row : -1;
}

/** Returns the lines after those that echo what was typed. */
export function dropEcho(lines: readonly string[], prompt: string, typed: readonly string[]): string[] {
  const [first = "", ...others] = typed;
  const start = lines.slice(0, MAX_REDRAWN + 1).findIndex((line, row) =>
    row === 0 ? isEcho(line, prompt, first) : first !== "" && endsAs(line, first)
  );
  if (start < 0) return withoutStart(lines, prompt, first);
  let at = start + 1;
  for (const line of others) {
    const shown = lines[at];
    if (shown === undefined || !isContinued(shown, prompt, line)) break;
    at++;
  }
  return dropLaterEchoes(lines.slice(at), prompt, typed.slice(at - start));
}

/** Removes the echoes of lines that were pasted at once, and that the program took one after another. */
function dropLaterEchoes(lines: readonly string[], prompt: string, typed: readonly string[]): string[] {
  let left = typed;
  return lines.filter((shown) => {
    const taken = left.findIndex((line) => isEcho(shown, prompt, line));
    left = left.slice(taken + 1);
    return taken < 0;
  });
}

/** True if the lines begin with a whole block that was typed in several steps. */
function isBlock(lines: readonly string[], prompt: string, typed: readonly string[]): boolean {
  return typed.every((line, at) => {
    const shown = lines[at] ?? "";
    return at === 0 ? isEcho(shown, prompt, line) : isContinued(shown, prompt, line);
  });
}

/** True for a further line of a block, after any prompt; an empty one is known by its prompt alone. */
function isContinued(shown: string, prompt: string, typed: string): boolean {
  if (typed.trim() !== "") return endsAs(shown, typed);
  return BARE_PROMPT.test(shown) || isDrawnAgain(shown, prompt);
}

/** Removes prompt and echo from the first line: the output began on the prompt's own line. */
function withoutStart(lines: readonly string[], prompt: string, typed: string): string[] {
  const [first = "", ...rest] = lines;
  const start = [prompt + typed, prompt, prompt.trimEnd()].find((text) => first.startsWith(text)) ?? "";
  const remaining = first.slice(start.length);
  return remaining.trim() === "" ? rest : [remaining, ...rest];
}

/** True if a line is the prompt with what was typed, perhaps with a prompt at the right edge. */
function isEcho(line: string, prompt: string, typed: string): boolean {
  if (!line.startsWith(prompt.trimEnd())) return isEchoAt(line, prompt, typed);
  const rest = line.slice(prompt.trimEnd().length);
  return plain(rest) === plain(typed) || rest.trimStart().startsWith(`${typed}  `);
}

function isEchoAt(line: string, prompt: string, typed: string): boolean {
  const drawn = line.trimEnd().slice(0, -typed.trimEnd().length);
  return typed.trim() !== "" && endsAs(line, typed) && isDrawnAgain(drawn, prompt);
}

/** True if a prompt is drawn again for a block, as by irb: `irb(main):001:1* ` for `irb(main):001:0> `. */
function isDrawnAgain(drawn: string, prompt: string): boolean {
  const shape = (text: string) => shapeOf(text).replace(/\W$/, "");
  return shape(prompt) !== "" && shape(drawn) === shape(prompt);
}

function endsAs(shown: string, typed: string): boolean {
  return plain(shown).endsWith(plain(typed));
}

/** Makes tabs and blanks look the same. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
