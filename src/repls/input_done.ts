// Decides if a REPL is done with its input, from the kernel's report and the last line on the screen.
import { type PaneInspection, readerOf } from "../process/probe.ts";
import { isPythonContinuation } from "./blocks.ts";
import { isRelay, isSamePrompt, looksLikePrompt, readsAhead } from "../watch/prompt_line.ts";

export interface Signs {
  inspection: PaneInspection;
  /** Inspection from before anything was typed. */
  before: PaneInspection;
  /** Text before the cursor on its line, and what it was before anything was typed. */
  pending: string;
  prompt: string;
  /** Prompt at which the whole input began; later lines are typed at other prompts. */
  asked: string;
  /** True if something showed that the input was taken: its line ended, or the program was seen busy. */
  taken: boolean;
  /** True if its line still shows the input after the prompt. */
  entering: boolean;
  /** True if it has printed more than an echo of the input. */
  answered: boolean;
  pattern?: PromptPattern;
  /** True if a question other than its prompt also ends the wait. */
  returnsOnInput: boolean;
}

export interface PromptPattern {
  matches(line: string): boolean;
}

const NEVER = Infinity;
/** Quiet (ms) required if the line does not look like the prompt again. */
const SETTLED_MS = 100;
/** Quiet (ms) required if nothing shows that the input was taken: a program without echo that prints nothing. */
const UNSEEN_MS = 150;
/** Quiet (ms) required if the line is not the prompt that the caller described. */
const QUESTION_MS = 250;
/**
 * Quiet (ms) required of a program that also reads while it works, after an unfinished line: a timer is seen only if it
 * is due within a second.
 */
const AHEAD_MS = 1200;
/** Quiet (ms) required on the line of the input: readline shows for 500 ms where a bracket opens, if it is set so. */
const ENTERING_MS = 1000;
/** Prompts for the rest of a block, as of node: `... ` up to 20, `| ` since. */
const CONTINUATION = /^\s*(\.{2,}:?|\|) ?$/;
/** Quiet (ms) required behind ssh and the like, if the line looks like a prompt but not like the one before. */
const RELAYED_MS = 1000;

/** Returns the time (ms) without a change after which the program counts as done. */
export function quietNeeded(signs: Signs): number {
  const { inspection, before, pending, prompt, asked, taken, pattern } = signs;
  const relayed = isRelay(inspection);
  if (pattern) {
    if (!pattern.matches(pending) && !isPythonContinuation(pending, inspection, asked)) {
      const asks = signs.returnsOnInput && inspection.waitingForInput && !relayed && taken;
      return asks && !isSamePrompt(pending, prompt) ? QUESTION_MS : NEVER;
    }
    if (before.waitingForInput && !inspection.waitingForInput) return NEVER;
    return !taken ? UNSEEN_MS : relayed || !before.waitingForInput ? SETTLED_MS : 0;
  }
  if (!inspection.waitingForInput) return NEVER;
  if (!signs.returnsOnInput && asksAnother(inspection, before)) return NEVER;
  if (relayed && taken && isPythonContinuation(pending, inspection, asked)) return SETTLED_MS;
  if (relayed && `${prompt}${pending}`.trim() === "" && !signs.answered) return RELAYED_MS;
  if (relayed) return taken ? behindRelay(pending, prompt) : NEVER;
  if (signs.entering && inspection.inputKind === before.inputKind) return ENTERING_MS;
  if (!taken) return UNSEEN_MS;
  if (prompt === "") return pending === "" ? 0 : SETTLED_MS;
  if (isSamePrompt(pending, prompt)) return 0;
  if (inspection.inputKind !== before.inputKind || !readsAhead(inspection)) return SETTLED_MS;
  if (pending === "") return NEVER;
  return CONTINUATION.test(pending) || (looksLikePrompt(pending) && !inspection.beside)
    ? SETTLED_MS
    : AHEAD_MS;
}

/** True if another program takes the input now, or the same one asks for a password. */
export function asksAnother(inspection: PaneInspection, before: PaneInspection): boolean {
  return isOtherReader(inspection, before) ||
    (inspection.inputKind === "password" && before.inputKind !== "password");
}

/**
 * True if another program takes the input now. In one process group only the names decide: a script may start the same
 * program again for each question.
 */
export function isOtherReader(inspection: PaneInspection, before: PaneInspection): boolean {
  if (inspection.foregroundPid !== before.foregroundPid) return true;
  return before.waitingForInput && readerOf(inspection).name !== readerOf(before).name;
}

/** Judges by the screen alone: the line ends like the last prompt, or like prompts in general. */
function behindRelay(pending: string, prompt: string): number {
  const last = prompt.trimEnd().at(-1);
  if (last === undefined ? pending === "" : pending.trimEnd().endsWith(last)) return SETTLED_MS;
  return looksLikePrompt(pending) ? RELAYED_MS : NEVER;
}
