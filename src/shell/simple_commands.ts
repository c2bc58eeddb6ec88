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

interface PipeNode extends Node {
  readonly X: StmtNode;
  readonly Y: StmtNode;
}

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
  /** Variables it sets; undefined for one that depends on an expansion. */
  readonly assigns: readonly (string | undefined)[];
  /** Text it reads from here-documents and here-strings; undefined where one depends on an expansion. */
  readonly input: readonly (string | undefined)[];
  /** It reads what another command prints. */
  readonly piped: boolean;
}

/** Commands that set variables named by their arguments. */
const SETTERS = new Set(
  `read printf mapfile readarray getopts set setenv env export declare typeset local readonly let vared integer float
  private unset wait`.split(/\s+/),
);
/** Of these, the ones whose arguments name variables whatever they hold: an expansion may name any. */
const NAMERS = new Set(
  "read mapfile readarray getopts setenv export declare typeset local readonly vared integer float private unset"
    .split(" "),
);

/** Options whose argument is the name of a variable. */
const NAMING_OPTIONS: Readonly<Record<string, RegExp>> = {
  test: /^-[vR]$/,
  "[": /^-[vR]$/,
  set: /^[-+]A$/,
  wait: /^-p$/,
};

/** Commands the grammar knows by themselves, by the kind of their node. */
const CLAUSES: Readonly<Record<string, string>> = { TestClause: "[[", ArithmCmd: "((", LetClause: "let" };

export function collectStatements(tree: Tree): Statement[] {
  const isPiped = pipedIn(tree);
  return tree.nodes.flatMap((node) => {
    if (node.kind === "WordIter") return [loopOf(node as LoopNode)];
    if (node.kind !== "Stmt") return [];
    const piped = isPiped(node);
    return statementOf(tree, node as StmtNode).map((each) => ({ ...each, piped }));
  });
}

/** Tells what stands behind a `|`, however deep. Nodes come in the order of the text, so one pass will do. */
function pipedIn(tree: Tree): (node: Node) => boolean {
  const ends = new Map<number, number>();
  for (const node of tree.nodes) {
    if (node.kind !== "BinaryCmd") continue;
    const { X, Y } = node as PipeNode;
    if (/^\s*\|&?(?!\|)/.test(tree.sourceOf({ from: X.to, to: Y.from }))) {
      ends.set(Y.from, Math.max(Y.to, ends.get(Y.from) ?? 0));
    }
  }
  let until = 0;
  return ({ from }) => {
    until = Math.max(until, ends.get(from) ?? 0);
    return from < until;
  };
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
  const unknown = namesUnknown(words) ? [undefined] : [];
  return {
    source: sourceOf(tree, stmt),
    name,
    words,
    assigns: [...Assigns.flatMap(namesOf), ...set, ...unknown],
    input: inputOf(stmt.Redirs),
    piped: false,
  };
}

function clauseOf(tree: Tree, stmt: StmtNode, kind: string): Statement {
  const clause = stmt.Cmd as unknown as { readonly Variant: LitNode; readonly Args: readonly AssignNode[] };
  const name = kind === "DeclClause" ? clause.Variant.Value : CLAUSES[kind]!;
  const assigns = kind === "DeclClause" ? clause.Args.flatMap((arg) => declared(arg, clause.Args)) : [];
  return { ...bare(sourceOf(tree, stmt)), name, words: [name], assigns };
}

function loopOf({ Name }: LoopNode): Statement {
  return { ...bare(""), assigns: [Name.Value] };
}

function bare(source: string): Statement {
  return { source, name: "", words: [], assigns: [], input: [], piped: false };
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

/** What an argument of `declare` sets; in quotes too, and with options that evaluate the value. */
function declared(arg: AssignNode, all: readonly AssignNode[]): (string | undefined)[] {
  const value = arg.Value === null ? "" : findValue(arg.Value);
  if (arg.Name === null) return value === undefined || /[$`[]/.test(value) ? [undefined] : namesIn(value);
  if (arg.Naked) return [];
  const evaluates = all.some(({ Name, Value }) =>
    Name === null && Value !== null && /^[-+]\w*[aAinT]/.test(findValue(Value) ?? "-a")
  );
  const safe = value !== undefined && !/[$`[(]/.test(value);
  return evaluates && arg.Array === null && !safe ? [arg.Name.Value, undefined] : [arg.Name.Value];
}

/** Whether it sets, unsets or looks up a variable that cannot be told. */
function namesUnknown(words: readonly (string | undefined)[]): boolean {
  const [name = "", first, second] = words;
  const untold = (word: string | undefined): boolean => word === undefined || /\[.*[$`]/s.test(word);
  if (NAMERS.has(name)) return words.slice(1).some(untold);
  if (name === "printf") {
    return (first === undefined || first.startsWith("-v")) && words.length > 2 && untold(second);
  }
  const options = NAMING_OPTIONS[name];
  return options !== undefined && words.some((word, at) => options.test(word ?? "") && untold(words[at + 1]));
}

function namesIn(word: string): string[] {
  const name = /^([A-Za-z_]\w*)(?:\+?=|\[|$)/.exec(word)?.[1];
  return name === undefined ? [] : [name];
}
