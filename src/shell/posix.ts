// dash, busybox ash, ksh93, mksh and any other POSIX shell: stty turns echo and line mode off.

import { type Dialect, markDone, type Ready, type ShellCommand } from "./dialect.ts";
import { quoteAnsiC, quoteFormat } from "./quoting.ts";
import { commandLines, setStatus, tracing } from "./state.ts";

/** How a shell writes text down, and out. */
interface Writing {
  /** Mark R as it is typed; `$STTY` stands for the command that prints and changes the terminal's settings. */
  ready: string;
  /** Prints fixed text. */
  show(text: string): string;
  /** Prints mark D with the status in `$__mcp_`. */
  done(secret: string): string;
  /** Evaluates text, and goes on after it even when it does not parse. */
  evaluate(text: string): string;
  history?(command: string): string;
  /** A redirect on `{` runs a trap on DEBUG, and the status inside is the trap's. */
  redirectSetsStatus?: true;
}

const STTY = "$(PATH=$PATH:/bin:/usr/bin;\\command stty -g;\\command stty -echo -icanon)";

const withPrintf: Writing = {
  ready: `\\command printf '\\033]133;R;%s\\007' "$__mcp ${STTY}" >&2`,
  show: (text) => `\\command printf ${quoteFormat(text)}`,
  done: (secret) => toTerminal(`\\command printf '${markDone(secret)}' "$__mcp_"`),
  evaluate: (text) => `\\command eval "$(\\command printf ${quoteFormat(text)})"`,
};

/** mksh has no printf, loses the rest of the line to a syntax error, and takes octal with a zero in front. */
const withPrint: Writing = {
  ready: `\\command print -nu2 "\\0033]133;R;$__mcp ${STTY}\\0007"`,
  show: (text) => `\\command print -nr -- ${quoteAnsiC(text)}`,
  done: (secret) =>
    toTerminal(
      `\\command print -n '${markDone(secret).replaceAll("\\0", "\\00").replace("%s", `'"$__mcp_"'`)}'`,
    ),
  evaluate: (text) => {
    const word = quoteAnsiC(text);
    return `__mcp_=${word};if (\\set -n;\\eval "$__mcp_");then \\eval "\\unset __mcp_;$__mcp_";` +
      "else \\unset __mcp_;(\\exit 1);fi";
  },
  history: (command) => `\\command print -rs -- ${quoteAnsiC(command)}`,
};

export const sh: Dialect = posix("sh", withPrintf);
export const ksh93: Dialect = posix("ksh", {
  ...withPrintf,
  redirectSetsStatus: true,
  history: (command) => `\\command print -rs -- ${quoteAnsiC(command)}`,
});
export const mksh: Dialect = posix("mksh", withPrint);

function posix(name: Dialect["name"], writing: Writing): Dialect {
  return {
    name,
    setsTerminal: true,
    loader:
      ` __mcp="$? $-";\\set +evx;${writing.ready};IFS= \\command read -r __mcp;\\command eval "$__mcp";{ __mcp&&:;} 2>&-`,
    payload: (run) =>
      line([
        "\\unset __mcp __mcp_",
        restoreTerminal(run.ready),
        run.keepHistory ? writing.history?.(run.command) : undefined,
        show(writing, run.screen),
        tracing(run.ready).prepare + writing.evaluate(block(writing, run)),
        finish(writing, run),
      ]),
    recovery: ({ secret, screen, ready }) =>
      line([
        "\\unset __mcp __mcp_",
        restoreTerminal(ready),
        show(writing, screen),
        `${tracing(ready).prepare}${setStatus(ready)}`,
        finish(writing, { secret, ready }),
      ]),
  };
}

/** The loader reads one line. */
function line(statements: (string | undefined)[]): string {
  const text = statements.filter((statement) => statement !== undefined).join(";");
  return `${text.replaceAll("\\\n", "")}\n`;
}

function restoreTerminal({ tty }: Ready): string {
  return `(PATH=$PATH:/bin:/usr/bin;\\command stty '${tty}')`;
}

/** It keeps the command's status, so that each eval succeeds: one that fails runs a trap on ERR again. */
function block(writing: Writing, run: ShellCommand): string {
  const begin = toTerminal(writing.show(`\x1b]133;C;${run.publicId}\x07`));
  return `if ${begin}\nthen\n${commandLines(run)}\nfi\n${untraced(writing, run, "__mcp_=$?")}`;
}

/** The loader's last word gives `$?` its value, where no trap on ERR minds, and is gone. */
function finish(writing: Writing, run: Pick<ShellCommand, "secret" | "ready">): string {
  const { settle } = tracing(run.ready);
  const done = writing.done(run.secret);
  const end = [
    "__mcp_=${__mcp_-$?}",
    settle === "" ? done : `(\\set +vx;${done})`,
    '\\eval "__mcp(){ \\unset -f __mcp;\\return $__mcp_;}"',
    "\\unset __mcp_",
    ...settle === "" ? [] : [settle.replace(/;$/, "")],
  ];
  return untraced(writing, run, end.join(";"));
}

/** Where a redirect on `{` changes the status, only those who trace pay for it. */
function untraced(writing: Writing, { ready }: Pick<ShellCommand, "ready">, statements: string): string {
  const isTraced = tracing(ready).settle !== "";
  return isTraced || !writing.redirectSetsStatus ? `{ ${statements};} 2>&-` : statements;
}

function show(writing: Writing, screen: string): string | undefined {
  return screen === "" ? undefined : toTerminal(writing.show(screen));
}

function toTerminal(print: string): string {
  return `{ ${print} >/dev/tty||${print};} 2>&-`;
}
