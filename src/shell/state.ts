// The state of the user's shell that a run must not change: `$?`, `set -e`, `set -x` and `set -v`.

import type { Ready, ShellCommand } from "./dialect.ts";

/** A statement that gives `$?` its value back: behind `&&` neither `set -e` nor an ERR trap minds. */
export function setStatus({ status }: Ready, builtin = "\\"): string {
  return status === 0 ? `${builtin}:` : `{ (${builtin}exit ${status})&&${builtin}:;} 2>&-`;
}

/**
 * Statements for some places, so that tracing is off while ours runs and on while the command does. So is `set -e`:
 * text that does not parse would end the shell.
 */
export interface Tracing {
  /** Before the command is parsed. */
  prepare: string;
  /** The first line of the command; empty where the user does not trace. */
  resume: string;
  /** After it: text that did not parse has not resumed. */
  settle: string;
  /** Comes last: with `set -e`, the status that a command left in `$?` must not end the shell. */
  survive: string;
}

/** `builtin` is what keeps functions of the user away; POSIX shells look for special built-ins first. */
export function tracing({ flags }: Ready, builtin = "\\"): Tracing {
  const kept = [...flags].filter((flag) => "evx".includes(flag)).join("");
  if (kept === "") return { prepare: "", resume: "", settle: "", survive: "" };
  const resume = `${builtin}unset __mcp;${builtin}set -${kept}`;
  const settle = `case \${__mcp-} in 1)${resume};;esac;`;
  return { prepare: "__mcp=1;", resume, settle, survive: kept.includes("e") ? `;${builtin}:` : "" };
}

/**
 * A statement that gives the reader of a pipe (`exec > >(tee log)`) the time to show what it has read: the mark after
 * it goes to the terminal at once.
 */
export function flushed(builtin: string): string {
  return `[[ -p /dev/fd/1 ]]&&{ PATH=$PATH:/bin:/usr/bin ${builtin}command sleep 0.1;} 2>&-||${builtin}:`;
}

/** `keepStatus` in a dialect's words. */
interface StatusWriting {
  builtin: string;
  quote(word: string): string;
  /** The status; `$1` by default. */
  status?: string;
}

/** Statement that writes the exit status to an existing file: where it is missing, the shell is on another machine. */
export function keepStatus(
  path: string | undefined,
  { builtin, quote, status = "$1" }: StatusWriting,
): string[] {
  if (path === undefined) return [];
  const file = quote(path);
  return [`${builtin}test -w ${file}&&${builtin}echo "${status}">>${file}||${builtin}:`];
}

/** The lines between `then` and `fi`: at least one, or they would not parse. */
export function commandLines({ command, subshell, ready }: ShellCommand, builtin?: string): string {
  const isBlank = command.split("\n").every((line) => /^\s*(#|$)/.test(line));
  const lines = [
    tracing(ready, builtin).resume,
    ready.status === 0 && !isBlank ? "" : setStatus(ready, builtin),
    subshell && !isBlank ? `(${command}\n)` : command,
  ];
  return lines.filter((line) => line !== "").join("\n");
}
