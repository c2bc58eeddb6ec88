// dash, busybox ash, ksh93, mksh and any other POSIX shell: stty turns echo and line mode off.

import { type Dialect, markDone, type Ready, type Run } from "./dialect.ts";
import { quoteAnsiC, quoteFormat } from "./quoting.ts";

/** How a shell writes text down, and out. */
interface Writing {
  /** Mark R as it is typed; `$STTY` stands for the command that prints and changes the terminal's settings. */
  ready: string;
  /** Prints fixed text. */
  show(text: string): string;
  /** Prints mark D with the status in `$r`. */
  done(secret: string): string;
  /** Evaluates text, and goes on after it even when it does not parse. */
  evaluate(text: string): string;
  history?(command: string): string;
}

const STTY = "$(PATH=$PATH:/bin:/usr/bin;stty -g;stty -echo -icanon)";

const withPrintf: Writing = {
  ready: `\\command printf '\\033]133;R;%s\\007' "$? $- ${STTY}" >&2`,
  show: (text) => `command printf ${quoteFormat(text)}`,
  done: (secret) => toTerminal(`command printf '${markDone(secret)}' $r`),
  evaluate: (text) => `command eval "$(command printf ${quoteFormat(text)})"`,
};

/** mksh has no printf, loses the rest of the line to a syntax error, and takes octal with a zero in front. */
const withPrint: Writing = {
  ready: `\\command print -nu2 "\\0033]133;R;$? $- ${STTY}\\0007"`,
  show: (text) => `print -nr -- ${quoteAnsiC(text)}`,
  done: (secret) =>
    toTerminal(`print -n '${markDone(secret).replaceAll("\\0", "\\00").replace("%s", "'$r'")}'`),
  evaluate: (text) => {
    const word = quoteAnsiC(text);
    return `__mcp=${word};if (set -n;eval "$__mcp");then eval "unset __mcp;$__mcp";else (exit 1);fi`;
  },
  history: (command) => `print -rs -- ${quoteAnsiC(command)}`,
};

export const sh: Dialect = posix("sh", withPrintf);
export const ksh93: Dialect = posix("ksh", {
  ...withPrintf,
  history: (command) => `print -rs -- ${quoteAnsiC(command)}`,
});
export const mksh: Dialect = posix("mksh", withPrint);

function posix(name: Dialect["name"], writing: Writing): Dialect {
  return {
    name,
    loader: ` ${writing.ready};IFS= \\command read -r __mcp;\\set +vx;\\command eval "$__mcp"`,
    payload: (run) =>
      line([
        "unset __mcp",
        restoreTerminal(run.ready),
        run.keepHistory ? writing.history?.(run.command) : undefined,
        show(writing, run.screen),
        writing.evaluate(block(writing, run)),
        finish(writing, run.secret),
      ]),
    recovery: ({ secret, screen, ready }) =>
      line([
        "unset __mcp",
        restoreTerminal(ready),
        show(writing, screen),
        `(exit ${ready.status})`,
        finish(writing, secret),
      ]),
  };
}

/** The loader reads one line. */
function line(statements: (string | undefined)[]): string {
  const text = statements.filter((statement) => statement !== undefined).join(";");
  return `${text.replaceAll("\\\n", "")}\n`;
}

function restoreTerminal({ tty }: Ready): string {
  return `(PATH=$PATH:/bin:/usr/bin;stty '${tty}')`;
}

function block(writing: Writing, { command, publicId, subshell, ready }: Run): string {
  const traced = [...ready.flags].filter((flag) => flag === "v" || flag === "x").join("");
  return [
    `if ${toTerminal(writing.show(`\x1b]133;C;${publicId}\x07`))}`,
    "then",
    traced === "" ? undefined : `set -${traced}`,
    ready.status === 0 ? ":" : `(exit ${ready.status})`,
    subshell ? `(${command}\n)` : command,
    "fi",
  ].filter((part) => part !== undefined).join("\n");
}

/** A subshell leaves no variable, and hands on the status. */
function finish(writing: Writing, secret: string): string {
  return `{ (r=$?;${writing.done(secret)};exit $r);} 2>&-`;
}

function show(writing: Writing, screen: string): string | undefined {
  return screen === "" ? undefined : toTerminal(writing.show(screen));
}

function toTerminal(print: string): string {
  return `{ ${print} >/dev/tty||${print};} 2>&-`;
}
