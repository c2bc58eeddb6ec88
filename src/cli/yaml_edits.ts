// Adds a value to the text of a YAML document, or removes one. Every other byte stays: the library's own print rounds
// numbers, and changes indentation and styles.
import { Document, isMap, isScalar, type Node, parseDocument, type Scalar } from "yaml";
import { type ConfigTable, type KeyPath, lineEnd, nested } from "./config_table.ts";

/** A key and its value in a block mapping. */
interface BlockPair {
  key: Scalar;
  value: Node | null;
}

/** Returns the text with a value at a path that has none, before what else is in the innermost mapping there. */
export function addToYaml(text: string, path: KeyPath, value: ConfigTable): string {
  const pairs = pairsAlong(text, path);
  const missing = nested(path.slice(pairs.length), value);
  const last = pairs.at(-1);
  if (last === undefined) return endLine(text) + printYaml(missing, text);
  const bare = withoutEmptyValue(text, last);
  const after = nextLine(bare, endOf(last.key));
  const [first] = pairsIn(last.value);
  const indent = first ? columnOf(text, first.key) : columnOf(text, last.key) + 2;
  const lines = printYaml(missing, text).replaceAll(/^(?=.)/gm, " ".repeat(indent));
  return endLine(bare.slice(0, after)) + lines + bare.slice(after);
}

/** Returns the text without the lines of the value at a path. */
export function removeFromYaml(text: string, path: KeyPath): string {
  const pairs = pairsAlong(text, path);
  const own = pairs[path.length - 1];
  if (own === undefined) return text;
  const start = own.key.range![0] - columnOf(text, own.key);
  const end = endOf(own.value ?? own.key);
  const rest = text.slice(0, start) + text.slice(text[end - 1] === "\n" ? end : nextLine(text, end));
  const parent = pairs.at(-2);
  return parent && pairsIn(parent.value).length === 1 ? withEmptyValue(rest, parent) : rest;
}

export function printYaml(data: ConfigTable, beside = ""): string {
  return new Document(data).toString({ lineWidth: 0 }).replaceAll("\n", lineEnd(beside));
}

/** The pairs along a path, as far as there are block mappings. */
function pairsAlong(text: string, path: KeyPath): BlockPair[] {
  const pairs: BlockPair[] = [];
  let node = parseDocument(text).contents as Node | null;
  for (const key of path) {
    const pair = pairsIn(node).find((each) => each.key.value === key);
    if (pair === undefined) break;
    pairs.push(pair);
    node = pair.value;
  }
  return pairs;
}

function pairsIn(node: Node | null): BlockPair[] {
  return isMap(node) && !node.flow ? node.items.filter(({ key }) => isScalar(key)) as BlockPair[] : [];
}

function endOf(node: Node): number {
  return node.range![1];
}

function columnOf(text: string, { range }: Scalar): number {
  return range![0] - text.lastIndexOf("\n", range![0]) - 1;
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end + 1;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + lineEnd(text);
}

/** Lines can follow a key only if nothing is written as its value. */
function withoutEmptyValue(text: string, { value }: BlockPair): string {
  const [start, end] = value?.range ?? [0, 0];
  const isEmpty = /^(\{\s*\}|null|~)$/i.test(text.slice(start, end));
  return isEmpty ? text.slice(0, start).trimEnd() + text.slice(end) : text;
}

/** A mapping whose last pair is removed would become null. */
function withEmptyValue(text: string, { key }: BlockPair): string {
  const colon = text.indexOf(":", endOf(key)) + 1;
  return `${text.slice(0, colon)} {}${text.slice(colon)}`;
}
