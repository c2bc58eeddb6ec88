// The shell grammar: mvdan's parser, loaded when it is first needed, and the shape of the trees it makes.
// sh-syntax is the newer build of the same parser, but its trees end at the top-level statements.

/** Bytes from the start of the text. */
interface Position {
  Offset(): number;
}

/** A node of the tree; which fields it has depends on its kind. */
export interface Node {
  Pos(): Position;
  End(): Position;
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
  readonly Value: WordNode | null;
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
  /** Calls `enter` with each node and its kind, parents first. */
  walk(enter: (node: Node, kind: string) => void): void;
  kindOf(node: Node): string;
  /** The node's source text. */
  sourceOf(node: Node): string;
}

export interface Grammar {
  parse(text: string, language: Language): Tree | ParseFailure;
}

interface Syntax {
  readonly LangBash: number;
  readonly LangPOSIX: number;
  Variant(language: number): unknown;
  KeepComments(keep: boolean): unknown;
  NewParser(...options: unknown[]): { Parse(text: string, name: string): Node };
  IsIncomplete(error: unknown): boolean;
  NodeType(node: Node): string;
  Walk(node: Node, visit: (node: Node | null) => boolean): void;
}

/** Loads the parser: about 100 ms and 40 MB the first time, nothing after. */
export async function loadGrammar(): Promise<Grammar> {
  const { default: { syntax } } = await import("mvdan-sh") as unknown as { default: { syntax: Syntax } };
  return { parse: (text, language) => parse(syntax, { text, language }) };
}

interface Source {
  readonly text: string;
  readonly language: Language;
}

function parse(syntax: Syntax, { text, language }: Source): Tree | ParseFailure {
  const variant = language === "bash" ? syntax.LangBash : syntax.LangPOSIX;
  // A parser is not used again: one that failed deep inside keeps what it was doing.
  const parser = syntax.NewParser(syntax.Variant(variant), syntax.KeepComments(true));
  try {
    return treeOf(syntax, { file: parser.Parse(text, ""), bytes: new TextEncoder().encode(text) });
  } catch (error) {
    return failureOf(syntax, error);
  }
}

function treeOf(syntax: Syntax, { file, bytes }: { file: Node; bytes: Uint8Array }): Tree {
  const decoder = new TextDecoder();
  return {
    kind: "tree",
    walk: (enter) => walk(syntax, file, enter),
    kindOf: (node) => syntax.NodeType(node),
    sourceOf: (node) => decoder.decode(bytes.subarray(node.Pos().Offset(), node.End().Offset())),
  };
}

/** The parser's own walk leaves out what stands behind the colons of `${x:offset:length}`. */
function walk(syntax: Syntax, root: Node, enter: (node: Node, kind: string) => void): void {
  syntax.Walk(root, (node) => {
    if (node === null) return true;
    enter(node, syntax.NodeType(node));
    const slice =
      (node as { readonly Slice?: { readonly Offset: Node | null; readonly Length: Node | null } | null })
        .Slice;
    for (const part of [slice?.Offset, slice?.Length]) if (part) walk(syntax, part, enter);
    return true;
  });
}

function failureOf(syntax: Syntax, error: unknown): ParseFailure {
  if (error instanceof Error) {
    return { kind: "failure", message: "the parser gave up on it", incomplete: false, line: 1 };
  }
  const said = (error as { Error(): string }).Error();
  const [, line = "1", message = said] = /^(\d+):\d+: (.*)$/s.exec(said) ?? [];
  return { kind: "failure", message, incomplete: syntax.IsIncomplete(error), line: Number(line) };
}
