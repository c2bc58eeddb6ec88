// Finds the simple commands in a parsed text: each as it was written, and as far as it can be told what it runs.
import type {
  AssignNode,
  CallNode,
  LitNode,
  Node,
  RedirectNode,
  StmtNode,
  Tree,
  WordNode,
} from "./grammar.ts";
import { OPERATOR } from "./grammar.ts";
import { findName, findValue } from "./words.ts";

interface LoopNode extends Node {
  readonly Name: LitNode;
}

export interface Statement {
  /** As written, with its assignments and redirections; empty for a loop that only sets its variable. */
  readonly source: string;
  /** What it runs: empty where it only assigns or redirects, undefined where that depends on an expansion. */
  readonly name: string | undefined;
  /** Its words without quotes, the name first; undefined for a word that depends on an expansion. */
  readonly words: readonly (string | undefined)[];
  /** Variables it sets. */
  readonly assigns: readonly string[];
  /** Text it reads from here-documents and here-strings; undefined where one depends on an expansion. */
  readonly input: readonly (string | undefined)[];
}

/** Commands that set variables named by their arguments. */
const SETTERS = new Set(
  "read printf mapfile readarray getopts set setenv env export declare typeset local readonly let vared"
    .split(" "),
);

/** Commands the grammar knows by themselves, by the kind of their node. */
const CLAUSES: Readonly<Record<string, string>> = { TestClause: "[[", ArithmCmd: "((", LetClause: "let" };

export function collectStatements(tree: Tree): Statement[] {
  return tree.nodes.flatMap((node) => {
    if (node.kind === "Stmt") return statementOf(tree, node as StmtNode);
    return node.kind === "WordIter" ? [loopOf(node as LoopNode)] : [];
  });
}

function statementOf(tree: Tree, stmt: StmtNode): Statement[] {
  const kind = stmt.Cmd?.kind ?? "";
  if (kind === "CallExpr") return [callOf(tree, stmt)];
  if (kind === "DeclClause" || Object.hasOwn(CLAUSES, kind)) return [clauseOf(tree, stmt, kind)];
  return stmt.Redirs.map((redirect) => ({
    ...bare(tree.sourceOf(redirect)),
    input: inputOf([redirect]),
  }));
}

function callOf(tree: Tree, stmt: StmtNode): Statement {
  const { Args, Assigns } = stmt.Cmd as CallNode;
  const [first, ...rest] = Args;
  const name = first === undefined ? "" : findName(first);
  const words = [...(first === undefined ? [] : [name]), ...rest.map((word) => findValue(word))];
  const set = SETTERS.has(name ?? "") ? words.slice(1).flatMap((word) => namesIn(word ?? "")) : [];
  return {
    source: sourceOf(tree, stmt),
    name,
    words,
    assigns: [...Assigns.flatMap(namesOf), ...set],
    input: inputOf(stmt.Redirs),
  };
}

function clauseOf(tree: Tree, stmt: StmtNode, kind: string): Statement {
  const clause = stmt.Cmd as unknown as { readonly Variant: LitNode; readonly Args: readonly AssignNode[] };
  const name = kind === "DeclClause" ? clause.Variant.Value : CLAUSES[kind]!;
  const assigns = kind === "DeclClause" ? clause.Args.flatMap(namesOf) : [];
  return { ...bare(sourceOf(tree, stmt)), name, words: [name], assigns };
}

function loopOf({ Name }: LoopNode): Statement {
  return { ...bare(""), assigns: [Name.Value] };
}

function bare(source: string): Statement {
  return { source, name: "", words: [], assigns: [], input: [] };
}

/** From the first of command and redirections to the last; without `!`, `&` and what here-documents hold. */
function sourceOf(tree: Tree, stmt: StmtNode): string {
  const redirects = stmt.Redirs.map(({ from, to, Word }) => ({ from, to: Word?.to ?? to }));
  const spans = [stmt.Cmd!, ...redirects];
  const from = Math.min(...spans.map((span) => span.from));
  return tree.sourceOf({ from, to: Math.max(...spans.map((span) => span.to)) });
}

function inputOf(redirects: readonly RedirectNode[]): (string | undefined)[] {
  return redirects.flatMap(({ Op, Word, Hdoc }) => {
    if (Op === OPERATOR.hereString && Word !== null) return [findValue(Word)];
    return Hdoc === null ? [] : [hereDocument(Hdoc)];
  });
}

function hereDocument({ Parts }: WordNode): string | undefined {
  return Parts.every(({ kind }) => kind === "Lit")
    ? Parts.map((part) => (part as LitNode).Value).join("")
    : undefined;
}

function namesOf({ Name, Naked }: AssignNode): string[] {
  return Name === null || Naked ? [] : [Name.Value];
}

function namesIn(word: string): string[] {
  const name = /^([A-Za-z_]\w*)(?:\+?=|\[|$)/.exec(word)?.[1];
  return name === undefined ? [] : [name];
}
