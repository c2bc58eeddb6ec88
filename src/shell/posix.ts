// dash, busybox ash, ksh93, mksh and any other POSIX shell: stty turns echo and line mode off.

import { type Dialect, DROPPED, markDone, type Ready, type ShellCommand } from "./dialect.ts";
import { quoteAnsiC, quoteFormat, shellWord } from "./quoting.ts";
import { commandLines, flushed, keepStatus, setStatus, tracing } from "./state.ts";

/** The ways in which a shell keeps and prints text. */
interface Writing {
  /**
   * Statement that prints mark R. `STTY` prints and changes the terminal settings; it is not run, and the loader ends,
   * if a key that a person pressed stands before the loader.
   */
  ready: string;
  /** Statement that prints fixed text. */
  show(text: string): string;
  /** Statement that prints mark D with the status: `$1`, or the first word of `$__mcp_`. */
  done(secret: string): string;
  /** Statement that evaluates text; if the text doesn't parse, it runs `settle` and fails. */
  evaluate(text: string, settle: string): string;
  history?(command: string): string;
  /** Set if a redirect on `{` is traced, and runs a trap on DEBUG, which changes the status inside. */
  seesRedirects?: true;
  /** Set if in `eval …&&:` a trap on ERR runs for the evaluated commands, but not for the eval. */
  trapsInLists?: true;
  /** Set if the shell forgets tracing that is turned on while standard error is closed. */
  losesTracing?: true;
}

/** The command's status in `$__mcp_`, which may also have the flags that the command left. */
const STATUS = "${__mcp_%% *}";
const COMMAND = "\\command ";
/** Runs stty with and without `-p`: a PATH without stty may be read-only, and a restricted shell refuses `-p`. */
const STTY = `$(${stty("-g", "-echo -icanon")})`;

const withPrintf: Writing = {
  ready: `\\command printf '\\033]133;R;%s\\007' "\${__mcp:?} ${STTY}" >&2`,
  show: (text) => `\\command printf ${quoteFormat(text)}`,
  done: (secret) => toTerminal(`\\command printf '${markDone(secret)}' "${STATUS}"`),
  evaluate: (text) => `\\command eval "$(\\command printf ${quoteFormat(text)})"`,
};

/**
 * mksh has no printf, discards the rest of the line after a syntax error, and needs a leading zero in octal
 * numbers. It alone parses without running after `set -n`; a ksh93 in its place would run the text twice.
 */
const withPrint: Writing = {
  ready: `\\command print -nu2 "\\0033]133;R;\${__mcp:?} ${STTY}\\0007"`,
  show: (text) => `\\command print -nr -- ${quoteAnsiC(text)}`,
  done: (secret) =>
    toTerminal(
      `\\command print -n '${markDone(secret).replaceAll(/\\(?=\d)/g, "\\0").replace("%s", `'"$1"'`)}'`,
    ),
  evaluate: (text, settle) => {
    const word = quoteAnsiC(text);
    return `__mcp_=${word};if (case \${KSH_VERSION-} in *" KSH "*)\\set -n;\\eval "$__mcp_";;esac);then \\eval "\\unset __mcp_;$__mcp_"&&:;` +
      `else \\unset __mcp_;${settle}(\\exit 1)&&:;fi`;
  },
  history: (command) => `\\command print -rs -- ${quoteAnsiC(command)}`,
  trapsInLists: true,
  losesTracing: true,
};

export const sh: Dialect = posix("sh", withPrintf);
export const ksh93: Dialect = posix("ksh", {
  ...withPrintf,
  seesRedirects: true,
  done: (secret) => `${flushed(COMMAND)};${withPrintf.done(secret)}`,
  history: (command) => `\\command print -rs -- ${quoteAnsiC(command)}`,
});
export const mksh: Dialect = posix("mksh", withPrint);

function posix(name: Dialect["name"], writing: Writing): Dialect {
  return {
    name,
    setsTerminal: true,
    loader:
      ` __mcp="$? $-";\\set +evx;${writing.ready}&&IFS=' ' \\command read -r __mcp __mcp;\\command eval "$__mcp"` +
      (writing.trapsInLists ? "&&:" : ";{ __mcp&&:;} 2>&-"),
    payload: (run) =>
      line([
        restoreTerminal(run.ready),
        freeNames(writing, run),
        run.keepHistory ? writing.history?.(run.command) : undefined,
        show(writing, run.screen),
        tracing(run.ready).prepare + writing.evaluate(block(writing, run), unparsed(run)),
        finish(writing, run),
      ]),
    recovery: ({ secret, screen, ready }) =>
      line([
        "\\unset __mcp __mcp_",
        restoreTerminal(ready),
        show(writing, screen),
        tracing(ready).prepare + (writing.trapsInLists ? tracing(ready).settle : "") + setStatus(ready),
        writing.trapsInLists && endsAtFailure({ ready }) ? "__mcp_=$?" : undefined,
        finish(writing, { secret, ready }),
      ]),
  };
}

/** Statement that clears our names. If the user has made one read-only, SIGINT discards the rest and nothing is run. */
function freeNames(writing: Writing, { secret }: ShellCommand): string {
  const refusal = toTerminal(writing.show(`\x1b]133;D;1;${secret}\x07`));
  return `\\command unset __mcp __mcp_||{ ${refusal};\\kill -INT $$;}`;
}

/** Joins statements into the one line that the loader reads, after the word that it drops. */
function line(statements: (string | undefined)[]): string {
  const text = statements.filter((statement) => statement !== undefined).join(";");
  return `${DROPPED}${text.replaceAll("\\\n", "")}\n`;
}

/** uutils' stty before 0.5 prints settings that it doesn't read. */
function restoreTerminal({ tty }: Ready): string {
  return `(${stty(`'${tty}'||\\command $s stty echo icanon`)})`;
}

/** Statement that calls stty with each of these argument lists. */
export function stty(...calls: string[]): string {
  const each = calls.map((words) => `\\command $s stty ${words}&&`).join("");
  return `for s in "" -p;do ${each}break;done 2>&-`;
}

/**
 * Block that runs the command. It keeps the command's status, so that each eval succeeds: a failing eval
 * would run a trap on ERR again.
 */
function block(writing: Writing, run: ShellCommand): string {
  const begin = toTerminal(writing.show(`\x1b]133;C;${run.publicId}\x07`));
  const lines = ["if " + begin, "then", commandLines(run, "\\", writing.losesTracing), "fi"];
  if (writing.trapsInLists) return [...lines, ...endsAtFailure(run) ? ["__mcp_=$?"] : []].join("\n");
  return [...lines, keepUntraced(writing, run)].join("\n");
}

/** Statement that keeps the status, and turns tracing off; ksh93 traces neither `for` nor `set +x`. */
function keepUntraced(writing: Writing, run: ShellCommand): string {
  if (writing.seesRedirects) return 'for __mcp_ in "$? $-";do \\set +vx;done';
  return `{ ${isTraced(run) ? '__mcp_="$? $-";\\set +vx' : "__mcp_=$?"};} 2>&-`;
}

type Finished = Pick<ShellCommand, "secret" | "statusFile" | "ready">;

function finish(writing: Writing, run: Finished): string {
  return writing.trapsInLists ? finishInList(writing, run) : finishByFunction(writing, run);
}

/** Statements that end the run in a list. A subshell leaves no variables and passes on the status. */
function finishInList(writing: Writing, run: Finished): string {
  const kept = keepStatus(run.statusFile, { builtin: COMMAND, quote: shellWord });
  const ends = ['\\set -- "$?"', "\\set +vx", ...kept, writing.done(run.secret), '\\exit "$1"'];
  const done = `(${ends.join(";")})&&:`;
  if (!endsAtFailure(run)) return `{ ${done};} 2>&-`;
  // The eval around the block keeps `set -e` from ending the shell; only a block that `set -e` ended leaves no status.
  const last = `\\unset -f __mcp;\\set -- "${STATUS}";\\unset __mcp_;\\return "$1"`;
  return `{ case $-/\${__mcp_="$? e"} in *e*/*e)\\exit "${STATUS}";;esac;} 2>&-;` +
    `{ (\\exit "${STATUS}")&&:;${done};} 2>&-;{ __mcp(){ ${last};};__mcp&&:;} 2>&-`;
}

/** Replacement for a block that doesn't parse. */
function unparsed(run: ShellCommand): string {
  return tracing(run.ready).settle + (endsAtFailure(run) ? "__mcp_=1;" : "");
}

/** True if the shell exits at failures (`set -e`). */
function endsAtFailure({ ready }: Pick<ShellCommand, "ready">): boolean {
  return ready.flags.includes("e");
}

/**
 * Statements that end the run by a function. The loader's last statement sets `$?` where no trap on ERR runs,
 * and removes the function.
 */
function finishByFunction(writing: Writing, run: Finished): string {
  const retrace = "case $2 in *v*)\\set -v;;esac;case $2 in *x*)\\set -x;;esac;";
  const last = "\\unset -f __mcp;" +
    `\\set -- "${STATUS}" "\${__mcp_#* }";` +
    "\\unset __mcp_;" +
    tracing(run.ready).settle +
    (isTraced(run) || writing.seesRedirects ? retrace : "") +
    '\\return "$1"';
  const kept = keepStatus(run.statusFile, { builtin: COMMAND, quote: shellWord, status: STATUS });
  const ends = ["__mcp_=${__mcp_-$?}", `__mcp(){ ${last};}`, ...kept, writing.done(run.secret)].join(";");
  return writing.seesRedirects ? ends : `{ ${ends};} 2>&-`;
}

function isTraced({ ready }: Pick<ShellCommand, "ready">): boolean {
  return tracing(ready).settle !== "";
}

function show(writing: Writing, screen: string): string | undefined {
  return screen === "" ? undefined : toTerminal(writing.show(screen));
}

function toTerminal(print: string): string {
  return `{ ${print} >/dev/tty||${print};} 2>&-`;
}
