// zsh: read -s turns echo off before it prints its prompt; no stty and no fork is needed.

import { type Dialect, markDone, markOutput, type Ready, type Run } from "./dialect.ts";
import { quoteAnsiC } from "./quoting.ts";

export const zsh: Dialect = {
  name: "zsh",
  loader:
    ` IFS= \\builtin read -rsd, __mcp$'?\\e]133;R;'"$? $-"$'\\a';\\builtin set +vx;\\builtin eval "$__mcp"`,
  payload: (run) =>
    [
      run.keepHistory ? `builtin print -rs -- ${quoteAnsiC(run.command)}` : ":",
      "unset __mcp",
      done(run.secret),
      'precmd_functions=(__mcp ${precmd_functions+"${precmd_functions[@]}"})',
      show(run.screen),
      `builtin eval ${quoteAnsiC(block(run))}`,
      "{ __mcp } 2>&-,",
    ].join(";"),
  recovery: ({ secret, screen, ready }) =>
    [
      "unset __mcp",
      done(secret),
      show(screen),
      restoreFlags(ready),
      `(exit ${ready.status})`,
      "{ __mcp } 2>&-,",
    ].join(";"),
};

/** Ctrl-C throws away what is left of the line: then the prompt hook prints mark D, and takes itself out. */
function done(secret: string): string {
  const body = [
    'builtin set -- "$?"',
    "builtin emulate -L zsh",
    'precmd_functions=("${(@)precmd_functions:#__mcp}")',
    "(($#precmd_functions))||unset precmd_functions",
    "builtin unfunction __mcp",
    toTerminal(`'${markDone(secret)}' $1`),
    "return $1",
  ].join(";");
  return `__mcp(){ ${body} }`;
}

function block(run: Run): string {
  const { command, publicId, subshell, ready } = run;
  return [
    `if ${toTerminal(`'${markOutput(publicId)}'`)}`,
    "then",
    restoreFlags(ready),
    ready.status === 0 ? ":" : `(exit ${ready.status})`,
    subshell ? `(${command}\n)` : command,
    "fi",
  ].join("\n");
}

function restoreFlags({ flags }: Ready): string {
  const traced = [...flags].filter((flag) => flag === "v" || flag === "x").join("");
  return traced === "" ? ":" : `set -${traced}`;
}

function show(screen: string): string {
  return screen === "" ? ":" : toTerminal(`%s ${quoteAnsiC(screen)}`);
}

function toTerminal(args: string): string {
  return `{ builtin printf ${args} >/dev/tty||builtin printf ${args} } 2>&-`;
}
