// State of the user's shell that a run must not change: `$?`, `set -e`, `set -x` and `set -v`.

import type { Ready, ShellCommand } from "./dialect.ts";
import { shellWord } from "./quoting.ts";

/**
 * Statement that restores `$?`. Before `&&`, a failure triggers neither `set -e` nor a trap on ERR.
 * @param resume Statement that turns tracing on: inside the redirect, because ksh93 traces a redirect too
 */
export function setStatus({ status }: Ready, builtin = "\\", resume = ""): string {
  const first = resume === "" ? "" : `${resume};`;
  return status === 0 ? `${first}${builtin}:` : `{ ${first}${ending(status, builtin)}&&${builtin}:;} 2>&-`;
}

/** Only a function can return a status beyond 255; zsh, where our function is still needed, has nameless ones. */
function ending(status: number, builtin: string): string {
  if (status > 0 && status < 256) return `(${builtin}exit ${status})`;
  return builtin === "\\"
    ? `__mcp(){ \\unset -f __mcp;\\return ${status};};__mcp`
    : `(){ ${builtin}return ${status};}`;
}

/**
 * Statements that turn tracing off while our text runs and on while the command does, and `set -e` too,
 * because text that doesn't parse would end the shell.
 */
export interface Tracing {
  /** Goes before the command is parsed. */
  prepare: string;
  /** First line of the command; empty if the user doesn't trace. */
  resume: string;
  /** Goes after the command, for text that did not parse and so has not resumed tracing. */
  settle: string;
  /** Goes last: with `set -e`, the status that a command left in `$?` must not end the shell. */
  survive: string;
}

/** @param builtin Prefix that bypasses the user's functions; POSIX shells look for special built-ins first */
export function tracing({ flags }: Ready, builtin = "\\"): Tracing {
  const kept = [...flags].filter((flag) => "evx".includes(flag)).join("");
  if (kept === "") return { prepare: "", resume: "", settle: "", survive: "" };
  const resume = `${builtin}unset __mcp;${builtin}set -${kept}`;
  const settle = `case \${__mcp-} in 1)${resume};;esac;`;
  return { prepare: "__mcp=1;", resume, settle, survive: kept.includes("e") ? `;${builtin}:` : "" };
}

/**
 * Statement that gives the reader of a pipe (`exec > >(tee log)`) time to print what it has read, because the
 * following mark goes to the terminal at once.
 */
export function flushed(builtin: string): string {
  return `${builtin}test -p /dev/fd/1&&{ PATH=$PATH:/bin:/usr/bin ${builtin}command sleep 0.1;} 2>&-||${builtin}:`;
}

/** Dialect-specific parts of `keepStatus`. */
interface StatusWriting {
  builtin: string;
  quote(word: string): string;
  /** Shell text for the status; `$1` by default. */
  status?: string;
  /** Redirect that creates a file, whatever options the user has set. */
  creates?: string;
}

/**
 * Statement that keeps the exit status in the name of an empty file next to the given one: after `ulimit -f 0`, a
 * write to a file would end the shell. If the given file doesn't exist, the shell is on another machine.
 */
export function keepStatus(
  path: string | undefined,
  { builtin, quote, status = "$1", creates = ">>" }: StatusWriting,
): string[] {
  if (path === undefined) return [];
  const there = `${builtin}test -w ${quote(path)}`;
  return [`${there}&&${there}${creates}${quote(`${path}.`)}"${status}"||${builtin}:`];
}

/**
 * Lines between `then` and `fi`: at least one, because the shell requires that.
 * @param losesTracing True if the shell forgets tracing that is turned on while standard error is closed
 */
export function commandLines(
  { command, subshell, ready }: ShellCommand,
  builtin = "\\",
  losesTracing = false,
): string {
  const isBlank = command.split("\n").every((line) => /^\s*(#|$)/.test(line));
  const { resume } = tracing(ready, builtin);
  const restores = ready.status !== 0 || isBlank;
  const resumesWithin = restores && !losesTracing;
  const lines = [
    resumesWithin ? "" : resume,
    restores ? setStatus(ready, builtin, resumesWithin ? resume : "") : "",
    subshell && !isBlank ? `(${evaluation(builtin)} ${shellWord(`${command}\n`)})` : command,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/**
 * Text that is parsed in its subshell can't leave that with a parenthesis too many. Without `command`, busybox would
 * continue after a syntax error in the subshell as if that were the shell.
 */
function evaluation(builtin: string): string {
  return builtin === "\\" ? "\\command eval" : `${builtin}eval`;
}
