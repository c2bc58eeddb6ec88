// A pane's pipe, and one that copies the pane's output to a file and keeps doing so when this process is gone.
import { shellWord } from "../shell/quoting.ts";
import type { Command } from "../tmux_exec/exec.ts";
import { ifTrue } from "./conditions.ts";
import { literalTime } from "./row_codec.ts";

/** File that a pane's pipe copies to. */
export interface SpoolFile {
  path: string;
  maxBytes: number;
}

/** Process of a pane's pipe that copies to a file. */
export interface SpoolCopier extends SpoolFile {
  pid: number;
}

/**
 * Returns shell text that copies its input to a file and to its output. `tee` keeps writing the file when nothing
 * reads its output any more (SIGPIPE, 13), and its output when the file has reached its size limit (SIGXFSZ, 25;
 * `ulimit` counts blocks of 512 bytes).
 */
export function copyTo({ path, maxBytes }: SpoolFile): string {
  const limit = `ulimit -f ${Math.ceil(maxBytes / 512)}`;
  return `umask 077; trap "" 13 25; (${limit}) && ${limit}; ${become("tee")} -a ${shellWord(path)}`;
}

/** Returns shell text that copies its input to its output. */
export function copyOn(): string {
  return become("cat");
}

/**
 * Returns shell text that becomes a program of GNU's coreutils, which Ubuntu since 25.10 calls `gnucat` and `gnutee`.
 * uutils' `cat` 0.8 and 0.9 splices, so a read of the pipe that it writes to sleeps until it has input; its `tee` ends
 * after the first read in 0.8, and up to 0.5 takes the default action for SIGPIPE.
 */
function become(program: string): string {
  return `for t in gnu${program} ${program}; do command -v $t && break; done >/dev/null; exec $t`;
}

/** Returns the tmux command that pipes a pane to shell text; if the pane has a pipe, it runs `otherwise`. */
export function startPipe(paneId: string, text: string, ...otherwise: Command[]): Command {
  const pipe = ["pipe-pane", "-I", "-O", "-t", paneId, literalTime(text)];
  return ifTrue(paneId, "#{?pane_pipe,0,1}", { then: [pipe], otherwise });
}

/** Returns the tmux command that starts copying a pane's output to a file; if it has a pipe, it runs `otherwise`. */
export function pipeToSpool(paneId: string, spool: SpoolFile, ...otherwise: Command[]): Command {
  return startPipe(paneId, `exec >/dev/null 2>&1; ${copyTo(spool)}`, ...otherwise);
}

/** Returns the file that a process with these arguments copies to; undefined if it does not copy. */
export function copiedTo([program, ...args]: readonly string[]): string | undefined {
  return program === "tee" || program === "gnutee" ? args.at(-1) : undefined;
}

/** True if these are the arguments of a process that feeds a reader, or of another `cat`. */
export function copiesOn([program]: readonly string[]): boolean {
  return program === "cat" || program === "gnucat";
}
