// Reasons why the end of a command that another server process ran is unknown.

export const NEVER_BEGUN = "Its server ended before its shell had it, so it did not run";
export const CUT_AT_START =
  "Its server ended as the command began, and the command ended before another server came";
export const UNCOPIED = "Nothing was copying its output when it ended";
const INTERRUPTED = "Its shell was interrupted while no server watched it, and never reported an exit code";
export const UNMARKED = "It was typed with rawMode, so nothing marked its end, and its server ended first";
export const PANE_GONE = "Its pane was closed before its exit code could be read";
export const SHELL_GONE = "Its shell ended, and only the program that started that shell knows the exit code";
const ON_HOST =
  "Its server ended first, and only that server could learn the exit code of a command on another machine";
export const SERVER_GONE = "The tmux server that ran it has ended";
/** The record belongs to a process that can't be seen from here. */
export const ELSEWHERE =
  "The tmux server that ran it is not running: the machine has rebooted, or another machine or container ran it";

/** Reason why a command is lost whose shell is back at its prompt. */
export function atPrompt({ isRemote, isInterrupted }: { isRemote: boolean; isInterrupted: boolean }): string {
  if (isRemote) return ON_HOST;
  return isInterrupted ? INTERRUPTED : CUT_AT_START;
}
