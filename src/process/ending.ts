// How the end of a process is told to people.
import type { ProcessExit } from "./signals.ts";

export function describeEnding(ending: ProcessExit): string {
  if (ending.exitCode !== undefined) return `The process exited with code ${ending.exitCode}`;
  if (ending.exitSignal !== undefined) return `The process was ended by ${ending.exitSignal}`;
  return "The process is gone";
}
