// A pipe that keeps a command's last output when the command ends its shell.
import { startPipe } from "../tmux/spool_pipe.ts";
import type { Command } from "../tmux_exec/exec.ts";

/** Words that can end the shell that reads them: `set -e` and a script that is sourced can, too. */
const ENDING_WORDS = /\b(?:exit|exec|logout|bye|return|kill|set|source)\b|(?:^|[\s;&|({])\.\s/;
/** Time (s) that the pipe stays, where `sleep` takes fractions; a command that runs longer gets another one. */
const HOLD_SECONDS = 0.3;

/** True if a command may end its shell. Every other command is spared the pipe, which makes `true` 1.14 times as slow. */
export function mayEndShell(command: string): boolean {
  return ENDING_WORDS.test(command);
}

/**
 * Returns the command that gives a pane without a pipe one for a moment. tmux closes a pane whose program has ended
 * with all that it has not read from it, unless the pane has a pipe (`window_pane_destroy_ready`, window.c; 60 of 1,000
 * commands of four callers, with the pipe 14 of 6,200; 3.3a). `-I` lets tmux notice at once that the pipe has ended.
 */
export function holdOutput(paneId: string): Command {
  return startPipe(paneId, `sleep ${HOLD_SECONDS} || exec sleep 1`, ["display-message", "-p", ""]);
}
