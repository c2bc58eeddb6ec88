// Reads the command line: the command, and the text of each flag.
import { idKind } from "../ids.ts";
import { MODES, STANDARD_TRIGGERS } from "../vocabulary.ts";
import { COMMAND_NAMES, commandRow, COMPLETION_SHELLS, INIT_CLIENTS, isCommandName } from "./commands.ts";
import { type CliCommand, ConfigError, type OptionName } from "./types.ts";
import { flagOf } from "./option_row.ts";
import { ROWS } from "./table.ts";
import { unknownWord } from "./suggest.ts";

export interface CommandLine {
  readonly command: CliCommand;
  /** The texts given for each option, in order. */
  readonly flags: ReadonlyMap<OptionName, readonly string[]>;
  readonly configFile: string | undefined;
}

interface Flag {
  /** Empty if the flag takes no value: `--channel`, `--no-channel`. */
  readonly placeholder: string;
  /** Text after "must be" in an error. */
  readonly expects?: string;
}

interface GivenWords {
  readonly words: string[];
  readonly flags: Map<string, string[]>;
}

/** @throws {ConfigError} for an unknown flag, command or argument, or a missing value */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const aside = findAside(argv);
  if (aside !== undefined) return { command: aside, flags: new Map(), configFile: undefined };
  const given = readArguments(argv);
  return {
    command: commandOf(given),
    flags: new Map(
      ROWS.flatMap(([name, row]) => given.flags.has(row.name) ? [[name, given.flags.get(row.name)!]] : []),
    ),
    configFile: given.flags.get("config")?.at(-1),
  };
}

/** Finds `help` and `version`, as flags or as first word; only an unknown command takes precedence over them. */
function findAside(argv: readonly string[]): CliCommand | undefined {
  const asks = (word: string): boolean =>
    argv[0] === word || argv.includes(`--${word}`) || argv.includes(`-${word[0]}`);
  const topic = argv.find(isCommandName);
  const subject = argv[0] === "help" ? argv[1] : argv[0];
  const isWord = subject !== undefined && !subject.startsWith("-") && subject !== "version";
  if (asks("help") && topic === undefined && isWord) {
    throw unknownWord({ what: "command", given: subject, valid: COMMAND_NAMES });
  }
  if (asks("help")) return { kind: "help", ...(topic && { topic }) };
  // As tmux spells it.
  return asks("version") || argv.includes("-V") ? { kind: "version" } : undefined;
}

function readArguments(argv: readonly string[]): GivenWords {
  const given: GivenWords = { words: [], flags: new Map() };
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("-")) given.words.push(word);
    else readFlag(word, { given, rest });
  }
  return given;
}

function readFlag(word: string, { given, rest }: { given: GivenWords; rest: string[] }): void {
  const known = validFlags(given.words[0]);
  const [, dashed = "", attached] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const negated = dashed.startsWith("--no-") && known.get(dashed.slice(5))?.placeholder === "";
  const name = dashed.slice(negated ? 5 : 2);
  const flag = known.get(name);
  if (attached !== undefined && (negated || dashed === "--help" || dashed === "--version")) {
    throw new ConfigError(`Flag ${dashed} takes no value, not ${JSON.stringify(attached)}`);
  }
  if (!dashed.startsWith("--") || flag === undefined) {
    const valid = [...known.keys(), "help", "version"].map((word) => `--${word}`);
    throw unknownWord({ what: "flag", given: dashed, valid });
  }
  const value = attached ?? (flag.placeholder === "" ? String(!negated) : rest.shift());
  if (value === undefined) {
    throw new ConfigError(`Flag ${dashed} needs a value${flag.expects ? `: ${flag.expects}` : ""}`);
  }
  given.flags.set(name, [...given.flags.get(name) ?? [], value]);
}

function validFlags(command: string | undefined): Map<string, Flag> {
  const own: Readonly<Record<string, Flag>> = isCommandName(command) ? commandRow(command).flags : {};
  return new Map([
    ["config", { placeholder: "FILE" }],
    ...ROWS.map(([, { name, kind }]): [string, Flag] => [name, kind]),
    ...Object.entries(own),
  ]);
}

function commandOf(given: GivenWords): CliCommand {
  const [word, argument, extra] = given.words;
  if (word !== undefined && !isCommandName(word)) {
    throw unknownWord({ what: "command", given: word, valid: [...COMMAND_NAMES, "help", "version"] });
  }
  const takes = word !== undefined && commandRow(word).argument !== undefined ? extra : argument;
  if (takes !== undefined) {
    throw new ConfigError(`Unexpected argument ${JSON.stringify(takes)} after ${word}`);
  }
  switch (word) {
    case "doctor":
    case "clean":
      return { kind: word };
    case "config":
      return { kind: word, schema: isOn(given, "schema") };
    case "init":
      return initCommand(given, argument);
    case "watch":
      return watchCommand(given, argument);
    case "completions":
      return completionsCommand(argument);
    default:
      return { kind: "serve" };
  }
}

function initCommand(given: GivenWords, argument: string | undefined): CliCommand {
  const client = oneOf(INIT_CLIENTS, "client", argument);
  const { write: _write, force: _force, remove: _remove, ...options } = Object.fromEntries(given.flags);
  const args = Object.entries(options).flatMap(([name, values]) =>
    values.map((value) => `--${name}=${value}`)
  );
  const [write, remove] = [isOn(given, "write"), isOn(given, "remove")];
  if (write && remove) throw new ConfigError("Command init takes --write or --remove, not both");
  const force = isOn(given, "force");
  if (force && !write && !remove) throw new ConfigError("Flag --force needs --write or --remove");
  const action = remove ? "remove" : write ? "write" : "print";
  return { kind: "init", client, action, force, args };
}

function watchCommand(given: GivenWords, paneId: string | undefined): CliCommand {
  if (paneId === undefined || idKind(paneId) !== "pane") {
    const given = paneId === undefined ? "" : `, not ${JSON.stringify(paneId)}`;
    throw new ConfigError(`Command watch needs a pane id like %3${given}. tmux list-panes -a lists them`);
  }
  const timeout = lastOf(given, "timeout") ?? "50";
  if (!/^\d+(\.\d+)?$/.test(timeout)) {
    throw new ConfigError(
      `Bad value ${JSON.stringify(timeout)} for --timeout: it must be a number of seconds`,
    );
  }
  const asked = lastOf(given, "mode");
  const mode = asked === undefined ? undefined : oneOf(MODES, "mode", asked);
  const triggers = lastOf(given, "triggers") ?? STANDARD_TRIGGERS;
  return { kind: "watch", paneId, triggers, timeout: Number(timeout), mode, host: lastOf(given, "host") };
}

function completionsCommand(argument: string | undefined): CliCommand {
  return { kind: "completions", shell: oneOf(COMPLETION_SHELLS, "shell", argument) };
}

function oneOf<T extends string>(valid: readonly T[], what: string, given: string | undefined): T {
  const found = valid.find((known) => known === given);
  if (found !== undefined) return found;
  if (given === undefined) throw new ConfigError(`Missing ${what}. Valid: ${valid.join(", ")}`);
  throw unknownWord({ what, given, valid });
}

function isOn(given: GivenWords, name: string): boolean {
  const value = lastOf(given, name) ?? "false";
  if (value !== "true" && value !== "false") {
    throw new ConfigError(
      `Bad value ${JSON.stringify(value)} for ${flagOf({ name })}: it must be true or false`,
    );
  }
  return value === "true";
}

function lastOf(given: GivenWords, name: string): string | undefined {
  return given.flags.get(name)?.at(-1);
}
