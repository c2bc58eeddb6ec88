// Resolves configuration: flag over environment over file over default. Pure: everything it reads is passed in.
import { parseCommandLine } from "./config/command_line.ts";
import { loadConfigFile, type ReadFile, writtenNumber } from "./config/file.ts";
import { unknownWord } from "./config/suggest.ts";
import { checkValue } from "./config/value_schema.ts";
import { environmentNameOf, flagOf, type OptionRow } from "./config/option_row.ts";
import { withHome } from "./config/home_paths.ts";
import { expandHome } from "./home_folder.ts";
import { ROWS } from "./config/table.ts";
import {
  ConfigError,
  type OptionName,
  type Options,
  type ResolvedConfig,
  type Source,
} from "./config/types.ts";

export {
  type CliCommand,
  type CompletionsCommand,
  ConfigError,
  type Host,
  type InitClient,
  type InitCommand,
  type OptionName,
  type Options,
  type ResolvedConfig,
  type Source,
  type ToolFilter,
  type WatchCommand,
} from "./config/types.ts";
export { helpText } from "./config/help.ts";
export { configSchema, describeConfig } from "./config/text.ts";

export interface ConfigInput {
  readonly argv: readonly string[];
  /** At least `ENVIRONMENT_NAMES`, `HOME` and `XDG_CONFIG_HOME`, if they are set. */
  readonly env: Readonly<Record<string, string>>;
  readonly readFile: ReadFile;
  /** Names that `--tools` may contain: every tool, and every group with its `@`. */
  readonly knownTools: readonly string[];
  readonly knownGroups: readonly string[];
}

/** Every environment variable that is read, for the launcher's permissions. */
export const ENVIRONMENT_NAMES: readonly string[] = [
  "TMUX_MCP_CONFIG",
  ...ROWS.map(([, row]) => environmentNameOf(row)),
];

const PATTERNS: readonly OptionName[] = ["errorPattern", "errorIgnorePattern", "filterPatterns"];

/** @throws {ConfigError} with one line that names the wrong value and the valid ones */
export async function parseConfig(input: ConfigInput): Promise<ResolvedConfig> {
  const { command, flags, configFile } = parseCommandLine(input.argv);
  if (command.kind === "help" || command.kind === "version") {
    return settle(command, undefined, () => undefined);
  }
  checkEnvironment(input.env);
  const home = input.env["HOME"] || undefined;
  const named = configFile ?? (input.env["TMUX_MCP_CONFIG"] || undefined);
  const file = await loadConfigFile(named && expandHome(named, home), input.env, input.readFile);
  const written = settle(command, file?.path, (name, row) => {
    const flag = flags.get(name);
    if (flag !== undefined) {
      return { kind: "flag", name: flagOf(row), value: row.kind.read(flag), text: flag.at(-1) };
    }
    const variable = input.env[environmentNameOf(row)];
    if (variable !== undefined && !(row.kind.emptyIsAbsent && variable.trim() === "")) {
      const value = row.kind.read([variable]);
      return { kind: "environment", name: environmentNameOf(row), value, text: variable };
    }
    if (!file?.values.has(name)) return undefined;
    const value = file.values.get(name);
    return {
      kind: "file",
      name: row.key,
      value,
      ...(isBeyondJson(value) && { number: writtenNumber(row.key, file) }),
    };
  });
  const config = withHome(written, home);
  checkTools(config, input);
  await checkPatterns(config);
  return config;
}

/**
 * Returns every option: the given value or the default.
 * @throws {ConfigError} for an unknown option or an invalid value
 */
export function completeOptions(given: Partial<Options>): Options {
  const valid: string[] = ROWS.map(([name]) => name);
  for (const name of Object.keys(given)) {
    if (!valid.includes(name)) throw unknownWord({ what: "option", given: name, valid });
  }
  const { options } = settle({ kind: "serve" }, undefined, (name) => {
    return given[name] === undefined ? undefined : { kind: "flag", name, value: given[name] };
  });
  return options;
}

type GivenOption = Source & {
  readonly value: unknown;
  readonly text?: string | undefined;
  /** A number that JSON lacks, as it was written. */
  readonly number?: string | undefined;
};
type Find = (name: OptionName, row: OptionRow<unknown>) => GivenOption | undefined;

function settle(command: ResolvedConfig["command"], file: string | undefined, find: Find): ResolvedConfig {
  const options: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  for (const [name, row] of ROWS) {
    const given = find(name, row);
    options[name] = given === undefined ? row.default : validate(row, given, file);
    sources[name] = { kind: given?.kind ?? "default", name: given?.name ?? "" };
  }
  return {
    command,
    options: options as unknown as Options,
    sources: sources as ResolvedConfig["sources"],
    file,
  };
}

function validate(row: OptionRow<unknown>, given: GivenOption, file: string | undefined): unknown {
  const result = checkValue(row.kind.schema, given.value);
  if (result.ok) return result.value;
  const keys = result.unknownKeys === undefined
    ? ""
    : `unknown key ${result.unknownKeys.map((key) => JSON.stringify(key)).join(", ")}; `;
  // A mask without its prefix is the secret itself, and clients log what is printed here.
  const shown = row.name === "mask" ? '"***"' : shownValue(given).slice(0, 100);
  throw new ConfigError(
    `Bad value ${shown} for ${placeOf(given, file)}: ${keys}it must be ${row.kind.expects}`,
  );
}

function shownValue({ value, text, number }: GivenOption): string {
  return text === undefined && isBeyondJson(value) ? number ?? String(value) : JSON.stringify(text ?? value);
}

function isBeyondJson(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/** Name of a value, with its file: a person may have forgotten that there is one. */
function placeOf({ kind, name }: Source, file: string | undefined): string {
  return kind === "file" ? `${name} in ${JSON.stringify(file)}` : name;
}

function checkEnvironment(env: ConfigInput["env"]): void {
  for (const name of Object.keys(env)) {
    if (name.startsWith("TMUX_MCP_") && !ENVIRONMENT_NAMES.includes(name)) {
      throw unknownWord({ what: "environment variable", given: name, valid: ENVIRONMENT_NAMES });
    }
  }
}

function checkTools(
  { options, sources, file }: ResolvedConfig,
  { knownTools, knownGroups }: ConfigInput,
): void {
  for (const item of options.tools.items) {
    const [what, valid]: [string, readonly string[]] = item.startsWith("@")
      ? ["group", knownGroups]
      : ["tool", knownTools];
    if (!valid.includes(item)) {
      throw unknownWord({ what, given: item, valid, where: ` in ${placeOf(sources.tools, file)}` });
    }
  }
}

async function checkPatterns({ options, sources, file }: ResolvedConfig): Promise<void> {
  const given = PATTERNS.filter((name) => sources[name].kind !== "default");
  if (given.length === 0) return;
  const { RE2JS } = await import("re2js");
  for (const name of given) {
    for (const pattern of [options[name]].flat() as string[]) {
      try {
        RE2JS.compile(pattern);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ConfigError(
          `Bad value "${pattern}" for ${placeOf(sources[name], file)}: it must be an RE2 pattern, ${reason}`,
        );
      }
    }
  }
}
