// A command, or the program that waits in it, as a caller receives it.
import type { Findings } from "../../findings/find.ts";
import type { InputKind } from "../../process/classify.ts";
import type { OutputView } from "./output.ts";

/** A program that waits for input, with its question. */
export interface WaitingProgram {
  /** `line`, `password` (echo is off) or `raw` (a keypress, or a line editor). */
  inputKind: Exclude<InputKind, "none">;
  /** The program's name. */
  foregroundCmd: string;
  /** The unfinished line before the cursor, or the last lines of a full-screen program. */
  prompt: string;
}

/** `waiting`: for input. */
export type CommandStatus = "running" | "waiting" | "completed" | "lost" | "cancelled";

/** A command's state, as its caller receives it. */
export interface CommandResult extends OutputView, Partial<Findings> {
  /** Unique across processes. */
  commandId: string;
  /** The pane it was typed into. */
  paneId: string;
  /** Its state. */
  status: CommandStatus;
  /** Exit status as the shell reports it; absent until it is completed. */
  exitCode?: number;
  /** Seconds since it was asked for, up to its end. */
  elapsed: number;
  /** False if the pane's own process ended with it. */
  paneAlive: boolean;
  /** The question of its program, with status `waiting`. */
  waiting?: WaitingProgram;
  /** Ctrl-Z has stopped its program, which has not ended. */
  stopped?: true;
  /** Why it is lost. */
  reason?: string;
}
