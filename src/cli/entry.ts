// Puts our entry into the text of a client's configuration, and changes nothing else in it.
import { parse as parseToml, stringify } from "@std/toml";
import { applyEdits, modify, parse as parseJson, type ParseError, printParseErrorCode } from "jsonc-parser";
import { AppError } from "../errors.ts";
import { type ClientConfig, clientOf, commandOf, ENTRY_NAME } from "./clients.ts";
import type { LaunchCommand } from "./own_command.ts";

type Table = Record<string, unknown>;

/** A client's configuration as text; empty where there is none yet. */
export interface ConfigText {
  path: string;
  text: string;
}

/** The entry alone, as the client's documentation would show it for such a file. */
export function entryText(client: ClientConfig, launch: LaunchCommand, config?: ConfigText): string {
  const data = (config && parseAdded(client, config)) ?? {};
  const { servers, entry, format } = clientOf(client, data);
  const whole = nested([...servers, ENTRY_NAME], entry(launch));
  return format === "toml" ? stringify(whole) : JSON.stringify(whole, null, 2) + "\n";
}

/**
 * The text with the entry added; undefined when it is there already.
 * @throws {AppError} when it cannot be parsed, or the name is taken by another command
 */
export function addEntry(
  client: ClientConfig,
  launch: LaunchCommand,
  config: ConfigText,
): string | undefined {
  const data = readData(client, config);
  const form = clientOf(client, data);
  const entry = form.entry(launch);
  const present = readServers(client, config)[ENTRY_NAME];
  if (present !== undefined) {
    const [theirs, ours] = [commandOf(present), commandOf(entry)].map((words) => words.join(" "));
    if (theirs === ours) return undefined;
    throw refusal(config, `its entry "${ENTRY_NAME}" runs ${theirs === "" ? "something else" : theirs}`);
  }
  const path = [...form.servers, ENTRY_NAME];
  const added = form.format === "toml"
    ? appendTable(entryText(client, launch), config.text)
    : insertMember(path, entry, config.text);
  if (!sameData(parseAdded(client, { ...config, text: added }), withMember(data, path, entry))) {
    throw refusal(config, `"${form.servers.join(".")}" is written in a way that nothing can be added to`);
  }
  return added;
}

/** The servers it has, by name. @throws {AppError} when it cannot be understood */
export function readServers(client: ClientConfig, config: ConfigText): Table {
  const data = readData(client, config);
  const path = clientOf(client, data).servers;
  const servers = path.reduce<unknown>((table, key) => (table as Table)[key] ?? {}, data);
  if (isTable(servers)) return servers;
  throw refusal(config, `"${path.join(".")}" is not a table`);
}

function nested(path: readonly string[], value: unknown): Table {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value) as Table;
}

function withMember(data: Table, [key, ...path]: readonly string[], value: unknown): Table {
  const inner = path.length === 0 ? value : withMember((data[key!] ?? {}) as Table, path, value);
  return { ...data, [key!]: inner };
}

/** All that it says. @throws {AppError} when it cannot be parsed */
export function readData(client: ClientConfig, config: ConfigText): Table {
  if (config.text.trim() === "") return {};
  const data = client.format === "toml" ? readToml(config) : readJson(config);
  if (isTable(data)) return data;
  throw refusal(config, "it is not an object");
}

function parseAdded(client: ClientConfig, config: ConfigText): Table | undefined {
  try {
    return readData(client, config);
  } catch {
    return undefined;
  }
}

function readToml(config: ConfigText): unknown {
  try {
    return parseToml(config.text);
  } catch (error) {
    throw refusal(config, `it is not TOML: ${String((error as Error).message).split("\n")[0]}`);
  }
}

function readJson(config: ConfigText): unknown {
  const errors: ParseError[] = [];
  const data: unknown = parseJson(config.text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return data;
  const line = config.text.slice(0, first.offset).split("\n").length;
  throw refusal(config, `it is not JSON: ${printParseErrorCode(first.error)} in line ${line}`);
}

function appendTable(table: string, text: string): string {
  const eol = lineEnd(text);
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return text + gap + table.trimEnd().replaceAll("\n", eol) + eol;
}

function insertMember(path: string[], value: unknown, text: string): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.length,
    eol: lineEnd(text),
  };
  const edited = applyEdits(text, modify(text, path, value, { formattingOptions }));
  return edited.endsWith("\n") ? edited : edited + lineEnd(text);
}

function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The same but for the order of keys. */
function sameData(one: unknown, other: unknown): boolean {
  const sorted = (_key: string, value: unknown): unknown =>
    isTable(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value;
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function refusal({ path }: ConfigText, reason: string): AppError {
  return new AppError("invalid-argument", `Cannot use "${path}": ${reason}`, {
    hint: "Mend it, or add the entry by hand: init prints it without --write",
  });
}
