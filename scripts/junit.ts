// Reads the JUnit report of `deno test`: the tests and steps, the files that define them, and their results.
import { stripVTControlCharacters } from "node:util";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestCase {
  /** Names of the test and of the steps down to this one, joined by " &gt; ", as the report escapes it. */
  name: string;
  /** The file that defines the test or step, which may be one that tests import. */
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

/**
 * Counts tests and steps. A run without a report, or one that failed outside of tests, counts as one failure.
 */
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

/**
 * Files that define a failed test. If a step failed, its test has failed too, whichever file defines the
 * step.
 */
export function failedFiles(cases: readonly TestCase[]): string[] {
  const failed = cases.filter(({ name, outcome }) => outcome === "failed" && !name.includes(STEP));
  return [...new Set(failed.map(({ file }) => file))];
}

/** The cases without the tests that these files define, and without the steps of those tests. */
export function withoutFiles(cases: readonly TestCase[], files: readonly string[]): TestCase[] {
  const own = new Set(cases.filter(({ file }) => files.includes(file)).map(({ name }) => name));
  return cases.filter(({ name, file }) => !files.includes(file) && !own.has(name.split(STEP)[0]!));
}
