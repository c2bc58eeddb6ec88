// A failure or complaint that a tool reported in its own format.

export type Severity = "error" | "warning" | "info";

export interface ToolFinding {
  file?: string;
  /** From 1, as the tool counts. */
  line?: number;
  column?: number;
  severity: Severity;
  message: string;
  /** The tool's name for the rule, or the test that failed. */
  code?: string;
  /** The tool. */
  source: string;
  /** Line of the output it is reported on, from 0. */
  offset: number;
}

/** Reads the lines of one output and finds what one tool reported there. */
export interface FindingReader {
  read(text: string, offset: number): void;
  end(): ToolFinding[];
}
