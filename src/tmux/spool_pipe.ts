// The pipe of a pane that copies what it prints to a file, and continues when this process is gone.
import { shellWord } from "../shell/quoting.ts";
import { literalTime } from "./record_codec.ts";
import { spellCommand } from "./spelling.ts";

/** A file that a pane's pipe copies to. */
export interface SpoolFile {
  path: string;
  maxBytes: number;
}

/**
 * Shell text that copies its input to a file and to its output. `tee` keeps writing the file when its output has no
 * reader any more (SIGPIPE, 13), and with its output when the file is as large as it may be (SIGXFSZ, 25; `ulimit`
 * counts blocks of 512 bytes).
 */
export function copyTo({ path, maxBytes }: SpoolFile): string {
  const limit = `ulimit -f ${Math.ceil(maxBytes / 512)}`;
  return `umask 077; trap "" 13 25; (${limit}) && ${limit}; exec tee -a ${shellWord(path)}`;
}

/** tmux's command that begins to copy a pane's output to a file, unless the pane has a pipe. */
export function pipeToSpool(paneId: string, spool: SpoolFile): string[] {
  const copy = `exec >/dev/null 2>&1; ${copyTo(spool)}`;
  const pipe = spellCommand(["pipe-pane", "-I", "-O", "-t", paneId, literalTime(copy)]);
  return ["if-shell", "-F", "-t", paneId, "#{?pane_pipe,0,1}", pipe];
}

/** The file that a process with these arguments copies to, if it is a copying one. */
export function copiedTo(argv: readonly string[]): string | undefined {
  return argv[0] === "tee" ? argv.at(-1) : undefined;
}

/** True if these are the arguments of the process that copies to a file. */
export function isCopyingTo(argv: readonly string[], path: string): boolean {
  return copiedTo(argv) === path;
}
