// Finds text that a shell evaluates once more: arithmetic, subscripts and indirection run a `$(…)` that a variable holds.
import type {
  AssignNode,
  CallNode,
  LitNode,
  Node,
  QuotedNode,
  RedirectNode,
  StmtNode,
  Tree,
  WordNode,
} from "./grammar.ts";
import { findValue } from "./words.ts";

interface ParameterNode extends Node {
  /** `${!x}`. */
  readonly Excl: boolean;
  /** `${#x}`. */
  readonly Length: boolean;
  readonly Param: LitNode | null;
  readonly Index: Node | null;
  /** Not 0 in `${!x@}`, which lists names. */
  readonly Names: number;
}

interface LoopNode extends Node {
  readonly Name: LitNode;
  readonly Items: readonly WordNode[];
}

interface StepsNode extends Node {
  readonly Init: (Node & { readonly X?: WordNode; readonly Y?: WordNode }) | null;
}

interface RunNode extends StmtNode {
  readonly Background: boolean;
}

interface TestNode extends Node {
  readonly X: Node;
  readonly Y?: Node;
}

/** Where a node stands: plain text, inside `${…}`, or where it is read as arithmetic. */
type Place = "text" | "expansion" | "arithmetic";

/** In quotes inside `${…}` this means the same to every shell. */
const PLAIN = /^[\w\s.,:;=+@%/-]*$/;
/** `$#`, `$?`, `$$`, `$!` are numbers. */
const NUMBERS = /^[#?$!]$/;
const INTEGER = /^-?\d+$|^\{-?\d+\.\.-?\d+(\.\.-?\d+)?\}$/;
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;
/** `[` that is followed by something to run. */
const SUBSCRIPT = /\[[^\]]*(?:\$[({[]|`)/;

/** Says what cannot be told of the text; undefined where nothing in it is evaluated but numbers. */
export function findEvaluated(tree: Tree): string | undefined {
  const [root] = tree.nodes;
  return root && new Evaluation(tree).look(root, "text");
}

class Evaluation {
  readonly #tree: Tree;
  #variables: Map<string, Variable> | undefined;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  look(node: Node, place: Place): string | undefined {
    return this.#lookAt(node, place) ?? this.#lookInside(node, place);
  }

  #lookAt(node: Node, place: Place): string | undefined {
    switch (node.kind) {
      case "SglQuoted":
        if (place !== "text" && !PLAIN.test((node as QuotedNode).Value)) {
          return "quotes inside ${…}, $((…)) or a subscript mean different things to shells";
        }
        return undefined;
      case "Word":
        return SUBSCRIPT.test(findValue(node as WordNode) ?? "")
          ? "a subscript runs a command where it is evaluated"
          : undefined;
      case "Lit":
        return place === "arithmetic" ? this.#literal(node as LitNode) : undefined;
      case "CmdSubst":
        return place === "arithmetic" ? "arithmetic evaluates what a command prints" : undefined;
      case "ParamExp":
        return this.#parameter(node as ParameterNode, place);
      case "Redirect":
        return this.#redirect(node as RedirectNode);
      default:
        return undefined;
    }
  }

  #lookInside(node: Node, place: Place): string | undefined {
    for (const [field, value] of Object.entries(node)) {
      for (const child of [value].flat()) {
        if (typeof child !== "object" || child === null || !("kind" in child)) continue;
        const found = this.look(child as Node, this.#placeOf(node, field, place));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #placeOf(node: Node, field: string, place: Place): Place {
    switch (node.kind) {
      case "CmdSubst":
      case "ProcSubst":
        return "text";
      case "ArithmExp":
      case "ArithmCmd":
      case "LetClause":
      case "CStyleLoop":
      case "Slice":
        return "arithmetic";
      case "ParamExp":
        return field === "Index" ? "arithmetic" : field === "Param" ? "text" : "expansion";
      case "Assign":
      case "ArrayElem":
        return field === "Index" ? "arithmetic" : place;
      case "UnaryTest":
        return /^-[vR]/.test(this.#tree.sourceOf(node)) ? "arithmetic" : place;
      case "BinaryTest":
        return this.#compares(node as TestNode) ? "arithmetic" : place;
      default:
        return place;
    }
  }

  #compares({ X, Y }: TestNode): boolean {
    return Y !== undefined && COMPARES.test(this.#tree.sourceOf({ from: X.to, to: Y.from }).trim());
  }

  #literal({ Value, from }: LitNode): string | undefined {
    if (/[$`\\"']/.test(Value)) return "arithmetic or a subscript holds quoted text";
    const names = Value.replaceAll(/\b\d[\w#]*/g, "").match(/[A-Za-z_]\w*/g) ?? [];
    return names.map((name) => this.#name(name, from)).find((each) => each !== undefined);
  }

  #parameter({ Excl, Length, Param, Names, Index, from }: ParameterNode, place: Place): string | undefined {
    const name = Param?.Value ?? "";
    if (Excl && Names === 0 && !isAll(Index)) return `\${!${name}} evaluates what ${name} holds`;
    if (place !== "arithmetic" || Length || NUMBERS.test(name)) return undefined;
    return this.#name(name, from);
  }

  /** bash 5.2 expands the word of `>&word` twice. */
  #redirect(redirect: RedirectNode): string | undefined {
    const { Word } = redirect;
    if (Word === null || !/^\d*[<>]&/.test(this.#tree.sourceOf(redirect))) return undefined;
    return /^[\w./+-]+$/.test(findValue(Word) ?? "") ? undefined : ">& evaluates the word behind it twice";
  }

  /** A name in arithmetic stands for its value, evaluated: that must be a number of this text's own. */
  #name(name: string, at: number): string | undefined {
    this.#variables ??= readVariables(this.#tree.nodes);
    const known = this.#variables.get(name);
    const isNumber = known?.numeric === true &&
      (known.setAt <= at || known.loops.some(({ from, to }) => from <= at && at <= to));
    return isNumber ? undefined : `arithmetic evaluates what ${name} holds`;
  }
}

/** What the text itself makes of a variable. */
interface Variable {
  /** Nothing but numbers. */
  numeric: boolean;
  /** Where the first statement ends that sets it and stands by itself, so that it has run. */
  setAt: number;
  /** The loops it runs through. */
  readonly loops: Node[];
}

function readVariables(nodes: readonly Node[]): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  const of = (name: string): Variable => {
    const known = variables.get(name) ?? { numeric: true, setAt: Infinity, loops: [] };
    variables.set(name, known);
    return known;
  };
  for (const node of nodes) {
    if (node.kind === "Assign") {
      const { Name } = node as AssignNode;
      if (Name !== null) of(Name.Value).numeric &&= isNumeric(node as AssignNode);
    }
    // Any command may set what its arguments name, as `read x` does.
    for (const word of (node.kind === "CallExpr" ? (node as CallNode).Args.slice(1) : [])) {
      const name = /^[A-Za-z_]\w*/.exec(findValue(word) ?? "")?.[0];
      if (name !== undefined) of(name).numeric = false;
    }
    if (node.kind !== "ForClause") continue;
    const { Loop } = node as Node & { Loop: LoopNode & StepsNode };
    const name = Loop.kind === "WordIter" ? Loop.Name.Value : startedIn(Loop);
    if (name === undefined) continue;
    of(name).loops.push(node);
    if (Loop.kind === "WordIter") of(name).numeric &&= Loop.Items.every(isInteger);
  }
  for (const { Cmd, Background, to } of (nodes[0] as Node & { Stmts?: readonly RunNode[] })?.Stmts ?? []) {
    const { kind, Args = [], Assigns = [] } = Cmd as CallNode ?? {};
    if (Background || kind !== "CallExpr" || Args.length > 0) continue;
    for (const { Name, Append } of Assigns) {
      if (Name !== null && !Append) of(Name.Value).setAt = Math.min(of(Name.Value).setAt, to);
    }
  }
  return variables;
}

/** The variable that `for ((i=0; …))` begins with. */
function startedIn({ Init }: StepsNode): string | undefined {
  if (Init?.kind !== "BinaryArithm" || Init.X?.kind !== "Word" || Init.Y?.kind !== "Word") return undefined;
  return isInteger(Init.Y) ? findValue(Init.X) : undefined;
}

/** `${!x[@]}` lists indexes. */
function isAll(index: Node | null): boolean {
  return index?.kind === "Word" && /^[@*]$/.test(findValue(index as WordNode) ?? "");
}

function isInteger(word: WordNode): boolean {
  return INTEGER.test(findValue(word) ?? "");
}

/** Holds a number: written out, counted, or the outcome of arithmetic, which is looked at where it stands. */
function isNumeric({ Naked, Value, Array, Index }: AssignNode): boolean {
  if (Naked || Array !== null || Index !== null) return false;
  if (Value === null || isInteger(Value)) return true;
  const [part] = Value.Parts;
  return Value.Parts.length === 1 && (part!.kind === "ArithmExp" ||
    part!.kind === "ParamExp" &&
      ((part as ParameterNode).Length || NUMBERS.test((part as ParameterNode).Param?.Value ?? "")));
}
