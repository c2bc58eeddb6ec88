// Reads the parser's tree out of the Go objects it is made of. The parser's own walk wraps each node anew, which
// takes 0.1 ms a node, and leaves out what stands behind the colons of `${x:offset:length}`.
import type { Node } from "./grammar.ts";

/** A Go struct as GopherJS keeps it: its fields by name, and a constructor that knows its type. */
export interface GoObject {
  readonly constructor: { readonly string?: string };
  readonly [field: string]: unknown;
}

interface GoSlice {
  readonly $array: readonly unknown[];
  readonly $offset: number;
  readonly $length: number;
}

interface GoNode {
  Pos(): { Offset(): number };
  End(): { Offset(): number };
}

const TYPE = "*syntax.";

/** Every node under the root, parents first, each with its fields. */
export function readTree(root: GoObject): Node[] {
  const nodes: Node[] = [];
  readNode(root, nodes);
  return nodes;
}

function readNode(object: GoObject, nodes: Node[]): Node {
  const { Pos, End } = object as unknown as GoNode;
  const node: Record<string, unknown> & Node = {
    kind: object.constructor.string!.slice(TYPE.length),
    from: Pos === undefined ? 0 : (object as unknown as GoNode).Pos().Offset(),
    to: End === undefined ? 0 : (object as unknown as GoNode).End().Offset(),
  };
  nodes.push(node);
  for (const [field, value] of Object.entries(object)) {
    if (field !== "$val") node[field] = readValue(value, nodes);
  }
  return node;
}

/** Nodes and lists of nodes as such, Go's strings of bytes as text, nil as null; positions are left out. */
function readValue(value: unknown, nodes: Node[]): unknown {
  if (typeof value === "string") return decode(value);
  if (typeof value !== "object" || value === null) return value;
  if (isSlice(value)) {
    return value.$array.slice(value.$offset, value.$offset + value.$length).map((item) =>
      readValue(item, nodes)
    );
  }
  const object = value as GoObject;
  const type = object.constructor.string ?? "";
  // Nil has no fields but itself.
  if (!type.startsWith(TYPE) || Object.keys(object).length < 2 || type === "*syntax.Pos") return null;
  return readNode(object, nodes);
}

function isSlice(value: object): value is GoSlice {
  return "$array" in value && "$length" in value;
}

function decode(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
