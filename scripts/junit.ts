// Reads the JUnit report of `deno test`: what ran, where it was made, and how it ended.
import { stripVTControlCharacters } from "node:util";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestCase {
  /** The name of the test, and of each step on the way, joined by " &gt; " as the report escapes it. */
  name: string;
  /** The file in which the test or step was made, which may be one that tests import. */
  file: string;
  outcome: keyof Counts;
}

const STEP = " &gt; ";

export function parseReport(report: string): TestCase[] {
  const cases = report.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>(.*?)<\/testcase>/gs);
  return [...cases].map(([, name, file, body]) => ({
    name: name!,
    file: file!,
    outcome: /<(failure|error)/.test(body!) ? "failed" : body!.includes("<skipped") ? "skipped" : "passed",
  }));
}

/** Counts tests and steps; a run that wrote no report, or failed outside of a test, counts as one failure. */
export function countTests(cases: readonly TestCase[], success: boolean): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of cases) counts[outcome]++;
  if (!success) counts.failed = Math.max(counts.failed, 1);
  return counts;
}

/** Files with an error outside of any test, such as one that does not load, which Deno prints and does not report. */
export function filesWithUncaughtErrors(printed: string): string[] {
  const found = stripVTControlCharacters(printed).matchAll(/^Uncaught error from (.+) FAILED$/gm);
  return [...new Set([...found].map(([, file]) => file!))];
}

/** Files that made a test which failed. With a step its test has failed too, whichever file made the step. */
export function failedFiles(cases: readonly TestCase[]): string[] {
  const failed = cases.filter(({ name, outcome }) => outcome === "failed" && !name.includes(STEP));
  return [...new Set(failed.map(({ file }) => file))];
}

/** The cases that these files did not make, and no step of their tests either. */
export function withoutFiles(cases: readonly TestCase[], files: readonly string[]): TestCase[] {
  const own = new Set(cases.filter(({ file }) => files.includes(file)).map(({ name }) => name));
  return cases.filter(({ name, file }) => !files.includes(file) && !own.has(name.split(STEP)[0]!));
}
