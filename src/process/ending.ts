// Exit codes and signals of processes, and their names.

/** End of a process; empty if it is unknown. */
export interface Ending {
  /** Exit status. */
  readonly exitCode?: number;
  /** Name of the signal, such as `SIGTERM`. */
  readonly exitSignal?: string;
}

/** Returns an ending as a sentence without a full stop. */
export function describeEnding(ending: Ending): string {
  if (ending.exitCode !== undefined) return `The process exited with code ${ending.exitCode}`;
  if (ending.exitSignal !== undefined) return `The process was ended by ${ending.exitSignal}`;
  return "The process is gone";
}
