// Exit codes and signals of processes, and their names.

/** End of a process; empty if it is unknown. */
export interface Ending {
  /** Exit status. */
  readonly exitCode?: number;
  /** Name of the signal, such as `SIGTERM`. */
  readonly exitSignal?: string;
}

/** Number of looks within which tmux collects a process that has ended. */
export const COLLECTING_LOOKS = 5;

/**
 * The tmux command that makes tmux collect every process that has ended. A tmux with utempter misses the signal of one
 * such process in six (3.3a), and so its status, until another child ends. Only the kernel knows it until then, and
 * a server that can't see the pane's process can't ask the kernel.
 */
export const COLLECT_ENDED: readonly string[] = ["run-shell", "-b", "exit"];

export function isKnown(ending: Ending | undefined): boolean {
  return ending?.exitCode !== undefined || ending?.exitSignal !== undefined;
}

/** Returns an ending as a sentence without a full stop. */
export function describeEnding(ending: Ending): string {
  if (ending.exitCode !== undefined) return `The process exited with code ${ending.exitCode}`;
  if (ending.exitSignal !== undefined) return `The process was ended by ${ending.exitSignal}`;
  return "The process is gone";
}
