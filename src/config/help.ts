// The manual pages that --help prints, of the program and of each command.
import { COMMAND_NAMES, type CommandName, type CommandRow, commandRow } from "./commands.ts";
import { flagOf, type OptionRow } from "./option_row.ts";
import { ROWS } from "./table.ts";

const WIDTH = 100;
const COMMAND_WIDTH = 18;

const SYNOPSIS = `  tmux-mcp [OPTIONS]
  tmux-mcp COMMAND [ARGUMENT] [OPTIONS]
  tmux-mcp help [COMMAND] | version`;

const DESCRIPTION = [
  "Gives an agent control of terminals through tmux, and reports when something happens there: a server is ready, a build " +
  "failed, a program is waiting for a password, a command exited with code 3.",
  "Without a command, it serves the Model Context Protocol on stdin and stdout, which is how clients start it; init sets up " +
  "a client. Only protocol messages go to stdout then; log messages go to stderr.",
];

const NOTES = `ENVIRONMENT
  Each option can also be a variable: TMUX_MCP_ and the option's name in capitals, such as
  TMUX_MCP_TMUX_BIN for --tmux-bin. A flag overrides the variable, the variable the file.

FILES
  $XDG_CONFIG_HOME/tmux-mcp/config.toml, or ~/.config/tmux-mcp/config.toml: read if it exists and no other
  is named. Each option's key, with its [table], follows its description.

EXIT STATUS
  0  done
  1  failed
  2  a flag, key or value is wrong: one line on stderr says which, and what is valid

EXAMPLES
  tmux-mcp doctor
  tmux-mcp init claude-code --write
  tmux-mcp --scope all --safety readonly
  tmux-mcp watch %3 --triggers error,exit --timeout 600`;

/** The manual page of the program, or of one command. */
export function helpText(command?: CommandName): string {
  return (command === undefined ? programPage() : commandPage(command)).join("\n\n") + "\n";
}

function programPage(): string[] {
  const commands = COMMAND_NAMES.map((name) => {
    const { argument, summary } = commandRow(name);
    return `  ${[name, argument?.placeholder ?? ""].join(" ").padEnd(COMMAND_WIDTH)} ${summary}`;
  });
  const sections = [...Map.groupBy(ROWS, ([, row]) => row.key.split(".")[0]!)];
  const options = sections.map(([title, rows]) =>
    [`  [${title}]`, ...rows.map(([, row]) => optionHelp(row))].join("\n")
  );
  const config = flagHelp("--config FILE", "The configuration file to read");
  return [
    "NAME\n  tmux-mcp - an MCP server for tmux",
    `SYNOPSIS\n${SYNOPSIS}`,
    `DESCRIPTION\n${DESCRIPTION.map((text) => wrap(text, 2)).join("\n\n")}`,
    `COMMANDS\n${commands.join("\n")}`,
    `OPTIONS\n${config}`,
    ...options,
    NOTES,
  ];
}

function commandPage(name: CommandName): string[] {
  const row: CommandRow = commandRow(name);
  const { argument, flags } = row;
  const ownFlags = Object.entries(flags).map(([flag, { placeholder, help }]) =>
    flagHelp(`--${flag} ${placeholder}`.trimEnd(), help)
  );
  const words = argument?.values === undefined ? [] : [
    `${argument.placeholder}\n${wrap(`One of ${argument.values.join(", ")}`, 2)}`,
  ];
  return [
    `NAME\n  tmux-mcp ${name} - ${row.summary.charAt(0).toLowerCase()}${row.summary.slice(1)}`,
    `SYNOPSIS\n  tmux-mcp ${usageOf(name)} [OPTIONS]`,
    `DESCRIPTION\n${row.text.map((text) => wrap(text, 2)).join("\n\n")}`,
    ...words,
    `OPTIONS\n${[...ownFlags, wrap("All options of the server: tmux-mcp --help lists them.", 2)].join("\n")}`,
    `EXIT STATUS\n${row.exits.map((line) => `  ${line}`).join("\n")}`,
    `EXAMPLES\n${row.examples.map((line) => `  ${line}`).join("\n")}`,
  ];
}

function usageOf(name: CommandName): string {
  const { argument, flags } = commandRow(name);
  const flagWords = Object.entries(flags).map(([flag, { values, placeholder }]) =>
    `[${`--${flag} ${values === undefined ? placeholder : flag.toUpperCase()}`.trimEnd()}]`
  );
  return [name, ...(argument === undefined ? [] : [argument.placeholder]), ...flagWords].join(" ");
}

function optionHelp(row: OptionRow<unknown>): string {
  const { placeholder, expects } = row.kind;
  const isLong = placeholder.length > WIDTH / 2;
  const value = isLong ? row.name.toUpperCase() : placeholder;
  const flag = placeholder === "" ? `--[no-]${row.name}` : `${flagOf(row)} ${value}`;
  const values = isLong ? `; ${expects}` : "";
  const standard = isShort(row.default) ? ` (default ${JSON.stringify(row.default)})` : "";
  return flagHelp(flag, `${row.help}${values}${standard} [${row.key}]`);
}

function isShort(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) && String(value).length < 40;
}

function flagHelp(flag: string, help: string): string {
  return `  ${flag}\n${wrap(help, 8)}`;
}

function wrap(text: string, indent: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + word.length > WIDTH - indent) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines.map((line) => " ".repeat(indent) + line).join("\n");
}
