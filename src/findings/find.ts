// Finds errors and warnings in an output: tries every tool's format on every line, in linear time.
import { byteLength } from "../bytes.ts";
import { beginningOf, excerpt, excerptBytes } from "../excerpt.ts";
import type { ToolFinding } from "./finding.ts";
import { TaskReaders } from "./task_readers.ts";
import { TimeSlice } from "../timer.ts";

/** Errors and warnings that compilers, linters and test runners reported in an output. */
export interface Findings {
  /** Findings in the order of the output; if an answer can't hold all, errors come first. */
  findings: ToolFinding[];
  /** Total number; at most 50 are listed. */
  findingsTotal: number;
}

const MAX_FINDINGS = 50;
/** Maximum characters that are read of a line. */
const MAX_LINE_CHARS = 1000;
const MAX_MESSAGE_CHARS = 200;
/** UTF-8 bytes to which messages and codes are cut, one limit after the other, while findings take too much. */
const SHORTER_BYTES = [120, 80, 50, 30];

/**
 * Returns the findings in an output.
 * @param failed True if the command didn't succeed, so that a stack can come from a crash
 */
export async function findFindings(
  lines: Iterable<{ offset: number; text: string }>,
  { failed }: { failed: boolean },
): Promise<Findings> {
  const readers = new TaskReaders(failed);
  const slice = new TimeSlice();
  for (const { text, offset } of lines) {
    if (slice.over) await slice.pass();
    const line = beginningOf(text, MAX_LINE_CHARS);
    readers.read(line, offset);
  }
  return shown(readers.end());
}

function shown(all: ToolFinding[]): Findings {
  const byLine = new Map<number, ToolFinding>();
  for (const finding of all) if (!byLine.has(finding.offset)) byLine.set(finding.offset, finding);
  const unique = [...byLine.values()];
  const errors = unique.filter(({ severity }) => severity === "error");
  const others = unique.filter(({ severity }) => severity !== "error");
  const findings = [...errors, ...others].slice(0, MAX_FINDINGS).sort((a, b) => a.offset - b.offset);
  return {
    findings: shortened(findings, (text) => excerpt(text, MAX_MESSAGE_CHARS)),
    findingsTotal: unique.length,
  };
}

/** The findings with messages shortened so that they take about this many bytes of JSON. */
export function fitFindings({ findings, findingsTotal }: Findings, bytes: number): Findings {
  let shorter = findings;
  for (const length of SHORTER_BYTES) {
    if (bytesOf(shorter) <= bytes) break;
    shorter = shortened(findings, (text) => excerptBytes(text, length));
  }
  return { findings: shorter, findingsTotal };
}

/** UTF-8 bytes of a value's JSON. */
export function bytesOf(value: unknown): number {
  return byteLength(JSON.stringify(value));
}

function shortened(findings: ToolFinding[], short: (text: string) => string): ToolFinding[] {
  return findings.map(({ message, code, ...rest }) => ({
    ...rest,
    message: short(message),
    ...(code === undefined ? {} : { code: short(code) }),
  }));
}
