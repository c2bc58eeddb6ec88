// Empty lines in Python's blocks: one that ends a block, and those within that must not.
import { type PaneInspection, readerOf } from "../process/probe.ts";
import type { WaitEnd } from "./output.ts";

const PYTHON = /^(i?python|pypy|bpython|pti?python)/i;
/** Its prompts: a program by another name (`flask shell`), or on the far side of ssh, is known by them. */
const PYTHON_PROMPT = /(>>> |In \[\d+\]: )$/;
/** Continuation prompts: `... ` of python, `  ...: ` of IPython. */
const CONTINUATION = /^ *\.\.\.:? *$/;
/** Line that begins a statement outside of any block, if it is not within brackets. */
const STATEMENT = /^[^\s#)\]}]/;
/** Line that continues the statement above it. */
const CLAUSE = /^(else|elif|except|finally)\b/;
/** Line without code. */
const BLANK = /^\s*(#.*)?$/;
/** Line that the next one belongs to: a decorator, one that opens a block, or one that ends in a backslash. */
const CONTINUED = /^@|[:\\]\s*$/;

/**
 * True if a block that was typed completely still waits for the empty line that ends it. A block that is typed over
 * several calls is left alone: it began at a continuation prompt, its last line opens a block, or a string is open.
 */
export function wantsBlankLine(
  { end, prompt, inspection }: { end: WaitEnd; prompt: string; inspection: PaneInspection },
  { input, asked }: { input: string; asked: string },
): boolean {
  if (
    end !== "waits" || !isPythonContinuation(prompt, inspection, asked) ||
    isPythonContinuation(asked, inspection)
  ) {
    return false;
  }
  if (leavesStringOpen(input)) return false;
  return /\n\s*$/.test(input) || !/[:\\,([{]\s*(#.*)?$/.test(input);
}

/** True if the line is a prompt at which Python waits for the rest of a block. `asked`: prompt at which that began. */
export function isPythonContinuation(line: string, inspection: PaneInspection, asked = ""): boolean {
  return isPython(inspection, asked) && CONTINUATION.test(line);
}

/** A line as it is typed at a prompt for the rest of a block, perhaps after one that ends that, and at any other prompt. */
export interface ReplLine {
  inBlock: readonly string[];
  elsewhere: string;
}

/**
 * Returns lines for Python, typed at the prompt `asked`. A block is ended before the next statement; blanks on the
 * empty lines within a block keep it open, because typed alone they would end it. A program in Python that reads lines
 * itself has no blocks.
 */
export function keepBlocksOpen(
  lines: readonly string[],
  { before, asked }: { before: PaneInspection; asked: string },
): readonly ReplLine[] {
  if (!isPython(before, asked)) return lines.map((line) => ({ inBlock: [line], elsewhere: line }));
  let last = "";
  let quotes: string | undefined;
  return lines.map((line, at) => {
    const inString = quotes !== undefined;
    const next = lines.slice(at).find((each) => !BLANK.test(each)) ?? "";
    const isNext = last !== "" && !CONTINUED.test(last) && STATEMENT.test(line) && !CLAUSE.test(line);
    const blanks = CLAUSE.test(next) ? " " : /^\s*/.exec(next)![0];
    const typed = line.trim() === "" && !inString ? blanks : line;
    if (inString || !BLANK.test(line)) last = line;
    quotes = quotesAfter(line, quotes);
    return { inBlock: isNext && !inString ? ["", typed] : [typed], elsewhere: line };
  });
}

function isPython(inspection: PaneInspection, asked: string): boolean {
  return PYTHON.test(readerOf(inspection).name) || PYTHON_PROMPT.test(asked);
}

function leavesStringOpen(text: string): boolean {
  return quotesAfter(text, undefined) !== undefined;
}

/** Returns the quotes of the string of several lines that is open after a text; undefined if none is. */
function quotesAfter(text: string, open: string | undefined): string | undefined {
  for (const [quotes] of text.matchAll(/"""|'''/g)) {
    if (open === undefined) open = quotes;
    else if (open === quotes) open = undefined;
  }
  return open;
}
