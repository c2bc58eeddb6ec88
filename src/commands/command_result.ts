// Result of a command, as its caller receives it.
import type { WaitingProgram } from "../watch/handed_over.ts";
import type { Findings } from "../findings/find.ts";
import type { OutputView } from "./output.ts";

/** State of a command. `waiting`: its program waits for input. */
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
  /** Seconds from the request to its end, or until now. */
  elapsed: number;
  /** False if the pane's own process ended with it. */
  paneAlive: boolean;
  /** The program's question; present if the status is `waiting`. */
  waiting?: WaitingProgram;
  /** True if Ctrl-Z has stopped its program, which has not ended. */
  stopped?: true;
  /** Reason why the command is lost. */
  reason?: string;
}
