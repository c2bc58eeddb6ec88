// Finds and reads the configuration file: raw values by key.
import { ConfigError, type OptionName } from "./types.ts";
import { ROWS } from "./table.ts";
import { unknownWord } from "./suggest.ts";
import { isPlainObject } from "../json.ts";

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  readonly values: ReadonlyMap<OptionName, unknown>;
}

/** Returns a file's text; undefined if it doesn't exist. Throws if it can't be read. */
export type ReadFile = (path: string) => string | undefined;

type TomlTable = Readonly<Record<string, unknown>>;

/**
 * Reads the named file, or the user's own if it exists.
 * @throws {ConfigError} for a missing named file, bad TOML, or an unknown key
 */
export async function loadConfigFile(
  named: string | undefined,
  env: Readonly<Record<string, string>>,
  readFile: ReadFile,
): Promise<ConfigFile | undefined> {
  const path = named ?? defaultPath(env);
  const text = path === undefined ? undefined : read(path, readFile);
  if (path !== undefined && text !== undefined) {
    return { path, text, values: collect(await parseToml(text, path), "", path) };
  }
  if (named !== undefined) {
    throw new ConfigError(`Cannot read the configuration file "${named}": there is no such file`);
  }
  return undefined;
}

function defaultPath({ XDG_CONFIG_HOME: xdg = "", HOME: home = "" }: Readonly<Record<string, string>>) {
  if (xdg.startsWith("/")) return `${xdg}/tmux-mcp/config.toml`;
  return home === "" ? undefined : `${home}/.config/tmux-mcp/config.toml`;
}

function read(path: string, readFile: ReadFile): string | undefined {
  try {
    return readFile(path);
  } catch (error) {
    throw new ConfigError(`Cannot read the configuration file "${path}": ${firstLine(error)}`);
  }
}

async function parseToml(text: string, path: string): Promise<TomlTable> {
  const { parse } = await import("@std/toml");
  try {
    return parse(text);
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    const place = line === undefined ? "" : ` at line ${line}, column ${column}`;
    throw new ConfigError(`Cannot read the configuration file "${path}"${place}: ${firstLine(error)}`);
  }
}

/** Returns a number that JSON lacks, infinite or none, as the file has it under a key. */
export function writtenNumber(key: string, { text }: ConfigFile): string | undefined {
  const word = key.split(".").at(-1)!;
  const written = text.matchAll(new RegExp(`\\b${word}["']?\\s*=\\s*([-+.\\w]+)`, "g"));
  return [...written].map(([, number]) => number!).find((number) => !Number.isFinite(Number(number)));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}

function collect(table: TomlTable, prefix: string, path: string): Map<OptionName, unknown> {
  const found = new Map<OptionName, unknown>();
  for (const [word, value] of Object.entries(table)) {
    const key = prefix + word;
    const option = ROWS.find(([, row]) => row.key === key);
    if (option !== undefined) found.set(option[0], value);
    else if (Object.hasOwn(REPLACED, key)) {
      throw new ConfigError(`Unknown key ${JSON.stringify(key)} in "${path}": remove it. ${REPLACED[key]}`);
    } else if (!ROWS.some(([, row]) => row.key.startsWith(`${key}.`))) throw unknownKey(key, prefix, path);
    else if (!isPlainObject(value)) {
      throw new ConfigError(`Bad value for [${key}] in "${path}": it must be a table`);
    } else for (const entry of collect(value, `${key}.`, path)) found.set(...entry);
  }
  return found;
}

const NO_CAPTURE = "Output is read as it is written; tracking.max_output_bytes limits what stays in memory";

/** Keys of another server's configuration files, with their replacement here. */
const REPLACED: Readonly<Record<string, string>> = {
  "tracking.capture_initial_lines": NO_CAPTURE,
  "tracking.capture_max_lines": NO_CAPTURE,
  "tracking.capture_backoff_factor": NO_CAPTURE,
  "tracking.tracking_deadline_seconds": "A command is tracked until it ends",
};

function unknownKey(key: string, prefix: string, path: string): ConfigError {
  const below = ROWS.filter(([, row]) => row.key.startsWith(prefix)).map(([, row]) =>
    row.key.slice(prefix.length)
  );
  const valid = [...new Set(below.map((rest) => prefix + rest.split(".")[0]))];
  return unknownWord({ what: "key", given: key, valid, where: ` in "${path}"` });
}
