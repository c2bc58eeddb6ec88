// An error or warning that a tool reported in its own format.

/** Importance of a finding. */
export type Severity = "error" | "warning" | "info";

/** One error or warning. */
export interface ToolFinding {
  /** Path as the tool printed it. */
  file?: string;
  /** Counted from 1. */
  line?: number;
  /** Counted from 1 or 0, depending on the tool. */
  column?: number;
  /** Severity, as the tool rates it. */
  severity: Severity;
  /** First line of the message. */
  message: string;
  /** The tool's name for the rule, or the name of the failed test. */
  code?: string;
  /** Name of the tool. */
  source: string;
  /** Line of the output with the report, from 0. */
  offset: number;
}

/** Reads the lines of an output and collects the reports of one tool. */
export interface FindingReader {
  read(text: string, offset: number): void;
  end(): ToolFinding[];
}
