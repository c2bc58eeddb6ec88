// Edits the text of a JSON, TOML or YAML document in one place and leaves the rest unchanged.
import { parse as parseToml, stringify as stringifyToml } from "@std/toml";
import { createScanner, parse as parseJson, type ParseError, printParseErrorCode } from "jsonc-parser";
import { parseDocument } from "yaml";
import { type ConfigTable, type KeyPath, lineEnd, nested } from "./config_table.ts";
import { addMember, removeMember } from "./json_edits.ts";
import { addToYaml, printYaml, removeFromYaml } from "./yaml_edits.ts";

interface DocumentFormat {
  /**
   * Parses the text.
   * @throws {Error} with the reason, if it can't be parsed
   */
  parse(text: string): unknown;
  print(data: ConfigTable): string;
  /** Returns the text with a value added at a path that has none. */
  add(text: string, path: KeyPath, value: ConfigTable): string;
  /** Returns the text without the value at a path. */
  remove(text: string, path: KeyPath): string;
}

/** JSON with comments and trailing commas. */
const json: DocumentFormat = {
  parse(text) {
    if (hasNoValue(text)) return null;
    const errors: ParseError[] = [];
    const data: unknown = parseJson(text.replace(BOM, " "), errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first === undefined) return data;
    const line = text.slice(0, first.offset).split("\n").length;
    throw new Error(`it is not JSON: ${printParseErrorCode(first.error)} in line ${line}`);
  },
  print: (data) => JSON.stringify(data, null, 2) + "\n",
  add: (text, path, value) =>
    afterMark(text, (rest) => {
      if (!hasNoValue(rest)) return addMember(rest, path, value);
      const added = `${rest.trimEnd()}\n${json.print(nested(path, value))}`.trimStart();
      return added.replaceAll(/\r?\n/g, lineEnd(rest));
    }),
  remove: (text, path) => afterMark(text, (rest) => removeMember(rest, path)),
};

/** Byte order mark, with which some editors begin files. */
const BOM = "\ufeff";

/** True for JSON that consists of comments. */
function hasNoValue(text: string): boolean {
  const scanner = createScanner(text.replace(BOM, " "), true);
  scanner.scan();
  return scanner.getTokenOffset() === text.length;
}

/** Returns the text as it is edited without its mark. */
function afterMark(text: string, edit: (rest: string) => string): string {
  return text.startsWith(BOM) ? BOM + edit(text.slice(BOM.length)) : edit(text);
}

const toml: DocumentFormat = {
  parse(text) {
    try {
      return parseToml(text);
    } catch (error) {
      const { message, line } = error as Error & { line?: number };
      const place = line === undefined ? "" : ` in line ${line}`;
      throw new Error(`it is not TOML: ${message.split("\n")[0]}${place}`);
    }
  },
  print: (data) => stringifyToml(data),
  add(text, path, value) {
    const eol = lineEnd(text);
    const isApart = text === "" || text.endsWith(eol + eol);
    const gap = isApart ? "" : text.endsWith("\n") ? eol : eol + eol;
    return text + gap + stringifyToml(nested(path, value)).trimEnd().replaceAll("\n", eol) + eol;
  },
  // Removes the table of that name and the tables inside it. Comments above the next header belong to that one.
  remove(text, path) {
    return text.split(/^(?=[ \t]*\[)/m).map((section) => {
      const keys = tableKeys(section);
      const isOwn = path.every((key, index) => key === keys[index]);
      return isOwn ? trailingComments(section) : section;
    }).join("");
  },
};

/** Returns the keys in the header of a TOML table; none for text that does not begin with a header. */
function tableKeys(section: string): string[] {
  const header = /^\s*(\[.*)/.exec(section)?.[1] ?? "";
  const keys: string[] = [];
  try {
    let table: unknown = parseToml(header);
    while (typeof table === "object" && table !== null) {
      const [key] = Object.keys(table);
      if (key === undefined) break;
      keys.push(key);
      table = (table as ConfigTable)[key];
    }
  } catch {
    // A line of an array may also begin with a bracket.
  }
  return keys;
}

function trailingComments(text: string): string {
  const lines = text.split(/(?<=\n)/);
  return lines.slice(lines.findLastIndex((line) => !/^\s*(#|$)/.test(line)) + 1).join("");
}

const yaml: DocumentFormat = {
  parse(text) {
    const document = parseDocument(text);
    const [first] = document.errors;
    if (first !== undefined) {
      throw new Error(`it is not YAML: ${first.message.split("\n")[0]!.replace(/:$/, "")}`);
    }
    return document.toJS();
  },
  print: (data) => printYaml(data),
  add: (text, path, value) => afterMark(text, (rest) => addToYaml(rest, path, value)),
  remove: (text, path) => afterMark(text, (rest) => removeFromYaml(rest, path)),
};

export const DOCUMENT_FORMATS = { json, toml, yaml } as const satisfies Record<string, DocumentFormat>;
