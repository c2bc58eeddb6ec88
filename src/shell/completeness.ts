// Checks that a command is complete, so that its shell asks for no more.
import { leavesBlockOpen } from "./fish_blocks.ts";
import { loadGrammar } from "./grammar.ts";
import type { ShellKind } from "./shell_kind.ts";

/** True if text is whole: `unknown` where its shell has forms the grammar does not know. */
export type Completeness = "complete" | "incomplete" | "invalid" | "unknown";

/** Messages that mean the same in every shell: an open quote or bracket, an operator with nothing behind it. */
const OPEN_ANYWHERE = /^reached EOF|^(?:\||\|\||&&) must be followed/;

/** True if a shell that is given the text would ask for more: open quote, `$(`, heredoc, trailing `\`, `|`, `&&`. */
export async function checkComplete(text: string, shell: ShellKind): Promise<Completeness> {
  if (/(?:^|[^\\])(?:\\\\)*\\\n?$/.test(text)) return "incomplete";
  if (shell === "fish" && leavesBlockOpen(text)) return "incomplete";
  const failure = (await loadGrammar()).findFailure(text);
  if (failure === undefined) return "complete";
  if (shell === "bash" || shell === "sh") return failure.incomplete ? "incomplete" : "invalid";
  return failure.incomplete && OPEN_ANYWHERE.test(failure.message) ? "incomplete" : "unknown";
}

/** The missing part of text that ends too early, as in `if true` or `true &&`; zsh's short forms would continue with later text. */
export async function findMissingEnd(text: string): Promise<string | undefined> {
  const failure = (await loadGrammar()).findFailure(text);
  const lacks = failure?.incomplete === true && /must be followed by/.test(failure.message);
  return lacks ? failure.message : undefined;
}
