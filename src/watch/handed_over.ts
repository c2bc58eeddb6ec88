// A program that waits for input, and the outcome of handing its question over to a person.
import type { TerminalReader } from "../process/input_wait.ts";

/** A program that waits for input, with its question. */
export interface WaitingProgram extends TerminalReader {
  /** Text before the cursor on its line, or the last lines of a full-screen program. */
  prompt: string;
}

/** One question that a person was asked to answer. */
export interface HandedOver extends Pick<WaitingProgram, "inputKind" | "prompt"> {
  /** Seconds until it was answered or given up. */
  seconds: number;
  /** Action of the person. */
  outcome: "answered" | "declined" | "timeout";
}

/** Outcome of a handover; without `handedOver`, nobody could be asked. */
export interface Handover {
  waiting: WaitingProgram;
  handedOver?: HandedOver;
  /** Set if the pane ended or can't be reached: it is unknown if the question was answered first. */
  gone?: true;
  /** Set if the program no longer asks, although nobody has answered. */
  over?: true;
  /** How a person reaches a pane that still waits. */
  hint?: string;
}
