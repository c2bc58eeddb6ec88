// Empty lines in Python's blocks: one that ends a block, and those within that must not.
import { type PaneInspection, readerOf } from "../process/probe.ts";
import type { Rest } from "./output.ts";

const PYTHON = /^(i?python|pypy|bpython|pti?python)/;
/** Continuation prompts: `... ` of python, `  ...: ` of IPython. */
const CONTINUATION = /^ *\.\.\.:? *$/;

/**
 * True if a block that was typed completely still waits for the empty line that ends it. A block that is typed over
 * several calls is left alone: it began at a continuation prompt, its last line opens a block, or a string is open.
 */
export function wantsBlankLine(
  { rest, prompt, inspection }: { rest: Rest; prompt: string; inspection: PaneInspection },
  { input, asked }: { input: string; asked: string },
): boolean {
  if (
    rest !== "waits" || !isPythonContinuation(prompt, inspection) || isPythonContinuation(asked, inspection)
  ) {
    return false;
  }
  if (leavesStringOpen(input)) return false;
  return /\n\s*$/.test(input) || !/[:\\,([{]\s*(#.*)?$/.test(input);
}

/** True if the line is a prompt at which Python waits for the rest of a block. */
export function isPythonContinuation(line: string, inspection: PaneInspection): boolean {
  return isPython(inspection) && CONTINUATION.test(line);
}

/** Returns lines for Python, with blanks on the empty ones within a block, because typed alone they would end it. */
export function keepBlocksOpen(lines: readonly string[], before: PaneInspection): readonly string[] {
  if (!isPython(before)) return lines;
  let inString = false;
  let next = "";
  const indents = lines.toReversed().map((line) => {
    if (line.trim() !== "") next = /^\s*/.exec(line)![0];
    return next;
  }).toReversed();
  return lines.map((line, index) => {
    if (leavesStringOpen(line)) inString = !inString;
    return line === "" && !inString ? indents[index]! : line;
  });
}

function isPython(inspection: PaneInspection): boolean {
  return PYTHON.test(readerOf(inspection).name);
}

function leavesStringOpen(text: string): boolean {
  return [...text.matchAll(/"""|'''/g)].length % 2 === 1;
}
