// The state of the user's shell that a run must not change: `$?`, `set -x` and `set -v`.

import type { Ready, Run } from "./dialect.ts";

/** A statement that gives `$?` its value back: behind `&&` neither `set -e` nor an ERR trap minds. */
export function setStatus({ status }: Ready): string {
  return status === 0 ? ":" : `{ (\\exit ${status})&&:;} 2>&-`;
}

/** Statements for three places, so that tracing is off while ours runs and on while the command does. */
export interface Tracing {
  /** Before the command is parsed. */
  prepare: string;
  /** The first line of the command; empty where the user does not trace. */
  resume: string;
  /** After it: text that did not parse has not resumed. */
  settle: string;
}

/** `builtin` is what keeps functions of the user away; POSIX shells look for special built-ins first. */
export function tracing({ flags }: Ready, builtin = "\\"): Tracing {
  const traced = [...flags].filter((flag) => flag === "v" || flag === "x").join("");
  if (traced === "") return { prepare: "", resume: "", settle: "" };
  const resume = `${builtin}unset __mcp;${builtin}set -${traced}`;
  return { prepare: "__mcp=1;", resume, settle: `case \${__mcp-} in 1)${resume};;esac;` };
}

/** The lines between `then` and `fi`: never none, which would not parse. */
export function commandLines({ command, subshell, ready }: Run, builtin?: string): string {
  const isBlank = command.split("\n").every((line) => /^\s*(#|$)/.test(line));
  const lines = [
    tracing(ready, builtin).resume,
    ready.status === 0 && !isBlank ? "" : setStatus(ready),
    subshell && !isBlank ? `(${command}\n)` : command,
  ];
  return lines.filter((line) => line !== "").join("\n");
}
