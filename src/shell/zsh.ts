// zsh: read -s turns echo off before it prints its prompt; no stty and no fork is needed.

import { type Dialect, DROPPED, quotedMarkDone, type Ready, type ShellCommand } from "./dialect.ts";
import { quoteAnsiC } from "./quoting.ts";
import { commandLines, flushed, keepStatus, setStatus, tracing } from "./state.ts";

/** Prefix that bypasses the user's aliases and functions. */
const BUILTIN = "\\builtin ";

/**
 * Ends the run, before zsh marks an unfinished line (PROMPT_SP) and calls the prompt hook, also where the rest of the
 * line is dropped: after Ctrl-C, `return`, and a failure with ERR_RETURN. PRINT_EXIT_VALUE, which would
 * report the statuses of our own statements in the output, is off until then.
 */
function end({ flags }: Ready): string {
  const report = reportsStatus(flags) ? `${BUILTIN}setopt printexitvalue;` : "";
  return `{ { \\__mcp&&((1));} ${unheard(flags)};${report}}`;
}

/** Redirection that hides errors: a restricted shell may open no file, and would report each attempt. */
function unheard(flags: string): string {
  return isRestricted(flags) ? "2>&-" : "2>/dev/null";
}

function isRestricted(flags: string): boolean {
  return flags.includes("r");
}

/** True if `$-` has the letter of PRINT_EXIT_VALUE. */
function reportsStatus(flags: string): boolean {
  return flags.includes("1");
}

export const zsh: Dialect = {
  name: "zsh",
  setsTerminal: false,
  // `setopt correct_all` doesn't correct quoted words, and global aliases don't replace them. A restricted zsh may not
  // set IFS, so the shortest match is removed.
  // A Space may expand the word before it (globalias of oh-my-zsh), so a colon follows `$?`.
  loader: ` __mcp="$?:$-";\\builtin \\set \\+evx;` +
    `\\builtin \\read -rsd, __mcp$'?\\e]133;R;'"$__mcp"$'\\a';\\builtin \\eval "\${(S)__mcp/*- /}"`,
  payload: (run) =>
    DROPPED + [
      run.keepHistory ? `\\builtin print -rs -- ${quoteAnsiC(run.command)}` : "((1))",
      "\\builtin unset __mcp",
      reportsStatus(run.ready.flags) ? `${BUILTIN}unsetopt printexitvalue` : "((1))",
      helper(run),
      'precmd_functions=(__mcp ${precmd_functions+"${precmd_functions[@]}"})',
      `\\__mcp ${quoteAnsiC(run.screen)}`,
      `{ ${tracing(run.ready, BUILTIN).prepare}\\builtin eval ${quoteAnsiC(block(run))};} always ${
        end(run.ready)
      }${tracing(run.ready, BUILTIN).survive},`,
    ].join(";"),
  recovery: (run) =>
    DROPPED + [
      "\\builtin unset __mcp",
      helper(run),
      `\\__mcp ${quoteAnsiC(run.screen)}`,
      `${tracing(run.ready, BUILTIN).prepare}${setStatus(run.ready, BUILTIN)}`,
      `{ \\__mcp&&((1));} ${unheard(run.ready.flags)}${tracing(run.ready, BUILTIN).survive},`,
    ].join(";"),
};

/** `__mcp TEXT` prints to the terminal, `__mcp` alone ends the run: see bash. */
function helper(
  { secret, statusFile, ready }: Pick<ShellCommand, "secret" | "statusFile" | "ready">,
): string {
  const end = [
    'argv=("$?")',
    'precmd_functions=(${precmd_functions+"${(@)precmd_functions[@]:#__mcp}"})',
    "((${#precmd_functions[@]}))||\\builtin unset precmd_functions",
    flushed(BUILTIN),
    ...keepStatus(isRestricted(ready.flags) ? undefined : statusFile, {
      builtin: BUILTIN,
      quote: quoteAnsiC,
      creates: ">>|",
    }),
    `\\__mcp ${quotedMarkDone(secret, "$1")}`,
    "\\builtin unfunction __mcp",
    `${tracing(ready, BUILTIN).settle}\\builtin return "$1"`,
  ].join(";");
  const plain = '\\builtin printf %s "$1"';
  const print = isRestricted(ready.flags) ? plain : `{ ${plain}>/dev/tty||${plain};} 2>/dev/null`;
  return `function __mcp { case $# in 1)${print};;*)${end};esac;}`;
}

function block(run: ShellCommand): string {
  return `if \\__mcp $'\\e]133;C;${run.publicId}\\a'\nthen\n${commandLines(run, BUILTIN)}\nfi`;
}
