// Runs after every edit: the checks, the laws over all tools, and the unit tests of changed files.
import { print, runChecks } from "./checks.ts";
import { SANITIZERS, testFilesOf } from "./ok.ts";

/** Tests that apply to every change and take a second. */
const LAWS = ["tests/contract/arrows_test.ts", "tests/contract/tools_test.ts"];
/**
 * Tests with real clients, programs and packages, which only the gate runs, unless the test itself was
 * changed.
 */
const LONG = /^tests\/(abuse|browser|docs|e2e|packages|scripts|soak)\//;
const DEADLINE_MS = 45_000;

/**
 * The test files to run for these changed files: the tests among them, and unit tests that import one of the
 * others.
 * @param tests Folder of all tests
 */
export async function testsFor(changed: readonly string[], tests: string): Promise<string[]> {
  const changedTests = changed.filter((file) => file.endsWith("_test.ts"));
  const modules = changed.filter((file) => file.endsWith(".ts") && !changedTests.includes(file));
  const near = (await testFilesOf(modules, tests)).map((file) => file.replace(/^\.\//, ""));
  return [...new Set([...LAWS, ...changedTests, ...near.filter((file) => !LONG.test(file))])].sort();
}

/** Files that differ from the point where this branch left origin/main, including untracked ones. */
async function changedFiles(): Promise<string[]> {
  const base = await git("merge-base", "HEAD", "origin/main").catch(() => ["HEAD"]);
  const changed = await git("diff", "--name-only", "--diff-filter=d", ...base);
  return [...changed, ...await git("ls-files", "--others", "--exclude-standard")];
}

async function git(...args: string[]): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("git", { args }).output();
  if (!success) throw new Error(`git ${args[0]}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

async function runTests(files: readonly string[]): Promise<boolean> {
  const began = performance.now();
  const { success, signal } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--quiet", "--parallel", "--no-check", "--reporter=dot", ...SANITIZERS, ...files],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
    signal: AbortSignal.timeout(DEADLINE_MS),
  }).output();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const late = signal === null ? "" : `, stopped after ${DEADLINE_MS / 1000} s: run them with deno test -A`;
  print(`${success ? "ok  " : "FAIL"} tests (${seconds}s${late}): ${files.join(" ")}`);
  return success;
}

if (import.meta.main) {
  const files = await testsFor(await changedFiles(), "tests");
  const [checks, passed] = await Promise.all([runChecks(), runTests(files)]);
  Deno.exit(checks.failed === 0 && passed ? 0 : 1);
}
