// Decides if a REPL is done with its input, from the kernel's report and the last line on the screen.
import { type PaneInspection, readerOf } from "../../process/probe.ts";
import { isRelayProgram } from "../relay_programs.ts";
import { isPythonContinuation } from "./blocks.ts";
import { isSamePrompt } from "./output.ts";

export interface Signs {
  inspection: PaneInspection;
  /** The inspection before anything was typed. */
  before: PaneInspection;
  /** The unfinished line, and what it was before anything was typed. */
  pending: string;
  prompt: string;
  /** Something showed that the input was taken: its line ended, or the program was seen at work. */
  taken: boolean;
  /** The prompt's pattern, from the caller. */
  pattern?: PromptPattern;
  /** Another question than its prompt ends the wait too. */
  returnsOnInput: boolean;
}

export interface PromptPattern {
  matches(line: string): boolean;
}

const NEVER = Infinity;
/** Wait if the line does not look like the prompt again. */
const SETTLED_MS = 100;
/** Wait if nothing shows that the input was taken: a program without echo that prints nothing. */
const UNSEEN_MS = 150;
/** Wait if the line is not the prompt that the caller named. */
const QUESTION_MS = 250;
/** Behind ssh and similar programs, where the line looks like a prompt, but not like the one before. */
const RELAYED_MS = 1000;

/** Time that everything must have rested for the program to count as done (ms). */
export function restNeeded(signs: Signs): number {
  const { inspection, before, pending, prompt, taken, pattern } = signs;
  const relayed = isRelay(inspection);
  if (pattern) {
    if (!pattern.matches(pending) && !isPythonContinuation(pending, inspection)) {
      const asks = signs.returnsOnInput && inspection.waitingForInput && !relayed && taken;
      return asks && !isSamePrompt(pending, prompt) ? QUESTION_MS : NEVER;
    }
    if (before.waitingForInput && !inspection.waitingForInput) return NEVER;
    return !taken ? UNSEEN_MS : relayed || !before.waitingForInput ? SETTLED_MS : 0;
  }
  if (!inspection.waitingForInput) return NEVER;
  if (relayed) return taken ? behindRelay(pending, prompt) : NEVER;
  if (!taken) return UNSEEN_MS;
  if (prompt === "") return pending === "" ? 0 : SETTLED_MS;
  if (isSamePrompt(pending, prompt)) return 0;
  // An event loop watches the terminal also while it works; it shows a prompt when it is done.
  if (
    pending === "" && inspection.evidence.startsWith("epoll") && inspection.inputKind === before.inputKind
  ) {
    return NEVER;
  }
  return SETTLED_MS;
}

/** True if the program hands the terminal on to where this kernel cannot see, and always waits itself. */
export function isRelay(inspection: PaneInspection): boolean {
  return isRelayProgram(readerOf(inspection).name);
}

/** Only the screen shows it: the line ends as the prompt did, or as prompts do. */
function behindRelay(pending: string, prompt: string): number {
  const last = prompt.trimEnd().at(-1);
  if (last === undefined ? pending === "" : pending.trimEnd().endsWith(last)) return SETTLED_MS;
  return /[#$%>:?)\]] $/.test(pending) ? RELAYED_MS : NEVER;
}
