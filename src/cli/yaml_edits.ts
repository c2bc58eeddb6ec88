// Adds a value to the text of a YAML document, or removes one. Every other byte stays: the library's own print rounds
// numbers, and changes indentation and styles.
import { Document, isMap, isScalar, type Node, parseDocument, type Scalar, type YAMLMap } from "yaml";
import { isObject } from "../json.ts";
import { type ConfigTable, type KeyPath, lineEnd, nested } from "./config_table.ts";

interface YamlPair {
  key: Scalar;
  value: Node | null;
}

/** The line that ends a document. */
const DOCUMENT_END = /^\.\.\.(?=\s|$)/m;

/** Returns the text with a value at a path that has none, before what else is in the innermost mapping there. */
export function addToYaml(text: string, path: KeyPath, value: ConfigTable): string {
  const { root, pairs } = pairsAlong(text, path);
  const missing = nested(path.slice(pairs.length), value);
  const last = pairs.at(-1);
  const inner = last === undefined ? root : last.value;
  if (isFlow(inner) && (!isWrittenEmpty(text, inner) || isWithinFlow(root, pairs))) {
    return addToFlow(text, inner, missing);
  }
  if (last === undefined) {
    const end = DOCUMENT_END.exec(text)?.index ?? text.length;
    return endLine(text.slice(0, end)) + printYaml(missing, text) + text.slice(end);
  }
  const bare = withoutEmptyValue(text, last);
  const after = nextLine(bare, endOf(last.key));
  const [first] = pairsIn(last.value);
  const indent = first ? columnOf(text, first.key) : columnOf(text, last.key) + 2;
  const lines = printYaml(missing, text).replaceAll(/^(?=.)/gm, " ".repeat(indent));
  return endLine(bare.slice(0, after)) + lines + bare.slice(after);
}

export function removeFromYaml(text: string, path: KeyPath): string {
  const { root, pairs } = pairsAlong(text, path);
  const own = pairs[path.length - 1];
  if (own === undefined) return text;
  const parent = pairs.at(-2);
  if (isFlow(parent ? parent.value : root)) return removeFromFlow(text, own);
  const start = own.key.range![0] - columnOf(text, own.key);
  const end = endOf(own.value ?? own.key);
  const rest = text.slice(0, start) + text.slice(text[end - 1] === "\n" ? end : nextLine(text, end));
  return parent && pairsIn(parent.value).length === 1 ? withEmptyValue(rest, parent) : rest;
}

/** Adds to the front of a mapping in braces, with the blanks that follow its brace. */
function addToFlow(text: string, map: YAMLMap, value: ConfigTable): string {
  const at = map.range![0] + 1;
  const blanks = /^\s*/.exec(text.slice(at))![0];
  const comma = map.items.length === 0 ? "" : blanks === "" ? ", " : ",";
  return text.slice(0, at) + blanks + printFlow(value) + comma + text.slice(at);
}

/** Removes a pair from a mapping in braces, with one comma and the blanks beside it. */
function removeFromFlow(text: string, { key, value }: YamlPair): string {
  const [before, after] = [text.slice(0, key.range![0]), text.slice(endOf(value ?? key))];
  const rest = after.replace(/^(?:((?:\s*#.*\r?\n)+\s*),[ \t]*|\s*,)/, "$1");
  const startsLine = /^[ \t]*(#.*)?\r?\n/.test(rest);
  // The rest of this line must not join a comment on the line before; a comma there may be part of the comment.
  if (/#.*\r?\n\s*$/.test(before)) return startsLine ? before.trimEnd() + rest : before + rest.trimStart();
  if (rest === after) return before.replace(/,?\s*$/, "") + after;
  return before.trimEnd() + (/\s$/.test(before) ? rest : rest.replace(/^[ \t]+(?![ \t#])/, ""));
}

function printFlow(value: ConfigTable): string {
  const pairs = Object.entries(value).map(([key, each]) => {
    const name = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    return `${name}: ${isObject(each) ? `{${printFlow(each)}}` : JSON.stringify(each)}`;
  });
  return pairs.join(", ");
}

export function printYaml(data: ConfigTable, beside = ""): string {
  return new Document(data).toString({ lineWidth: 0 }).replaceAll("\n", lineEnd(beside));
}

/** The outermost mapping, and the pairs along a path, as far as there are mappings. */
function pairsAlong(text: string, path: KeyPath): { root: Node | null; pairs: YamlPair[] } {
  const pairs: YamlPair[] = [];
  const root = parseDocument(text).contents as Node | null;
  for (const key of path) {
    const pair = pairsIn(pairs.length === 0 ? root : pairs.at(-1)!.value).find((each) =>
      each.key.value === key
    );
    if (pair === undefined) break;
    pairs.push(pair);
  }
  return { root, pairs };
}

function pairsIn(node: Node | null): YamlPair[] {
  return isMap(node) ? node.items.filter(({ key }) => isScalar(key)) as YamlPair[] : [];
}

/** True for a mapping in braces. */
function isFlow(node: Node | null): node is YAMLMap {
  return isMap(node) && node.flow === true;
}

function isWithinFlow(root: Node | null, pairs: readonly YamlPair[]): boolean {
  return [root, ...pairs.slice(0, -1).map(({ value }) => value)].some(isFlow);
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

/** Removes an empty value after a key, because lines can follow the key only without one. */
function withoutEmptyValue(text: string, { value }: YamlPair): string {
  if (value === null || !isWrittenEmpty(text, value)) return text;
  return text.slice(0, value.range![0]).trimEnd() + text.slice(endOf(value));
}

/** True for an empty value (`{}`, `null` or `~`) without a comment. */
function isWrittenEmpty(text: string, node: Node): boolean {
  return /^(\{\s*\}|null|~)$/i.test(text.slice(node.range![0], endOf(node)));
}

/** A mapping whose last pair is removed would become null. */
function withEmptyValue(text: string, { key }: YamlPair): string {
  const colon = text.indexOf(":", endOf(key)) + 1;
  return `${text.slice(0, colon)} {}${text.slice(colon)}`;
}
