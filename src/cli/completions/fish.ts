// The completion script for fish.
import { LIST_PANES } from "./bash.ts";
import { commandWords, commonFlags, type CompletionFlag, type FlagValue } from "./words.ts";

export function fishScript(): string {
  const commands = commandWords();
  // __fish_use_subcommand takes the value of an option for a command.
  const first = quote(`not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(" ")}`);
  return [
    "# fish completion of tmux-mcp: tmux-mcp completions fish | source",
    "complete -c tmux-mcp -f",
    ...commonFlags().map((flag) => flagLine(flag)),
    ...commands.flatMap(({ name, help, argument, flags }) => [
      `complete -c tmux-mcp -n ${first} -a ${name} -d ${quote(help)}`,
      ...argumentLine(name, argument),
      ...flags.map((flag) => flagLine(flag, name)),
    ]),
    "",
  ].join("\n");
}

function flagLine({ flag, help, value }: CompletionFlag, command?: string): string {
  const where = command === undefined ? "" : ` -n ${quote(`__fish_seen_subcommand_from ${command}`)}`;
  return `complete -c tmux-mcp${where} -l ${flag.slice(2)}${valueWords(value)} -d ${quote(help)}`;
}

function argumentLine(command: string, value: FlagValue): string[] {
  if (value.kind === "none") return [];
  const given = value.kind === "values"
    ? `; and not __fish_seen_subcommand_from ${value.values.join(" ")}`
    : "";
  return [
    `complete -c tmux-mcp -n ${quote(`__fish_seen_subcommand_from ${command}${given}`)}${candidates(value)}`,
  ];
}

function valueWords(value: FlagValue): string {
  if (value.kind === "none") return "";
  return value.kind === "file" || value.kind === "folder" ? " -r -F" : ` -x${candidates(value)}`;
}

function candidates(value: FlagValue): string {
  if (value.kind === "values") return ` -a ${quote(value.values.join(" "))}`;
  return value.kind === "pane" ? ` -a ${quote(`(${LIST_PANES})`)}` : "";
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}
