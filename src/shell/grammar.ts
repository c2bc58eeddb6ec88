// The shell grammar: mvdan's parser, loaded when it is first needed, and the shape of the trees it makes.
// sh-syntax is the newer build of the same parser, but its trees end at the top-level statements.
import process from "node:process";
import { type GoObject, readTree } from "./go_tree.ts";

/** A node of the tree; which fields it has depends on its kind. */
export interface Node {
  /** As the parser names it: `Stmt`, `CallExpr`, `Word`. */
  readonly kind: string;
  /** Bytes from the start of the text. */
  readonly from: number;
  readonly to: number;
}

export interface WordNode extends Node {
  readonly Parts: readonly Node[];
}

export interface LitNode extends Node {
  readonly Value: string;
}

export interface QuotedNode extends LitNode {
  /** Written as `$'…'` or `$"…"`. */
  readonly Dollar: boolean;
}

export interface RedirectNode extends Node {
  readonly Op: number;
  readonly Word: WordNode | null;
  readonly Hdoc: WordNode | null;
}

export interface StmtNode extends Node {
  readonly Cmd: Node | null;
  readonly Redirs: readonly RedirectNode[];
}

export interface AssignNode extends Node {
  readonly Name: LitNode | null;
  /** Named without a value: `export A`. */
  readonly Naked: boolean;
  /** `A+=1`. */
  readonly Append: boolean;
  readonly Value: WordNode | null;
  readonly Index: Node | null;
  readonly Array: Node | null;
}

export interface CallNode extends Node {
  readonly Assigns: readonly AssignNode[];
  readonly Args: readonly WordNode[];
}

/** Redirection operators by the numbers the parser gives them. */
export const OPERATOR = {
  hereDocument: 61,
  hereDash: 62,
  hereString: 63,
  allOut: 64,
  allAppend: 65,
} as const;

/** The languages it reads. POSIX is what dash runs; bash's is read for everything else. */
export type Language = "bash" | "posix";

export interface ParseFailure {
  readonly kind: "failure";
  readonly message: string;
  /** The text ended where more was needed. */
  readonly incomplete: boolean;
  /** 1-based, where it stopped making sense. */
  readonly line: number;
}

export interface Tree {
  readonly kind: "tree";
  /** Every node, parents first. */
  readonly nodes: readonly Node[];
  /** The source text of a node, or of any stretch. */
  sourceOf(stretch: Pick<Node, "from" | "to">): string;
}

export interface Grammar {
  parse(text: string, language: Language): Tree | ParseFailure;
}

interface Syntax {
  readonly LangBash: number;
  readonly LangPOSIX: number;
  Variant(language: number): unknown;
  KeepComments(keep: boolean): unknown;
  NewParser(...options: unknown[]): { Parse(text: string, name: string): Readonly<Record<string, GoObject>> };
  IsIncomplete(error: unknown): boolean;
}

/** Loads the parser: about 100 ms and 40 MB the first time, nothing after. */
export async function loadGrammar(): Promise<Grammar> {
  const { default: { syntax } } = await withoutEnvironment(() => import("mvdan-sh")) as unknown as {
    default: { syntax: Syntax };
  };
  return { parse: (text, language) => parse(syntax, { text, language }) };
}

/** As it loads, the parser lists the whole environment, which the server has no permission to and no use for. */
async function withoutEnvironment<T>(load: () => Promise<T>): Promise<T> {
  const whole = Object.getOwnPropertyDescriptor(process, "env")!;
  Object.defineProperty(process, "env", { ...whole, value: {} });
  try {
    return await load();
  } finally {
    Object.defineProperty(process, "env", whole);
  }
}

/** Where GopherJS keeps the Go object in what it hands out. */
const WRAPPED = "__internal_object__";
const DECODER = new TextDecoder();

interface Source {
  readonly text: string;
  readonly language: Language;
}

function parse(syntax: Syntax, { text, language }: Source): Tree | ParseFailure {
  const variant = language === "bash" ? syntax.LangBash : syntax.LangPOSIX;
  // A parser is not used again: one that failed deep inside keeps what it was doing.
  const parser = syntax.NewParser(syntax.Variant(variant), syntax.KeepComments(true));
  try {
    const nodes = readTree(parser.Parse(text, "")[WRAPPED]!);
    const bytes = new TextEncoder().encode(text);
    return { kind: "tree", nodes, sourceOf: ({ from, to }) => DECODER.decode(bytes.subarray(from, to)) };
  } catch (error) {
    return failureOf(syntax, error);
  }
}

function failureOf(syntax: Syntax, error: unknown): ParseFailure {
  if (error instanceof Error) {
    return { kind: "failure", message: "the parser gave up on it", incomplete: false, line: 1 };
  }
  const said = (error as { Error(): string }).Error();
  const [, line = "1", message = said] = /^(\d+):\d+: (.*)$/s.exec(said) ?? [];
  return { kind: "failure", message, incomplete: syntax.IsIncomplete(error), line: Number(line) };
}
