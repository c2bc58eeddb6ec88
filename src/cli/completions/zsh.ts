// The completion script for zsh.
import { shellWord } from "../../shell/quoting.ts";
import { LIST_PANES } from "./bash.ts";
import { commandWords, commonFlags, type CompletionFlag, type FlagValue } from "./words.ts";

export function zshScript(): string {
  const commands = commandWords();
  return `#compdef tmux-mcp
# zsh completion of tmux-mcp: source <(tmux-mcp completions zsh), after compinit
_tmux_mcp() {
  local curcontext=$curcontext state line
  local -a common commands
  common=(
${commonFlags().map(specOf).join("\n")}
  )
  commands=(
${commands.map(({ name, help }) => `    ${shellWord(`${name}:${help}`)}`).join("\n")}
  )
  _arguments -C -S "$common[@]" '1: :->command' '*:: :->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
${
    commands.map(({ name, argument, flags }) => {
      const specs = [...argumentSpec(argument), ...flags.map((flag) => specOf(flag).trim())];
      return `        ${name}) _arguments -S "$common[@]" ${specs.join(" ")} ;;`;
    }).join("\n")
  }
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _tmux_mcp || $funcstack[1] == _tmux-mcp ]]; then
  _tmux_mcp "$@"
else
  compdef _tmux_mcp tmux-mcp
fi
`;
}

function specOf({ flag, help, value }: CompletionFlag): string {
  const described = `[${help.replaceAll(/[\[\]\\]/g, "\\$&")}]`;
  const takesValue = value.kind !== "none";
  const spec = takesValue ? `*${flag}=${described}:value:${actionOf(value)}` : `${flag}${described}`;
  return `    ${shellWord(spec)}`;
}

function argumentSpec(value: FlagValue): string[] {
  return value.kind === "none" ? [] : [shellWord(`1:argument:${actionOf(value)}`)];
}

function actionOf(value: FlagValue): string {
  switch (value.kind) {
    case "values":
      return `(${value.values.join(" ")})`;
    case "file":
      return "_files";
    case "folder":
      return "_files -/";
    case "pane":
      return `(\${(f)"$(${LIST_PANES})"})`;
    default:
      return " ";
  }
}
