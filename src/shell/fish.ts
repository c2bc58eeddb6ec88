// fish: its own read draws on the screen, so a small sh reads the payload for it.

import { type Dialect, markDone, markOutput, type ShellCommand } from "./dialect.ts";
import { quoteFish } from "./quoting.ts";

const READER = "PATH=$PATH:/bin:/usr/bin;s=$(stty -g;stty -echo -icanon);" +
  'printf "\\033]133;R;$0 \\007">/dev/tty;read -r x;stty $s;printf %s "$x"';

/** Takes away what the loader laid over the person's own setting. */
const TRACING_BACK = "set -el fish_trace";

export const fish: Dialect = {
  name: "fish",
  setsTerminal: false,
  loader: ` set -l fish_trace;/bin/sh -c '${READER}' $status|read -lz __mcp;eval $__mcp`,
  payload: (run) =>
    [
      "set -e __mcp",
      done(run.secret),
      show(run.screen),
      `eval ${quoteFish(block(run))}`,
      "__mcp $status",
      run.keepHistory ? `builtin history append -- ${quoteFish(run.command)} >/dev/null 2>&1` : "",
      TRACING_BACK,
    ].filter((part) => part !== "").join(";") + "\n",
  recovery: ({ secret, screen, ready }) =>
    ["set -e __mcp", done(secret), show(screen), `__mcp ${ready.status}`, TRACING_BACK].join(";") + "\n",
};

function done(secret: string): string {
  return `function __mcp;functions -e __mcp;builtin printf '${
    markDone(secret)
  }' $argv[1];return $argv[1];end`;
}

function block({ command, publicId, subshell, ready }: ShellCommand): string {
  return [
    `begin;builtin printf '${markOutput(publicId)}'`,
    ready.status === 0 ? "" : `/bin/sh -c 'exit ${ready.status}'`,
    subshell ? `fish -c ${quoteFish(command)}` : command,
    "end",
  ].filter((line) => line !== "").join("\n");
}

function show(screen: string): string {
  return screen === "" ? "true" : `builtin printf %s ${quoteFish(screen)}`;
}
