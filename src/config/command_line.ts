// Reads the command line: which command, and the text of each flag.
import { type Command, ConfigError, INIT_CLIENTS, type OptionName } from "./types.ts";
import { flagOf, ROWS } from "./table.ts";
import { unknown } from "./suggest.ts";

export interface CommandLine {
  readonly command: Command;
  /** The texts given for each option, in order. */
  readonly flags: ReadonlyMap<OptionName, readonly string[]>;
  readonly configFile: string | undefined;
}

interface Flag {
  /** Whether it stands alone: `--channel`, `--no-channel`. */
  readonly toggle: boolean;
}

interface Given {
  readonly words: string[];
  readonly flags: Map<string, string[]>;
}

export const COMMAND_FLAGS = {
  config: { schema: { toggle: true } },
  init: { write: { toggle: true } },
  watch: {
    triggers: { toggle: false },
    timeout: { toggle: false },
    mode: { toggle: false },
    host: { toggle: false },
  },
} as const satisfies Record<string, Record<string, Flag>>;

const COMMANDS = ["doctor", "config", "init", "watch"] as const;
const WATCH_MODES = ["quick", "medium", "slow", "line", "bunch", "screen"];

/** @throws {ConfigError} for a flag, command or argument that does not exist, or lacks its value. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const aside = ["help", "version"].find((word) =>
    argv.includes(`--${word}`) || argv.includes(`-${word[0]}`)
  );
  if (aside !== undefined) {
    return { command: { kind: aside as "help" | "version" }, flags: new Map(), configFile: undefined };
  }
  const given = readArguments(argv);
  return {
    command: commandOf(given),
    flags: new Map(
      ROWS.flatMap(([name, row]) => given.flags.has(row.name) ? [[name, given.flags.get(row.name)!]] : []),
    ),
    configFile: given.flags.get("config")?.at(-1),
  };
}

function readArguments(argv: readonly string[]): Given {
  const given: Given = { words: [], flags: new Map() };
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith("-")) given.words.push(word);
    else readFlag(word, { given, rest });
  }
  return given;
}

function readFlag(word: string, { given, rest }: { given: Given; rest: string[] }): void {
  const known = validFlags(given.words[0]);
  const [, dashed = "", attached] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const negated = dashed.startsWith("--no-") && known.get(dashed.slice(5))?.toggle === true;
  const name = dashed.slice(negated ? 5 : 2);
  const flag = known.get(name);
  if (!dashed.startsWith("--") || flag === undefined || (negated && attached !== undefined)) {
    const valid = [...known.keys(), "help", "version"].map((word) => `--${word}`);
    throw unknown({ what: "flag", given: dashed, valid });
  }
  const value = flag.toggle ? attached ?? String(!negated) : attached ?? rest.shift();
  if (value === undefined) throw new ConfigError(`Flag ${dashed} needs a value`);
  given.flags.set(name, [...given.flags.get(name) ?? [], value]);
}

function validFlags(command: string | undefined): Map<string, Flag> {
  const own: Record<string, Flag> = COMMAND_FLAGS[command as keyof typeof COMMAND_FLAGS] ?? {};
  return new Map([
    ["config", { toggle: false }],
    ...ROWS.map(([, row]): [string, Flag] => [row.name, { toggle: row.kind.placeholder === "" }]),
    ...Object.entries(own),
  ]);
}

function commandOf(given: Given): Command {
  const [word, argument, extra] = given.words;
  const takes = word === "init" || word === "watch" ? extra : argument;
  if (word !== undefined && !isCommand(word)) {
    throw unknown({ what: "command", given: word, valid: COMMANDS });
  }
  if (takes !== undefined) {
    throw new ConfigError(`Unexpected argument ${JSON.stringify(takes)} after ${word}`);
  }
  switch (word) {
    case "doctor":
      return { kind: word };
    case "config":
      return { kind: word, schema: isOn(given, "schema") };
    case "init":
      return initCommand(given, argument);
    case "watch":
      return watchCommand(given, argument);
    default:
      return { kind: "serve" };
  }
}

function isCommand(word: string): word is typeof COMMANDS[number] {
  return (COMMANDS as readonly string[]).includes(word);
}

function initCommand(given: Given, argument: string | undefined): Command {
  const client = INIT_CLIENTS.find((known) => known === argument);
  if (client === undefined) throw unknown({ what: "client", given: argument ?? "", valid: INIT_CLIENTS });
  const { write: _, ...options } = Object.fromEntries(given.flags);
  const args = Object.entries(options).flatMap(([name, values]) =>
    values.map((value) => `--${name}=${value}`)
  );
  return { kind: "init", client, write: isOn(given, "write"), args };
}

function watchCommand(given: Given, paneId: string | undefined): Command {
  if (paneId === undefined || !/^%\d+$/.test(paneId)) {
    throw new ConfigError(`Command watch needs a pane id like %3, not ${JSON.stringify(paneId ?? "")}`);
  }
  const timeout = lastOf(given, "timeout") ?? "50";
  if (!/^\d+(\.\d+)?$/.test(timeout)) {
    throw new ConfigError(
      `Bad value ${JSON.stringify(timeout)} for --timeout: it must be a number of seconds`,
    );
  }
  const mode = lastOf(given, "mode");
  if (mode !== undefined && !WATCH_MODES.includes(mode)) {
    throw unknown({ what: "mode", given: mode, valid: WATCH_MODES });
  }
  const triggers = lastOf(given, "triggers") ?? "exit,user_input,error";
  return { kind: "watch", paneId, triggers, timeout: Number(timeout), mode, host: lastOf(given, "host") };
}

function isOn(given: Given, name: string): boolean {
  const value = lastOf(given, name) ?? "false";
  if (value !== "true" && value !== "false") {
    throw new ConfigError(
      `Bad value ${JSON.stringify(value)} for ${flagOf({ name })}: it must be true or false`,
    );
  }
  return value === "true";
}

function lastOf(given: Given, name: string): string | undefined {
  return given.flags.get(name)?.at(-1);
}
