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

/** True if it is known how the process ended. */
export function isKnown(ending: Ending | undefined): boolean {
  return ending?.exitCode !== undefined || ending?.exitSignal !== undefined;
}

/** Returns an ending as a sentence without a full stop. */
export function describeEnding(ending: Ending): string {
  if (ending.exitCode !== undefined) return `The process exited with code ${ending.exitCode}`;
  if (ending.exitSignal !== undefined) return `The process was ended by ${ending.exitSignal}`;
  return "The process is gone";
}
