// Finds what shells read differently from each other: text that is data to one and a command to another.
import { findEvaluated } from "./evaluated.ts";
import {
  type LitNode,
  type Node,
  OPERATOR,
  type QuotedNode,
  type RedirectNode,
  type Tree,
} from "./grammar.ts";
import type { ShellKind } from "./statements.ts";

export interface Reader {
  readonly text: string;
  readonly shell: ShellKind;
  /** The text is not POSIX, so that what dash would make of it was not looked at. */
  readonly posixFails: boolean;
}

interface Found {
  readonly kind: string;
  readonly source: string;
  readonly node: Node;
}

type Hazard = (found: Found) => string | undefined;

/** Names a shell, or one of the shells that may be meant, to which the text means something else. */
export function findHazard(tree: Tree, reader: Reader): string | undefined {
  const { shell, posixFails, text } = reader;
  const unknown = shell === "unknown";
  if (unknown && posixFails && text.trim().includes("\n")) {
    return "its lines mean something else to some shells";
  }
  const checks = [
    runsByItself,
    ...(shell === "zsh" || shell === "fish" || unknown ? [differsInZsh] : []),
    ...(shell === "fish" || unknown ? [differsInFish] : []),
    ...(unknown && posixFails ? [differsInDash] : []),
  ];
  for (const node of tree.nodes) {
    const found = { node, kind: node.kind, source: tree.sourceOf(node) };
    const hazard = checks.map((check) => check(found)).find((each) => each !== undefined);
    if (hazard !== undefined) return hazard;
  }
  return findEvaluated(tree);
}

/** What makes a shell run text that stands nowhere as a command. */
function runsByItself({ kind, source, node }: Found): string | undefined {
  if (kind === "ParamExp" && /@P\}$/.test(source)) return "@P runs what a variable holds";
  if (kind === "CmdSubst" && source.startsWith("`") && source.includes("\\")) {
    return "backquotes hold a backslash";
  }
  // The parser goes on with the comment on the next line; shells begin a command there.
  if (kind === "Comment" && /\\\n?$/.test(source)) return "a comment ends in a backslash";
  if (kind === "ExtGlob" && /[$`]/.test(source)) {
    return "an extended pattern holds an expansion";
  }
  if ((kind === "Lit" || kind === "SglQuoted") && /\[[^\]]*(?:\$\(|`)/.test(bareValue(node))) {
    return "a subscript in quotes runs a command where it is evaluated";
  }
  return undefined;
}

function bareValue(node: Node): string {
  return (node as LitNode).Value.replaceAll("\\", "");
}

function differsInZsh({ kind }: Found): string | undefined {
  return kind === "ExtGlob" ? "zsh runs code in a pattern like *(e:…:)" : undefined;
}

/** fish substitutes `(…)` anywhere, knows no here-documents, and ends `'…\'` elsewhere. */
function differsInFish({ kind, source, node }: Found): string | undefined {
  if (["ArrayExpr", "ParenTest", "ParenArithm"].includes(kind)) return "fish runs what stands in parentheses";
  if (kind === "Redirect" && (node as RedirectNode).Hdoc !== null) {
    return "fish runs the lines of a here-document";
  }
  if (kind === "SglQuoted" && endsInBackslash(node as QuotedNode)) {
    return "fish reads \\' inside single quotes";
  }
  if (kind === "Lit" && /\[[^\]]*\(/.test(bareValue(node))) return "fish runs what stands in parentheses";
  // To fish a backquote is a character like any other.
  if (kind === "CmdSubst" && source.startsWith("`") && source.includes("(")) {
    return "fish runs what stands in parentheses";
  }
  const clause = ["TestClause", "ArithmExp", "ArithmCmd", "ParamExp", "LetClause"].includes(kind);
  return clause && source.includes("\n") ? "fish runs its lines one by one" : undefined;
}

function endsInBackslash({ Value, Dollar }: QuotedNode): boolean {
  return !Dollar && /(?:^|[^\\])(?:\\\\)*\\$/.test(Value);
}

/** dash ends a command at `&>` and at the `&&` in `[[ … ]]`, and `$'…\'` at its second quote. */
function differsInDash({ kind, source, node }: Found): string | undefined {
  if (kind === "SglQuoted" && (node as QuotedNode).Dollar && source.includes("\\'")) {
    return "$'…\\'' ends early in sh";
  }
  if (kind === "TestClause" || kind === "ArithmCmd") return "[[ … ]] and (( … )) hold commands to sh";
  const op = kind === "Redirect" ? (node as RedirectNode).Op : undefined;
  const both = op === OPERATOR.allOut || op === OPERATOR.allAppend;
  return both ? "&> ends a command in sh" : undefined;
}
