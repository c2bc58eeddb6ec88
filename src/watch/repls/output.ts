// Output of a REPL for one input: the pane's text from its prompt on, without the echo and the next prompt.
import { HeadAndTail } from "../../terminal/head_and_tail.ts";
import { TextRenderer } from "../../terminal/text.ts";
import { type FollowedScreen, textBefore } from "../followed_screen.ts";

/** End of the wait for the answer, which says how to read the last line. */
export type Rest =
  /** The program waits again: the last line is its prompt. */
  | "waits"
  /** The program is gone: the last line is the shell's prompt. */
  | "gone"
  /** Time is up: the last line is output. */
  | "time";

export interface ReplAnswer {
  lines: string[];
  /** The prompt it waits at. */
  prompt: string;
  truncated: boolean;
  /** A full-screen program has taken over. */
  fullScreen: boolean;
}

const KEPT = { head: 1 << 18, tail: 3 << 18 };
/** A prompt that is redrawn can move the echo down this far. */
const MAX_REDRAWN = 4;
/** Marks that an editor may put before an empty line. */
const BARE_PROMPT = /^\W{0,12}$/;

export class ReplOutput {
  /** Text before the cursor when the input was typed. */
  readonly prompt: string;
  /** The prompt at which the whole input began; later lines are typed at others. */
  readonly #first: string;
  readonly #lines = new HeadAndTail(KEPT);
  readonly #renderer: TextRenderer;
  #lost = false;

  constructor(screen: FollowedScreen, first?: string) {
    const { columns, rows, cursorRow, cursorColumn } = screen;
    this.prompt = textBefore(screen.text, { row: cursorRow, column: cursorColumn });
    this.#first = first ?? this.prompt;
    this.#renderer = new TextRenderer({ columns, rows, row: cursorRow }, this.#lines);
    this.#renderer.push(new TextEncoder().encode(this.prompt));
  }

  push(bytes: Uint8Array): void {
    this.#renderer.push(bytes);
  }

  resize(columns: number, rows: number): void {
    this.#renderer.resize(columns, rows);
  }

  /** Some of the bytes never came. */
  lose(): void {
    this.#lost = true;
  }

  /** The unfinished line up to the cursor, when everything so far has acted. */
  async pending(): Promise<string> {
    await this.#renderer.flush();
    return this.#renderer.pending();
  }

  /** True if the cursor has left the line of the prompt. Call it after `pending`. */
  get moved(): boolean {
    return this.#lines.count + this.#renderer.unsettled().length > 1 ||
      !this.#renderer.pending().startsWith(this.prompt.trimEnd());
  }

  async answer(typed: readonly string[], rest: Rest): Promise<ReplAnswer> {
    const pending = await this.pending();
    const all = [...this.#lines.lines(), ...this.#renderer.unsettled()];
    const answered = dropPrompt(all, { pending, known: [this.prompt, this.#first], rest });
    const lines = dropEcho(answered, this.prompt, typed);
    const truncated = this.#lost || this.#lines.omitted > 0;
    const { onAlternateScreen: fullScreen } = this.#renderer;
    return { lines, prompt: rest === "waits" ? pending : "", truncated, fullScreen };
  }
}

/** Numbered prompts (`In [2]: `) are the same, and so is one behind what was printed before it on its line. */
export function isSamePrompt(first: string, second: string): boolean {
  const [one, other] = [first, second].map((text) => text.trimEnd().replace(/\d+/g, "0")) as [string, string];
  return one === other || (one !== "" && other !== "" && (one.endsWith(other) || other.endsWith(one)));
}

/** The lines without the prompt the program waits at; what was printed before it on its line stays. */
export function dropPrompt(
  lines: readonly string[],
  { pending, known, rest }: { pending: string; known: readonly string[]; rest: Rest },
): string[] {
  const row = findPromptRow(lines, pending.trimEnd());
  const prompts = known.filter((prompt) => prompt.trim() !== "");
  const prompt = prompts.find((each) => pending.endsWith(each));
  // For a program without a prompt, the unfinished line is output.
  const output = rest === "time" ? prompt === undefined : rest === "waits" && prompts.length === 0;
  if (row < 0 || output) return [...lines];
  const before = prompt === undefined ? "" : pending.slice(0, -prompt.length);
  return before === "" ? lines.slice(0, row) : [...lines.slice(0, row), before];
}

/** The cursor's row: an editor may draw a prompt at its right and leave blank rows below; -1 where there is no prompt. */
function findPromptRow(lines: readonly string[], prompt: string): number {
  const row = lines.findLastIndex((line) => line.trim() !== "");
  const shown = lines[row]?.trimEnd() ?? "";
  return prompt !== "" && (shown === prompt || shown.startsWith(`${prompt}  `)) ? row : -1;
}

/** The lines after those that show what was typed. */
export function dropEcho(lines: readonly string[], prompt: string, typed: readonly string[]): string[] {
  const [first = "", ...others] = typed;
  const start = lines.slice(0, MAX_REDRAWN + 1).findIndex((line, row) =>
    row === 0 ? isEcho(line, prompt, first) : first !== "" && endsAs(line, first)
  );
  if (start < 0) return withoutStart(lines, prompt, first);
  let at = start + 1;
  for (const line of others) {
    const shown = lines[at];
    if (shown === undefined || !(line.trim() === "" ? BARE_PROMPT.test(shown) : endsAs(shown, line))) break;
    at++;
  }
  return lines.slice(at);
}

/** The answer began on the prompt's own line. */
function withoutStart(lines: readonly string[], prompt: string, typed: string): string[] {
  const [first = "", ...rest] = lines;
  const start = [prompt + typed, prompt, prompt.trimEnd()].find((text) => first.startsWith(text)) ?? "";
  const left = first.slice(start.length);
  return left.trim() === "" ? rest : [left, ...rest];
}

/** The prompt and what was typed, perhaps with a prompt at the right. */
function isEcho(line: string, prompt: string, typed: string): boolean {
  if (!line.startsWith(prompt.trimEnd())) return false;
  const rest = line.slice(prompt.trimEnd().length);
  return plain(rest) === plain(typed) || rest.trimStart().startsWith(`${typed}  `);
}

function endsAs(shown: string, typed: string): boolean {
  return plain(shown).endsWith(plain(typed));
}

/** Tabs and blanks look the same. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
