// bash: `read -s` turns echo off before it prints its prompt, so no stty and no fork is needed. With `-d,` it
// also turns line mode off and reads any length, byte by byte: 1.1 ms for the 1,700 bytes of `true`, instead
// of 0.1 ms for a line.

import { type Dialect, DROPPED, quotedMarkDone, type ShellCommand } from "./dialect.ts";
import { quoteAnsiC } from "./quoting.ts";
import { commandLines, flushed, keepStatus, setStatus, tracing } from "./state.ts";

/** Prefix that bypasses the user's aliases and functions. */
const BUILTIN = "\\builtin ";
const KEEP_STATUS = "{ \\__mcp 1 2 3 4;} 2>&-";
/** Runs after the command: if that left `set -T`, functions would run its traps on DEBUG and RETURN. */
const KEEP_STATUS_AND_FLAGS = '{ __mcp_status="$? $-";\\builtin set +T;} 2>&-';
/** Fails if the user has made one of the names read-only; then nothing is run, and SIGINT discards the rest. */
const UNSET = "\\builtin unset __mcp __mcp_ __mcp_status&&\\builtin unset -f __mcp";
/** Does nothing; `:` could be a function of the user. */
const NOTHING = "((1))";
/**
 * Ends a run at the prompt. A command may have copied it to where it stays (as `starship init` does): there it calls
 * nothing once the run has ended, and leaves `$?`.
 */
const HOOK = "case ${__mcp_+r}$? in r*)\\__mcp;;0);;*)(\\builtin exit $?)&&\\builtin :;;esac 2>&-;";
/**
 * After a syntax error in a condition, bash 5.2 doesn't recognise the next `[[`: this is one for it to stumble over,
 * and no other statement of ours has one.
 */
const RECOGNISE_CONDITIONS = "\\builtin eval '[[ 1 ]]' 2>&-||((1))";

/** The way `read` takes the payload: its options, a list that runs if it fails, and the character that ends the payload. */
interface Reading {
  options: string;
  otherwise: string;
  end: string;
}

const BY_CHARACTER: Reading = { options: "-rsd,", otherwise: "", end: "," };
/** A terminal that `stty min 0` left is at its end before anything is typed; with `-n`, `read` sets that itself. */
const BY_LINE: Reading = {
  options: "-rs",
  otherwise: "||IFS=' ' \\builtin read -rsn9999 __mcp __mcp",
  end: "\n",
};

export const bash: Dialect = { ...dialect(BY_CHARACTER), byLine: dialect(BY_LINE) };

function dialect(reading: Reading): Dialect {
  return {
    name: "bash",
    setsTerminal: false,
    loader: ` __mcp="$? $-";\\builtin set +evxT;` +
      `IFS=' ' \\builtin read ${reading.options} -p$'\\e]133;R;'"$__mcp"$'\\a' __mcp __mcp${reading.otherwise};` +
      '\\builtin eval "$__mcp";{ \\__mcp&&((1));} 2>&-',
    payload: (run) => ended(payload(run), reading),
    recovery: (run) => ended(recovery(run), reading),
  };
}

/**
 * Joins the statements after the word that the loader drops, and ends them. Long words have newlines between their
 * pieces, which are removed if the payload is one line.
 */
function ended(statements: readonly string[], { end }: Reading): string {
  const text = `${DROPPED}${statements.join(";")}`;
  return (end === "\n" ? text.replaceAll("\\\n", "") : text) + end;
}

function payload(run: ShellCommand): string[] {
  return [
    history(run),
    `${UNSET}||{ ${toTerminal(`$'\\e]133;D;1;${run.secret}\\a'`)};\\builtin kill -INT $$;}`,
    helper(
      run,
      `${RECOGNISE_CONDITIONS};__mcp_=${quoteAnsiC(block(run))};` +
        `\\builtin printf -v PROMPT_COMMAND %s '${HOOK}'"\${PROMPT_COMMAND-}" 2>&-`,
      `\\__mcp $'\\e]133;C;${run.publicId}\\a'`,
    ),
    "\\__mcp 1 2",
    `${tracing(run.ready, BUILTIN).prepare}\\builtin eval "$__mcp_"`,
    KEEP_STATUS,
  ];
}

function recovery(run: Parameters<Dialect["recovery"]>[0]): string[] {
  return [
    forget(),
    "\\builtin unset __mcp",
    helper(run),
    "\\__mcp 1 2",
    `${tracing(run.ready, BUILTIN).prepare}${setStatus(run.ready, BUILTIN)}`,
    KEEP_STATUS,
  ];
}

/**
 * A trap on DEBUG could print our statements (`$BASH_COMMAND` in a title), so they are in a function, in
 * which no such trap runs: `__mcp 1 2` shows the command, keeps it in a variable and adds the prompt hook, which
 * runs while that variable is set. `__mcp 1 2 3` empties it and begins the output.
 *
 * `__mcp 1 2 3 4` keeps the status of text that did not parse, so that each eval succeeds: a failing eval
 * would run a trap on ERR again, and an eval before `&&` would keep that trap from the command.
 *
 * `__mcp TEXT` prints to the terminal, even if the user has redirected standard output (`exec >log`), or to
 * standard output if no terminal controls the shell. `__mcp` alone ends the run; Ctrl-C discards the rest of
 * the line, and then the prompt hook calls it. The status is an argument, because the user's own function
 * `builtin`, if it calls the real one, can't set our status.
 */
function helper(
  { secret, statusFile, screen, ready }: Pick<ShellCommand, "secret" | "statusFile" | "screen" | "ready">,
  keep = NOTHING,
  begin = NOTHING,
): string {
  const end = [
    // With `set -u`, a replacement in a variable that the command has unset would end all here.
    `\\builtin printf -v PROMPT_COMMAND %s "\${PROMPT_COMMAND-}"`,
    `\\builtin printf -v PROMPT_COMMAND %s "\${PROMPT_COMMAND//'${HOOK}'/}"`,
    "case ${PROMPT_COMMAND[*]} in '')\\builtin unset PROMPT_COMMAND;;esac",
    flushed(BUILTIN),
    ...keepStatus(statusFile, { builtin: BUILTIN, quote: quoteAnsiC, status: "$5" }),
    `\\__mcp ${quotedMarkDone(secret, "$5")}`,
    "case $6 in *T*)\\builtin set -T;;esac",
    "\\builtin unset __mcp_ __mcp_status",
    "\\builtin unset -f __mcp",
    `${tracing(ready, BUILTIN).settle}\\builtin return "$5"`,
  ].join(";");
  const print = toTerminal('"$1"');
  const cases =
    `1)${print};;2)\\__mcp ${quoteAnsiC(screen)};${keep};;3)\\builtin export -n __mcp_=;${begin};;` +
    `4)__mcp_status=\${__mcp_status-"$? ${ready.flags.includes("T") ? "T" : ""}"};;` +
    `0)__mcp_status=\${__mcp_status-"$? $-"};` +
    `\\__mcp 1 2 3 4 "\${__mcp_status%% *}" "\${__mcp_status#* }";;*)${end};`;
  return `function __mcp { case $# in ${cases};esac;}` +
    (ready.flags.includes("a") ? ";\\builtin export -nf __mcp" : "");
}

function toTerminal(word: string): string {
  return `{ \\builtin printf %s ${word}>/dev/tty||\\builtin printf %s ${word};} 2>&-`;
}

function block(run: ShellCommand): string {
  const traced = run.ready.flags.includes("T") ? "\\builtin set -T\n" : "";
  return `if \\__mcp 1 2 3\nthen\n${traced}${commandLines(run, BUILTIN)}\nfi;${KEEP_STATUS_AND_FLAGS}`;
}

function history({ command, keepHistory }: ShellCommand): string {
  return keepHistory ? `${forget()};\\builtin history -s -- ${quoteAnsiC(command)}` : forget();
}

/**
 * Statement that removes the loader from the history, which has it unless HISTCONTROL ignores spaces. If
 * HISTIGNORE or `set +o history` may have kept it out, or in bash before 5, which lacks -1, it reads the last
 * line first, which takes a fork.
 */
function forget(): string {
  const last = `__mcp=$(HISTTIMEFORMAT= \\builtin history 1)`;
  const number = `__mcp=\${__mcp#"\${__mcp%%[0-9]*}"};\\builtin history -d "\${__mcp%%[!0-9]*}"`;
  // With HISTSIZE=0, bash keeps no entry that could be removed.
  const lastEntry = `\\builtin history -d -1 2>&-||${NOTHING}`;
  const readFirst = `${last};case $__mcp in *'133;R;'*)${number};esac`;
  return `case :\${HISTCONTROL-}: in *:ignorespace:*|*:ignoreboth:*);;` +
    `*)case \${BASH_VERSINFO[0]}:$SHELLOPTS:\${HISTIGNORE:+1} in [5-9]*:history:*:)${lastEntry};;` +
    `*)${readFirst};esac;esac`;
}
