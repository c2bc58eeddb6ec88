// fish: its own read draws on the screen, so a small sh reads the payload for it.

import { type Dialect, DROPPED, markDone, markOutput, type ShellCommand } from "./dialect.ts";
import { quoteFish } from "./quoting.ts";
import { asTitle } from "./screen.ts";

const READER = "PATH=$PATH:/bin:/usr/bin;s=$(stty -g;stty -echo -icanon);" +
  'printf "\\033]133;R;$0 \\007">/dev/tty;read -r x x;stty $s 2>&-||stty icanon echo;printf %s "$x"';

export const fish: Dialect = {
  name: "fish",
  setsTerminal: false,
  // Quoted words aren't expanded as abbreviations. The block removes its variables and keeps the status; a
  // `set -e` after the command would make that 0.
  loader: ` begin;'set' -l fish_trace;/bin/sh -c '${READER}' $status|'read' -lz __mcp;'eval' $__mcp;end`,
  payload: (run) =>
    DROPPED + [
      "set -e __mcp",
      done(run),
      run.keepHistory ? `builtin history append -- ${quoteFish(run.command)} >/dev/null 2>&1` : "",
      title(run),
      show(run.screen),
      // With -c, fish 3 reports success for text that doesn't parse.
      (run.subshell ? `builtin printf %s ${quoteFish(run.command)}|command fish --no-execute;and ` : "") +
      `eval ${quoteFish(block(run))}`,
      "__mcp $status",
    ].filter((part) => part !== "").join(";") + "\n",
  recovery: (run) =>
    DROPPED + ["set -e __mcp", done(run), show(run.screen), `__mcp ${run.ready.status}`].join(";") + "\n",
};

function done({ secret, statusFile }: Pick<ShellCommand, "secret" | "statusFile">): string {
  const there = statusFile === undefined ? undefined : `builtin test -w ${quoteFish(statusFile)}`;
  const keep = there === undefined ? "" : `${there};and ${there} >>${quoteFish(`${statusFile}.`)}$argv[1];`;
  const print = `builtin printf '${markDone(secret)}' $argv[1]`;
  return `function __mcp;functions -e __mcp;${keep}${print};return $argv[1];end`;
}

function block({ command, publicId, subshell, ready }: ShellCommand): string {
  return [
    `begin;builtin printf '${markOutput(publicId)}'`,
    ready.status === 0 ? "" : `/bin/sh -c 'exit ${ready.status}' 2>/dev/null`,
    subshell ? `fish -c ${quoteFish(command)}` : command,
    "end",
  ].filter((line) => line !== "").join("\n");
}

/** fish has given the pane a title of the loader, as it does for each line that it runs. */
function title({ command }: ShellCommand): string {
  const shown = quoteFish(asTitle(command));
  const printed = `(fish_title ${shown}|builtin string replace -r '.+' \\e']0;$0'\\a)`;
  return `builtin functions -q fish_title;and builtin printf %s ${printed}`;
}

function show(screen: string): string {
  return screen === "" ? "true" : `builtin printf %s ${quoteFish(screen)}`;
}
