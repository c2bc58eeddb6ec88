// bash: read -s turns echo and line mode off before it prints its prompt, so no stty and no fork is needed.

import { type Dialect, markDone, markOutput, type Ready, type Run } from "./dialect.ts";
import { quoteAnsiC } from "./quoting.ts";
import { commandLines, setStatus, tracing } from "./state.ts";

const HOOK = "__mcp 2>&-;";

/** Neither an alias nor a function of the user comes first. */
const BUILTIN = "\\builtin ";

export const bash: Dialect = {
  name: "bash",
  setsTerminal: false,
  loader: ` __mcp="$? $-";\\builtin set +vx;` +
    `IFS= \\builtin read -rsd, -p$'\\e]133;R;'"$__mcp"$'\\a' __mcp;\\builtin eval "$__mcp"`,
  payload: (run) =>
    [
      history(run),
      "\\builtin unset __mcp",
      done(run.secret, run.ready),
      `\\builtin printf -v PROMPT_COMMAND %s "${HOOK}\${PROMPT_COMMAND-}" 2>&-`,
      show(run.screen),
      `${tracing(run.ready, BUILTIN).prepare}\\builtin eval ${quoteAnsiC(block(run))}`,
      "{ __mcp&&:;} 2>&-,",
    ].join(";"),
  recovery: ({ secret, screen, ready }) =>
    [
      forget(),
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
    `\\builtin printf -v PROMPT_COMMAND %s "\${PROMPT_COMMAND//'${HOOK}'/}"`,
    '[ "${PROMPT_COMMAND[*]}" ]||\\builtin unset PROMPT_COMMAND',
    "\\builtin unset -f __mcp",
    toTerminal(`'${markDone(secret)}' "$1"`),
    `${tracing(ready, BUILTIN).settle}\\builtin return "$1"`,
  ].join(";");
  return `__mcp(){ ${body};}${ready.flags.includes("a") ? ";\\builtin export -nf __mcp" : ""}`;
}

function block(run: Run): string {
  return `if ${toTerminal(`'${markOutput(run.publicId)}'`)}\nthen\n${commandLines(run, BUILTIN)}\nfi`;
}

function show(screen: string): string {
  return screen === "" ? ":" : toTerminal(`%s ${quoteAnsiC(screen)}`);
}

/** The user may have sent standard output elsewhere (`exec >log`); a shell without a controlling terminal has no /dev/tty. */
function toTerminal(args: string): string {
  return `{ \\builtin printf ${args} >/dev/tty||\\builtin printf ${args};} 2>&-`;
}

function history({ command, keepHistory }: Run): string {
  return keepHistory ? `${forget()};\\builtin history -s -- ${quoteAnsiC(command)}` : forget();
}

/** The line is in the history unless HISTCONTROL ignores spaces; HISTIGNORE and set +o history may have kept it out too. */
function forget(): string {
  const lookup = `__mcp=$(HISTTIMEFORMAT= \\builtin history 1)`;
  const number = `__mcp=\${__mcp#"\${__mcp%%[0-9]*}"};\\builtin history -d "\${__mcp%%[!0-9]*}"`;
  return `case :\${HISTCONTROL-}: in *:ignorespace:*|*:ignoreboth:*);;*)${lookup};` +
    `case $__mcp in *'133;R;'*)${number};esac;esac`;
}
