// Splits shell text into its simple commands, the way each shell that might read it would.
import { leavesBlockOpen } from "./fish_blocks.ts";
import { AppError } from "../errors.ts";
import { type Grammar, loadGrammar, type ParseFailure, type Tree } from "./grammar.ts";
import { findHazard } from "./hazards.ts";
import { collectStatements, type Statement } from "./simple_commands.ts";

/** The shell that will read the text; `sh` stands for dash, ash and ksh. */
export type ShellKind = "bash" | "zsh" | "fish" | "sh" | "unknown";

/** The kind of a shell by its program's name. */
export function shellKind(program: string | undefined): ShellKind {
  if (program === "bash" || program === "zsh" || program === "fish") return program;
  return program !== undefined && /^(?:sh|dash|ash|ksh|mksh)$/.test(program) ? "sh" : "unknown";
}

const LONGEST = 128 * 1024;
const DEEPEST = 200;
// deno-lint-ignore no-control-regex -- what a line editor acts on, and blanks that only some shells split words at
const UNREADABLE = /[\x00-\x08\x0b-\x1f\x7f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/**
 * Every simple command the text holds, however deep: in lists, pipes, substitutions, functions, here-documents.
 * Where it is not known which shell reads it, all that any shell would see.
 * @throws {AppError} `denied` for text that cannot be told to mean the same to every shell that may read it.
 */
export async function parseStatements(text: string, shell: ShellKind = "unknown"): Promise<Statement[]> {
  const odd = UNREADABLE.exec(text)?.[0];
  if (odd !== undefined) throw unreadable(`it holds the character U+${odd.charCodeAt(0).toString(16)}`);
  if (text.length > LONGEST) throw unreadable(`it is longer than ${LONGEST} characters`);
  if ((text.match(/[({`]/g)?.length ?? 0) > DEEPEST * 5) throw unreadable("it is nested too deeply");
  const grammar = await loadGrammar();
  const trees = readAs(grammar, { text, shell });
  return unique(trees.flatMap((tree) => collectStatements(tree)));
}

function readAs(grammar: Grammar, { text, shell }: { text: string; shell: ShellKind }): Tree[] {
  const bash = ensureTree(grammar.parse(text, "bash"));
  const posix = shell === "sh" || shell === "unknown" ? grammar.parse(text, "posix") : undefined;
  if (shell === "sh") ensureTree(posix!);
  const bare = shell === "zsh" || shell === "unknown" ? uncommented(grammar, { tree: bash, text }) : [];
  for (const tree of [bash, ...bare]) {
    const hazard = findHazard(tree, { text, shell, posixFails: posix?.kind === "failure" });
    if (hazard !== undefined) throw unreadable(hazard);
  }
  return [bash, ...posix?.kind === "tree" ? [posix] : [], ...bare];
}

/**
 * zsh takes no comments at its prompt unless told to: what follows `#` is then more of the command, and may make
 * a comment of what follows the next one.
 */
function uncommented(grammar: Grammar, { tree, text }: { tree: Tree; text: string }): Tree[] {
  const bare = withoutComments(tree, text);
  if (bare === undefined) return [];
  const next = ensureTree(grammar.parse(bare, "bash"));
  return [next, ...uncommented(grammar, { tree: next, text: bare })];
}

function ensureTree(parsed: Tree | ParseFailure): Tree {
  if (parsed.kind === "tree") return parsed;
  throw unreadable(parsed.message);
}

function unreadable(reason: string): AppError {
  return new AppError("denied", `Cannot read the text as shell commands: ${reason}`, {
    hint: "Write it as plain commands: while a command filter is on, what cannot be read is refused",
  });
}

/** The text with a backslash before each `#` that begins a comment; undefined where none does. */
function withoutComments(tree: Tree, text: string): string | undefined {
  const starts = tree.nodes.filter(({ kind }) => kind === "Comment").map(({ from }) => from);
  if (starts.length === 0) return undefined;
  const bytes = new TextEncoder().encode(text);
  const edges = [0, ...starts.toSorted((a, b) => a - b), bytes.length];
  const decoder = new TextDecoder();
  return edges.slice(1).map((end, at) => decoder.decode(bytes.subarray(edges[at], end))).join("\\");
}

function unique(statements: readonly Statement[]): Statement[] {
  return [...new Map(statements.map((each) => [JSON.stringify([each.source, each.words]), each])).values()];
}

/** Whether text is whole: `unknown` where its shell has forms the grammar does not know. */
export type Completeness = "complete" | "incomplete" | "invalid" | "unknown";

/** Messages that mean the same in every shell: an open quote or bracket, an operator with nothing behind it. */
const OPEN_ANYWHERE = /^reached EOF|^(?:\||\|\||&&) must be followed/;

/** Whether a shell that is given the text would ask for more: open quote, `$(`, heredoc, trailing `\`, `|`, `&&`. */
export async function checkComplete(text: string, shell: ShellKind = "unknown"): Promise<Completeness> {
  if (/(?:^|[^\\])(?:\\\\)*\\\n?$/.test(text)) return "incomplete";
  if (shell === "fish" && leavesBlockOpen(text)) return "incomplete";
  const parsed = (await loadGrammar()).parse(text, "bash");
  if (parsed.kind === "tree") return "complete";
  if (shell === "bash" || shell === "sh") return parsed.incomplete ? "incomplete" : "invalid";
  return parsed.incomplete && OPEN_ANYWHERE.test(parsed.message) ? "incomplete" : "unknown";
}

/** What text that ends too early lacks, as in `if true` or `true &&`; zsh's short forms would go on with what comes. */
export async function findMissing(text: string): Promise<string | undefined> {
  const parsed = (await loadGrammar()).parse(text, "bash");
  const lacks = parsed.kind !== "tree" && parsed.incomplete && /must be followed by/.test(parsed.message);
  return lacks ? parsed.message : undefined;
}
