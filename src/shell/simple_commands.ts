// Finds the simple commands in a parsed text: each as it was written, and as far as it can be told what it runs.
import type { AssignNode, CallNode, LitNode, RedirectNode, StmtNode, Tree, WordNode } from "./grammar.ts";
import { OPERATOR } from "./grammar.ts";
import { findName, findValue } from "./words.ts";

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
  const found: Statement[] = [];
  tree.walk((node, kind) => {
    if (kind === "Stmt") found.push(...statementOf(tree, node as StmtNode));
    if (kind === "WordIter") found.push(loopOf(tree, node as unknown as { readonly Name: LitNode }));
  });
  return found;
}

function statementOf(tree: Tree, stmt: StmtNode): Statement[] {
  const kind = stmt.Cmd === null ? "" : tree.kindOf(stmt.Cmd);
  if (stmt.Cmd !== null && kind === "CallExpr") return [callOf(tree, stmt)];
  if (stmt.Cmd !== null && (kind === "DeclClause" || kind in CLAUSES)) return [clauseOf(tree, stmt, kind)];
  return stmt.Redirs.map((redirect) => ({
    ...bare(tree.sourceOf(redirect)),
    input: inputOf(tree, [redirect]),
  }));
}

function callOf(tree: Tree, stmt: StmtNode): Statement {
  const { Args, Assigns } = stmt.Cmd as CallNode;
  const [first, ...rest] = Args;
  const name = first === undefined ? "" : findName(first, tree);
  const words = [...(first === undefined ? [] : [name]), ...rest.map((word) => findValue(word, tree))];
  const set = SETTERS.has(name ?? "") ? words.slice(1).flatMap((word) => namesIn(word ?? "")) : [];
  return {
    source: sourceOf(tree, stmt),
    name,
    words,
    assigns: [...Assigns.flatMap(namesOf), ...set],
    input: inputOf(tree, stmt.Redirs),
  };
}

function clauseOf(tree: Tree, stmt: StmtNode, kind: string): Statement {
  const clause = stmt.Cmd as unknown as { readonly Variant: LitNode; readonly Args: readonly AssignNode[] };
  const name = kind === "DeclClause" ? clause.Variant.Value : CLAUSES[kind]!;
  const assigns = kind === "DeclClause" ? clause.Args.flatMap(namesOf) : [];
  return { ...bare(sourceOf(tree, stmt)), name, words: [name], assigns };
}

function loopOf(tree: Tree, { Name }: { readonly Name: LitNode }): Statement {
  const name = tree.sourceOf(Name);
  return { ...bare(""), assigns: [name] };
}

function bare(source: string): Statement {
  return { source, name: "", words: [], assigns: [], input: [] };
}

/** From the first of command and redirections to the last; without `!`, `&` and what here-documents hold. */
function sourceOf(tree: Tree, stmt: StmtNode): string {
  const redirects = stmt.Redirs.map(({ Pos, End, Word }) => ({ from: Pos(), to: Word?.End() ?? End() }));
  const spans = [{ from: stmt.Cmd!.Pos(), to: stmt.Cmd!.End() }, ...redirects];
  const first = spans.reduce((a, b) => a.from.Offset() <= b.from.Offset() ? a : b).from;
  const last = spans.reduce((a, b) => a.to.Offset() >= b.to.Offset() ? a : b).to;
  return tree.sourceOf({ Pos: () => first, End: () => last });
}

function inputOf(tree: Tree, redirects: readonly RedirectNode[]): (string | undefined)[] {
  return redirects.flatMap(({ Op, Word, Hdoc }) => {
    if (Op === OPERATOR.hereString && Word !== null) return [findValue(Word, tree)];
    return Hdoc === null ? [] : [hereDocument(tree, Hdoc)];
  });
}

function hereDocument(tree: Tree, body: WordNode): string | undefined {
  return body.Parts.every((part) => tree.kindOf(part) === "Lit")
    ? body.Parts.map((part) => (part as LitNode).Value).join("")
    : undefined;
}

function namesOf({ Name, Naked }: AssignNode): string[] {
  return Name === null || Naked ? [] : [Name.Value];
}

function namesIn(word: string): string[] {
  const name = /^([A-Za-z_]\w*)(?:\+?=|\[|$)/.exec(word)?.[1];
  return name === undefined ? [] : [name];
}
