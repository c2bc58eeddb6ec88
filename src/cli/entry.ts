// Adds our entry to the text of a client's configuration, or removes it, and changes nothing else.
import { AppError } from "../errors.ts";
import { isPlainObject } from "../json.ts";
import { type ClientConfig, clientOf, commandOf, ENTRY_NAME, isTurnedOff } from "./clients.ts";
import { type ConfigTable, nested } from "./config_table.ts";
import { DOCUMENT_FORMATS } from "./documents.ts";
import type { LaunchCommand } from "./own_command.ts";
import { startsThisProgram } from "./own_entry.ts";

/** A client's configuration as text; empty if there is none yet. */
export interface ConfigText {
  path: string;
  text: string;
}

export interface EntryEdit {
  /** Allows replacing or removing an entry with our name that starts another program or has other options. */
  force: boolean;
}

/** The entry alone, in the form that the client documents for such a file. */
export function entryText(client: ClientConfig, launch: LaunchCommand, config?: ConfigText): string {
  const data = (config && parseEdited(client, config)) ?? {};
  const { servers, entry, format } = clientOf(client, data);
  return DOCUMENT_FORMATS[format].print(nested([...servers, ENTRY_NAME], entry(launch)));
}

/**
 * Returns the text with the entry added; undefined if it already has it. Without `force`, an entry with the same command
 * may lack members; `missingMembers` lists them.
 * @throws {AppError} if the text can't be parsed, or if an entry with our name runs another command and
 * `force` isn't set
 */
export function addEntry(
  client: ClientConfig,
  config: ConfigText,
  { launch, force }: EntryEdit & { launch: LaunchCommand },
): string | undefined {
  const form = clientOf(client, readData(client, config));
  const entry = form.entry(launch);
  const present = readServers(client, config)[ENTRY_NAME];
  if (present === undefined) return edited(client, config, entry);
  const isOurs = JSON.stringify(commandOf(present)) === JSON.stringify(commandOf(entry));
  const isOff = isTurnedOff(present);
  if (isOurs && !isOff && !(force && membersMissing(present, entry).length > 0)) return undefined;
  if (!force) {
    const runs = `runs ${commandOf(present).join(" ") || "something else"}`;
    throw refusal(config, `its entry "${ENTRY_NAME}" ${isOurs ? "is turned off" : runs}`, {
      hint: `Use --force to ${isOurs ? "turn it on" : "replace that entry"}`,
    });
  }
  return edited(client, { ...config, text: edited(client, config, undefined) }, replacement(present, entry));
}

/** Names of the limits and lists that an entry which starts our command lacks, such as one that `codex mcp add` wrote. */
export function missingMembers(client: ClientConfig, config: ConfigText, launch: LaunchCommand): string[] {
  const present = readServers(client, config)[ENTRY_NAME];
  return membersMissing(present, clientOf(client, readData(client, config)).entry(launch));
}

function membersMissing(present: unknown, entry: ConfigTable): string[] {
  if (!isPlainObject(present)) return [];
  const whole = Object.entries(replacement(present, entry));
  const counted = whole.filter(([, value]) =>
    typeof value === "number" || typeof value === "object" && value !== null && Object.keys(value).length > 0
  );
  return counted.filter(([key, value]) => !sameData(value, present[key])).map(([key]) => key);
}

/** Our entry, with what the person added to one that starts this program: variables, tools, time limits. */
function replacement(present: unknown, entry: ConfigTable): ConfigTable {
  if (!isPlainObject(present) || !startsThisProgram(present)) return entry;
  const ours = ["command", "cmd", "args", "enabled", "disabled"];
  const theirs = Object.fromEntries(Object.entries(present).filter(([key]) => !ours.includes(key)));
  const [given, needed] = [theirs["env_vars"], entry["env_vars"]];
  if (!Array.isArray(given) || !Array.isArray(needed)) return { ...entry, ...theirs };
  const names = given.map((each) => isPlainObject(each) ? each["name"] : each);
  return { ...entry, ...theirs, env_vars: [...given, ...needed.filter((name) => !names.includes(name))] };
}

/**
 * Returns the text without our entry; undefined if it has none.
 * @throws {AppError} if the text can't be parsed, or if the entry starts another program and `force` isn't set
 */
export function removeEntry(
  client: ClientConfig,
  config: ConfigText,
  { force }: EntryEdit,
): string | undefined {
  const present = readServers(client, config)[ENTRY_NAME];
  if (present === undefined) return undefined;
  if (!force && !startsThisProgram(present)) {
    const reason = `its entry "${ENTRY_NAME}" runs ${commandOf(present).join(" ") || "something else"}`;
    throw refusal(config, reason, { hint: "Use --force to remove it anyway" });
  }
  return edited(client, config, undefined);
}

/**
 * The servers in a configuration, by name.
 * @throws {AppError} if it can't be understood
 */
export function readServers(client: ClientConfig, config: ConfigText): ConfigTable {
  const data = readData(client, config);
  const path = clientOf(client, data).servers;
  const servers = path.reduce<unknown>((table, key) => (table as ConfigTable)[key] ?? {}, data);
  if (isPlainObject(servers)) return servers;
  throw refusal(config, `"${path.join(".")}" is not a table`);
}

/**
 * The parsed configuration.
 * @throws {AppError} if it can't be parsed
 */
export function readData(client: ClientConfig, config: ConfigText): ConfigTable {
  if (config.text.trim() === "") return {};
  const data = parse(client, config);
  // A file with only comments is parsed as null.
  if (data === null) return {};
  if (isPlainObject(data)) return data;
  throw refusal(config, "it is not an object");
}

function parse(client: ClientConfig, config: ConfigText): unknown {
  try {
    return DOCUMENT_FORMATS[client.format].parse(config.text);
  } catch (error) {
    throw refusal(config, (error as Error).message);
  }
}

function parseEdited(client: ClientConfig, config: ConfigText): ConfigTable | undefined {
  try {
    return readData(client, config);
  } catch {
    return undefined;
  }
}

/** Returns the text with our entry set or removed, and checks that nothing else has changed. */
function edited(client: ClientConfig, config: ConfigText, entry: ConfigTable | undefined): string {
  const data = readData(client, config);
  const { servers, format } = clientOf(client, data);
  const path = [...servers, ENTRY_NAME];
  const editor = DOCUMENT_FORMATS[format];
  const text = entry === undefined ? editor.remove(config.text, path) : editor.add(config.text, path, entry);
  const result = parseEdited(client, { ...config, text });
  if (!sameData(withoutEmpty(result, servers), withoutEmpty(withMember(data, path, entry), servers))) {
    throw refusal(config, `"${servers.join(".")}" is written in a way that cannot be edited`);
  }
  return text;
}

function withMember(data: ConfigTable, [key, ...path]: readonly string[], value: unknown): ConfigTable {
  const inner = path.length === 0 ? value : withMember((data[key!] ?? {}) as ConfigTable, path, value);
  const { [key!]: _, ...rest } = data;
  return inner === undefined ? rest : { ...rest, [key!]: inner };
}

/** The data without an empty table of servers, which equals a missing one because TOML can't express the difference. */
function withoutEmpty(data: ConfigTable | undefined, path: readonly string[]): ConfigTable | undefined {
  const servers = path.reduce<unknown>((table, key) => (table as ConfigTable | undefined)?.[key], data);
  const isEmpty = isPlainObject(servers) && Object.keys(servers).length === 0;
  return data !== undefined && isEmpty ? withMember(data, path, undefined) : data;
}

/** True if both are equal, whatever the order of keys. */
function sameData(one: unknown, other: unknown): boolean {
  const sorted = (_key: string, value: unknown): unknown =>
    isPlainObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
      : value;
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function refusal(
  { path }: ConfigText,
  reason: string,
  { hint = "Edit it by hand: init without --write prints the entry" }: { hint?: string } = {},
): AppError {
  return new AppError("invalid-argument", `Cannot use "${path}": ${reason}`, { hint });
}
