// A failure or complaint that a tool reported in its own format.

/** As the tool rates it. */
export type Severity = "error" | "warning" | "info";

/** One error or warning. */
export interface ToolFinding {
  /** As the tool printed it. */
  file?: string;
  /** From 1, as the tool counts. */
  line?: number;
  /** From 1 or 0, as the tool counts. */
  column?: number;
  /** As the tool rates it. */
  severity: Severity;
  /** The first line of it. */
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
