// Adds a member to the text of a JSON document with comments, or removes one. Every other byte stays: the parser's own
// edits format the neighbours and move comments.
import { createScanner, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { type ConfigTable, type KeyPath, lineEnd, nested } from "./config_table.ts";

/** Comments after a member, up to the end of its line. */
const REST_OF_LINE = /^(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*[ \t]*(?:\/\/[^\r\n]*)?(?=\r?\n)/;
/** Comments after a member, with more text after them. */
const COMMENTS = /^(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*/;

/** Returns the text with a value at a path that has none, or null. It goes after the other members there. */
export function addMember(text: string, path: KeyPath, value: ConfigTable): string {
  const { node, depth } = findInnermost(parseTree(text)!, path);
  const [key, ...rest] = path.slice(depth);
  const end = endOf(node);
  if (node.type === "null") {
    const printed = print(nested(path.slice(depth), value), text, indentAt(text, node.offset));
    return text.slice(0, node.offset) + printed + text.slice(end);
  }
  const member: Member = { key: key!, value: nested(rest, value) };
  const last = node.children?.at(-1);
  return last === undefined ? addFirst(text, node, member) : addLast(text, last, member);
}

export function removeMember(text: string, path: KeyPath): string {
  const member = findNodeAtLocation(parseTree(text)!, [...path])?.parent;
  if (member === undefined) return text;
  const members = member.parent!.children!;
  const previous = members[members.indexOf(member) - 1];
  const comma = commaAfter(text, member);
  const before = previous && commaAfter(text, previous);
  const [start, end] = [member.offset, comma === undefined ? endOf(member) : comma + 1];
  if (before === undefined) return cut(text, start, end);
  // Without a comma after the member, the one before it is removed; the blanks between them are always removed.
  const isBeside = /^[ \t]*$/.test(text.slice(before + 1, start));
  const rest = cut(text, isBeside ? before + 1 : start, end);
  return comma === undefined ? cut(rest, before, before + 1) : rest;
}

interface Member {
  key: string;
  value: ConfigTable;
}

/** The innermost object along a path, or the null in place of one. */
function findInnermost(root: Node, path: KeyPath): { node: Node; depth: number } {
  let node = root;
  for (let depth = 0; depth < path.length; depth++) {
    const child = node.type === "null" ? undefined : findNodeAtLocation(node, [path[depth]!]);
    if (child === undefined) return { node, depth };
    node = child;
  }
  return { node, depth: path.length };
}

/** Adds a member to an object that has none, but may have comments. */
function addFirst(text: string, { offset }: Node, { key, value }: Member): string {
  const [before, after] = [text.slice(0, offset + 1), text.slice(offset + 1)];
  const outer = indentAt(text, offset);
  const indent = lineEnd(text) + outer + unitOf(text);
  const added = before + indent + `${JSON.stringify(key)}: ${print(value, text, outer + unitOf(text))}`;
  const isEmpty = /^\s*\}/.test(after);
  return isEmpty ? added + lineEnd(text) + outer + after.trimStart() : added + after;
}

/** Adds a member after the last one of an object: on its own line, if the last one ends a line. */
function addLast(text: string, last: Node, { key, value }: Member): string {
  const comma = commaAfter(text, last);
  const at = comma === undefined ? endOf(last) : comma + 1;
  const [before, after] = [text.slice(0, at) + (comma === undefined ? "," : ""), text.slice(at)];
  const name = JSON.stringify(key);
  const closing = comma === undefined ? "" : ",";
  const rest = REST_OF_LINE.exec(after)?.[0];
  if (rest === undefined) {
    const [comments] = COMMENTS.exec(after)!;
    return `${before}${comments} ${name}: ${inLine(value)}${closing}${after.slice(comments.length)}`;
  }
  const indent = indentAt(text, last.offset);
  const line = `${lineEnd(text)}${indent}${name}: ${print(value, text, indent)}${closing}`;
  return before + rest + line + after.slice(rest.length);
}

function print(value: ConfigTable, beside: string, indent: string): string {
  return JSON.stringify(value, null, unitOf(beside)).replaceAll("\n", lineEnd(beside) + indent);
}

/** JSON on one line, with a space after colons and commas. */
function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${inLine(each)}`);
  return `{${members.join(", ")}}`;
}

/** One step of the text's indentation. */
function unitOf(text: string): string {
  return /^([ \t]+)[^\s*]/m.exec(text)?.[1] ?? "  ";
}

function indentAt(text: string, place: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", place - 1) + 1))![0];
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Place of the comma after a node; undefined if none follows. */
function commaAfter(text: string, node: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(node));
  scanner.scan();
  const place = scanner.getTokenOffset();
  return text[place] === "," ? place : undefined;
}

/** Returns the text without a range, and without the line that this leaves empty or the blanks that it doubles. */
function cut(text: string, from: number, to: number): string {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const indent = /(?<=\n)[ \t]*$/.exec(before);
  const rest = /^[ \t]*\r?\n/.exec(after);
  if (indent && rest) return before.slice(0, indent.index) + after.slice(rest[0].length);
  return (/\S[ \t]+$/.test(before) && /^[ \t]/.test(after) ? before.trimEnd() : before) + after;
}
