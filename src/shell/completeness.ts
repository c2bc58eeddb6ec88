// Checks that a command is complete, so that its shell doesn't ask for more.
import { findFailure } from "./grammar.ts";
import type { ShellKind } from "./shell_kind.ts";

/** Messages that mean the same in every shell: an open quote or bracket, or an operator with nothing after it. */
const OPEN_ANYWHERE = /^reached EOF|^(?:\||\|\||&&) must be followed/;

const BACKSLASH_LAST = /(?:^|[^\\])(?:\\\\)*\\\n?$/;
/** A comment on the last line, or what looks like one. */
const COMMENT_LAST = /(?:^|[\s;&|()])#.*\n?$/;

/** True if the last line ends in a comment, where a backslash means nothing, or in what looks like one. */
export function endsInComment(text: string): boolean {
  return COMMENT_LAST.test(text);
}

const HERE_DOCUMENT = /<<-?\s*["'\\]?(\w+)/g;

/**
 * True if a shell would ask for more because a line after `\`, the end of a here-document or a `}` is missing. An
 * interactive bash 5.0 that evaluates such text ends.
 */
export async function endsBash(text: string): Promise<boolean> {
  if (BACKSLASH_LAST.test(text) && !endsInComment(text)) return true;
  const isOpen = text.split("${").length > text.split("}").length ||
    [...text.matchAll(HERE_DOCUMENT)].some(([, end]) => !new RegExp(`^\t*${end}$`, "m").test(text));
  return isOpen && await checkComplete(text, "bash") === "incomplete";
}

/**
 * Checks if a shell would ask for more after the text: open quote, `$(`, here-document, trailing `\`, `|`, `&&`.
 * Returns `unknown` if the shell has syntax that the grammar doesn't know.
 */
export async function checkComplete(
  text: string,
  shell: ShellKind,
): Promise<"complete" | "incomplete" | "invalid" | "unknown"> {
  if (BACKSLASH_LAST.test(text)) return "incomplete";
  if (shell === "fish" && leavesBlockOpen(text)) return "incomplete";
  const failure = await findFailure(text);
  if (failure === undefined) return "complete";
  if (shell === "bash" || shell === "sh") return failure.incomplete ? "incomplete" : "invalid";
  return failure.incomplete && OPEN_ANYWHERE.test(failure.message) ? "incomplete" : "unknown";
}

/**
 * Returns the missing part of text that ends too early, as in `if true` or `true &&`; zsh's short forms would
 * take later text as that part.
 */
export async function findMissingEnd(text: string): Promise<string | undefined> {
  const failure = await findFailure(text);
  const lacks = failure?.incomplete === true && /must be followed by/.test(failure.message);
  return lacks ? failure.message : undefined;
}

/** A token of fish. */
const TOKEN = /#.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\\[^]|[;\n|&()]|[^\s;|&()'"\\]+|\s/g;
const OPENS: ReadonlySet<string> = new Set(["begin", "if", "while", "for", "function", "switch"]);
/** Tokens after which a command begins. */
const SEPARATORS: ReadonlySet<string> = new Set([";", "\n", "|", "&", "("]);
/** Words after which a command begins, if they are in command position themselves. */
const LEADS: ReadonlySet<string> = new Set(["if", "while", "begin", "else", "and", "or", "not", "!", "time"]);

/**
 * True if fish text leaves a block or command substitution open (fish(1), "The fish language"). No library we know has
 * fish's grammar.
 */
function leavesBlockOpen(text: string): boolean {
  let depth = 0;
  let parentheses = 0;
  let first = true;
  let previous = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^(\s|#)/.test(token) && token !== "\n") continue;
    // `else if` continues the block that `if` began.
    if (first && OPENS.has(token) && previous !== "else") depth++;
    if (first && token === "end") depth--;
    if (token === "(") parentheses++;
    if (token === ")") parentheses--;
    first = SEPARATORS.has(token) || (first && LEADS.has(token));
    previous = token;
  }
  return depth > 0 || parentheses > 0;
}
