// Types input into a REPL: as one paste if the program takes pastes, else line by line.
import { type PaneInspection, readerOf } from "../process/probe.ts";
import { takesPastes } from "../tmux/typing/bracketed_paste.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { refuseLongLines } from "../tmux/typing/long_lines.ts";
import { isPythonContinuation, keepBlocksOpen } from "./blocks.ts";
import { isRelay, lineAtCursor } from "../watch/prompt_line.ts";
import type { PromptPattern } from "./input_done.ts";
import type { ReplStep, StepResult } from "./run.ts";

export interface InputPlace {
  tmux: Tmux;
  paneId: string;
  /** The inspection that found the program waiting. */
  before: PaneInspection;
  pattern: PromptPattern | undefined;
  snapshot: ServerSnapshot;
  signal: AbortSignal;
}

/** Returns the steps for one line, or for all, at the prompt that the last step, if any, has led to. */
export type StepsAtPrompt = (last: StepResult | undefined) => readonly ReplStep[];

/** Returns the steps that type `input`; each is taken when the one before is done. A newline at its end is Enter. */
export async function inputSteps(input: string, place: InputPlace): Promise<StepsAtPrompt[]> {
  const { tmux, paneId, snapshot, before, pattern, signal } = place;
  const text = input.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const lines = text.split("\n");
  await refuseLongLines(paneId, text, () => Promise.resolve(before));
  // A program that does not show when it has taken a line gets all lines at once, as if a person had pasted them.
  const unseen = lines.length > 1 && (isRelay(before) || !before.waitingForInput);
  const { pid } = readerOf(before);
  const pastes = !unseen && /[\n\t]/.test(text) &&
    await takesPastes(tmux, { paneId, pid: before.readingThread ?? pid, snapshot }) === true;
  const paste = (text: string) => tmux.input.paste(paneId, text, { snapshot, bracketed: true, enter: true });
  // readline hands a program the whole paste as one line. A shell reads that as several, gdb and sqlite3 don't.
  const isOneLine = pastes && before.shell === undefined &&
    tmux.machine.inspector.usesReadline?.(pid) === true;
  if (unseen || (pastes && !isOneLine)) {
    return [() => [{ typed: lines, type: () => paste(text), pattern }]];
  }
  const asked = lines.length > 1 ? await lineAtCursor(tmux, paneId) ?? "" : "";
  // A line editor completes words at a Tab.
  const isQuoted = text.includes("\t") && before.canonical === false &&
    tmux.machine.inspector.quotesKeys?.(pid) === true;
  const keysOf = (line: string) => isQuoted ? line.replaceAll("\t", "\x16\t") : line;
  const type = (line: string) =>
    tmux.input.type(paneId, { text: keysOf(line) }, { snapshot, enter: true, signal });
  return keepBlocksOpen(lines, { before, asked }).map(
    ({ inBlock, elsewhere }, index, { length }) => (last) => {
      const { prompt, inspection } = last ?? { prompt: asked, inspection: before };
      const typed = isPythonContinuation(prompt, inspection, asked) ? inBlock : [elsewhere];
      return typed.map((line, at) => ({
        typed: [line],
        type: async () => void await (pastes && line.includes("\t") ? paste(line) : type(line)),
        pattern: index === length - 1 && at === typed.length - 1 ? pattern : undefined,
      }));
    },
  );
}
