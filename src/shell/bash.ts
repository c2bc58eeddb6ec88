// bash: read -s turns echo and line mode off before it prints its prompt, so no stty and no fork is needed.

import { type Dialect, markDone, markOutput, type Ready, type Run } from "./dialect.ts";
import { quoteAnsiC } from "./quoting.ts";

const HOOK = "__mcp 2>&-;";

export const bash: Dialect = {
  name: "bash",
  loader:
    ` IFS= \\builtin read -rsd, -p$'\\e]133;R;'"$? $-"$'\\a' __mcp;\\builtin set +vx;\\builtin eval "$__mcp"`,
  payload: (run) =>
    [
      history(run),
      "unset __mcp",
      done(run.secret, run.ready),
      `builtin printf -v PROMPT_COMMAND %s "${HOOK}\${PROMPT_COMMAND-}" 2>&-`,
      show(run.screen),
      `builtin eval ${quoteAnsiC(block(run))}`,
      "{ __mcp;} 2>&-,",
    ].join(";"),
  recovery: ({ secret, screen, ready }) =>
    [
      forget(),
      "unset __mcp",
      done(secret, ready),
      show(screen),
      restoreFlags(ready),
      `(exit ${ready.status})`,
      "{ __mcp;} 2>&-,",
    ].join(";"),
};

/** Ctrl-C throws away what is left of the line: then the prompt hook prints mark D, and takes itself out. */
function done(secret: string, { flags }: Ready): string {
  const body = [
    'builtin set -- "$?"',
    `builtin printf -v PROMPT_COMMAND %s "\${PROMPT_COMMAND//'${HOOK}'/}"`,
    '[ "${PROMPT_COMMAND[*]}" ]||unset PROMPT_COMMAND',
    "unset -f __mcp",
    toTerminal(`'${markDone(secret)}' "$1"`),
    'return "$1"',
  ].join(";");
  return `__mcp(){ ${body};}${flags.includes("a") ? ";builtin export -nf __mcp" : ""}`;
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

/** The user may have sent standard output elsewhere (`exec >log`); a shell without a controlling terminal has no /dev/tty. */
function toTerminal(args: string): string {
  return `{ builtin printf ${args} >/dev/tty||builtin printf ${args};} 2>&-`;
}

function history({ command, keepHistory }: Run): string {
  return keepHistory ? `builtin history -s -- ${quoteAnsiC(command)}` : forget();
}

/** The line is in the history unless HISTCONTROL ignores spaces; HISTIGNORE and set +o history may have kept it out too. */
function forget(): string {
  const lookup = `__mcp=$(HISTTIMEFORMAT= builtin history 1)`;
  const number = `__mcp=\${__mcp#"\${__mcp%%[0-9]*}"};builtin history -d "\${__mcp%%[!0-9]*}"`;
  return `case :\${HISTCONTROL-}: in *:ignorespace:*|*:ignoreboth:*);;*)${lookup};` +
    `case $__mcp in *'133;R;'*)${number};esac;esac`;
}
