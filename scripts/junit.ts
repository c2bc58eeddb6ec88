// Reads the JUnit report of `deno test`: the tests and steps, the files that define them, and their results.
import { stripVTControlCharacters } from "node:util";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestCase {
  /** Names of the test and of the steps down to this one, joined by " > ". */
  name: string;
  /** The file that defines the test or step, which may be one that tests import. */
  file: string;
  outcome: keyof Counts;
}

const STEP = " > ";
/** Characters that XML escapes. */
const ESCAPED: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

export function parseReport(report: string): TestCase[] {
  const cases = report.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>(.*?)<\/testcase>/gs);
  return [...cases].map(([, name, file, body]) => ({
    name: unescape(name!),
    file: unescape(file!),
    outcome: /<(failure|error)/.test(body!) ? "failed" : body!.includes("<skipped") ? "skipped" : "passed",
  }));
}

function unescape(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, character) => ESCAPED[character]!);
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

/** Failed tests. If a step failed, its test has failed too, whichever file defines the step. */
export function failedTests(cases: readonly TestCase[]): TestCase[] {
  return cases.filter(({ name, outcome }) => outcome === "failed" && !name.includes(STEP));
}

/** The cases of a run without those of files that ran again, and without the tests and steps that ran again. */
export function notRunAgain(
  cases: readonly TestCase[],
  again: { files: readonly string[]; cases: readonly TestCase[] },
): TestCase[] {
  const inFiles = cases.filter(({ file }) => again.files.includes(file));
  const tests = new Set([...inFiles, ...again.cases].map(({ name }) => name.split(STEP)[0]!));
  return cases.filter(({ name }) => !tests.has(name.split(STEP)[0]!));
}
