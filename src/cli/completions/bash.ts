// The completion script for bash 3.2 and later.
import { commandWords, commonFlags, type CompletionFlag, type FlagValue } from "./words.ts";

/** Command that lists the ids of all panes; it works in every shell. */
export const LIST_PANES = `tmux list-panes -a -F '#{pane_id}' 2>/dev/null`;

export function bashScript(): string {
  const common = commonFlags();
  const commands = commandWords();
  const flags = [...common, ...commands.flatMap((command) => command.flags)];
  return `# bash completion of tmux-mcp: source <(tmux-mcp completions bash)
_tmux_mcp() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} flag= command= argument= words= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $flag ]]; then
      # bash splits --flag=value at the sign.
      [[ $word == = ]] || flag=
    elif [[ $word == -* ]]; then
      case $word in
        ${alternatives(flags.filter(({ value }) => value.kind !== "none"))}) flag=$word ;;
      esac
    elif [[ -z $command && $word != = ]]; then
      command=$word
    elif [[ $word != = ]]; then
      argument=$word
    fi
  done
  [[ $current != = ]] || current=
  COMPREPLY=()
  case $flag in
${flags.flatMap(valueCase).join("\n")}
    ${alternatives(flags.filter(isPath))})
      IFS=$'\\n' COMPREPLY=($(compgen -f -- "$current"))
      compopt -o filenames 2>/dev/null
      return
      ;;
    ?*) return ;;
    *)
      case $command:$current in
${commands.flatMap(({ name, flags }) => ownFlagsCase(name, { common, flags })).join("\n")}
        *:-*) words=${quoted(common.map(({ flag }) => flag))} ;;
        :*) words=${quoted(commands.map(({ name }) => name))} ;;
${commands.flatMap(({ name, argument }) => argumentCase(name, argument)).join("\n")}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _tmux_mcp tmux-mcp
`;
}

function isPath({ value }: CompletionFlag): boolean {
  return value.kind === "file" || value.kind === "folder";
}

function alternatives(flags: readonly CompletionFlag[]): string {
  return flags.map(({ flag }) => flag).join(" | ");
}

function quoted(words: readonly string[]): string {
  return `"${words.join(" ")}"`;
}

function valueCase({ flag, value }: CompletionFlag): string[] {
  return value.kind === "values" ? [`    ${flag}) words=${quoted(value.values)} ;;`] : [];
}

function ownFlagsCase(
  command: string,
  { common, flags }: Record<"common" | "flags", readonly CompletionFlag[]>,
): string[] {
  if (flags.length === 0) return [];
  return [`        ${command}:-*) words=${quoted([...common, ...flags].map(({ flag }) => flag))} ;;`];
}

function argumentCase(command: string, value: FlagValue): string[] {
  const first = `        ${command}:*) [[ -n $argument ]] || words=`;
  if (value.kind === "values") return [`${first}${quoted(value.values)} ;;`];
  return value.kind === "pane" ? [`${first}$(${LIST_PANES}) ;;`] : [];
}
