// zsh: read -s turns echo off before it prints its prompt; no stty and no fork is needed.

import { type Dialect, markDone, markOutput, type Ready, type Run } from "./dialect.ts";
import { quoteAnsiC } from "./quoting.ts";
import { commandLines, setStatus, tracing } from "./state.ts";

/** Neither an alias nor a function of the user comes first. */
const BUILTIN = "\\builtin ";

export const zsh: Dialect = {
  name: "zsh",
  setsTerminal: false,
  loader: ` __mcp="$? $-";\\builtin set +vx;` +
    `IFS= \\builtin read -rsd, __mcp$'?\\e]133;R;'"$__mcp"$'\\a';\\builtin eval "$__mcp"`,
  payload: (run) =>
    [
      run.keepHistory ? `\\builtin print -rs -- ${quoteAnsiC(run.command)}` : ":",
      "\\builtin unset __mcp",
      done(run.secret, run.ready),
      'precmd_functions=(__mcp ${precmd_functions+"${precmd_functions[@]}"})',
      show(run.screen),
      `${tracing(run.ready, BUILTIN).prepare}\\builtin eval ${quoteAnsiC(block(run))}`,
      "{ __mcp&&:;} 2>&-,",
    ].join(";"),
  recovery: ({ secret, screen, ready }) =>
    [
      "\\builtin unset __mcp",
      done(secret, ready),
      show(screen),
      `${tracing(ready, BUILTIN).prepare}${setStatus(ready)}`,
      "{ __mcp&&:;} 2>&-,",
    ].join(";"),
};

/** Ctrl-C throws away what is left of the line: then the prompt hook prints mark D, and takes itself out. */
function done(secret: string, ready: Ready): string {
  const body = [
    '\\builtin set -- "$?"',
    'precmd_functions=("${(@)precmd_functions[@]:#__mcp}")',
    "((${#precmd_functions[@]}))||\\builtin unset precmd_functions",
    "\\builtin unfunction __mcp",
    toTerminal(`'${markDone(secret)}' "$1"`),
    `${tracing(ready, BUILTIN).settle}\\builtin return "$1"`,
  ].join(";");
  return `__mcp(){ ${body};}`;
}

function block(run: Run): string {
  return `if ${toTerminal(`'${markOutput(run.publicId)}'`)}\nthen\n${commandLines(run, BUILTIN)}\nfi`;
}

function show(screen: string): string {
  return screen === "" ? ":" : toTerminal(`%s ${quoteAnsiC(screen)}`);
}

function toTerminal(args: string): string {
  return `{ \\builtin printf ${args} >/dev/tty||\\builtin printf ${args};} 2>&-`;
}
