// A pane's pipe, and one that copies the pane's output to a file and keeps doing so when this process is gone.
import { shellWord } from "../shell/quoting.ts";
import { literalTime } from "./record_codec.ts";
import { spellCommand } from "./spelling.ts";

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
  return `umask 077; trap "" 13 25; (${limit}) && ${limit}; exec tee -a ${shellWord(path)}`;
}

/** Returns the tmux command that pipes a pane to shell text; if the pane has a pipe, it runs `otherwise`. */
export function startPipe(paneId: string, text: string, ...otherwise: string[]): string[] {
  const pipe = spellCommand(["pipe-pane", "-I", "-O", "-t", paneId, literalTime(text)]);
  return ["if-shell", "-F", "-t", paneId, "#{?pane_pipe,0,1}", pipe, ...otherwise];
}

/** Returns the tmux command that starts copying a pane's output to a file, unless the pane has a pipe. */
export function pipeToSpool(paneId: string, spool: SpoolFile): string[] {
  return startPipe(paneId, `exec >/dev/null 2>&1; ${copyTo(spool)}`);
}

/** Returns the file that a process with these arguments copies to; undefined if it does not copy. */
export function copiedTo(argv: readonly string[]): string | undefined {
  return argv[0] === "tee" ? argv.at(-1) : undefined;
}

/** True if these are the arguments of a process that copies to the file. */
export function isCopyingTo(argv: readonly string[], path: string): boolean {
  return copiedTo(argv) === path;
}
