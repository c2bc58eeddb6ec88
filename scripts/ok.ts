// The gate: all checks and all tests; it ends with one line of counts.
import { print, runChecks } from "./checks.ts";
import { resolve, toFileUrl } from "@std/path";
import { within } from "../src/timer.ts";
import {
  type Counts,
  countTests,
  failedTests,
  filesWithUncaughtErrors,
  notRunAgain,
  parseReport,
  type TestCase,
} from "./junit.ts";

/** Number of files tested at a time. Tests mostly wait: on two cores, five at a time took 498 seconds, six 432. */
const JOBS = navigator.hardwareConcurrency * 3;
/** Number of files that the tests of `SIDE_BY_SIDE` are loaded in: enough that no job is left with a long one. */
const GROUPS = JOBS * 6;
/** Number of files that the others are loaded in: 25, one a folder, took 2 s of CPU more. */
const UNIT_GROUPS = JOBS;
/** Time limit, so that a hanging test fails: a machine at a third of the usual speed took 19 minutes. */
const TESTS_DEADLINE_MS = 28 * 60 * 1000;
/** Maximum number of failed files that run once more. */
const MAX_AGAIN = 3;
/** Log of the files that ran again in this checkout: time, file, result. */
const RERUNS = ".tools/reruns.txt";
const AGAIN_DEADLINE_MS = 3 * 60 * 1000;
/** Time in which the last output of a run arrives. */
const HELD_MS = 2000;
interface TestRun {
  cases: TestCase[];
  /** Files with an error outside of any test. */
  uncaught: string[];
  success: boolean;
}

/**
 * Folders of tests that start programs and mostly wait for them, so that their files run beside each other. The files of
 * the other folders have less to do than Deno has to load them: many of them are loaded as one.
 */
const SIDE_BY_SIDE: readonly string[] = "abuse docs e2e packages process scripts shell".split(" ");

/** Folder of tests that need a browser and are a task of their own. */
const BROWSER = "browser";

/** Flags that make Deno check that tests leave no timer, file, socket, child process or library behind. */
export const SANITIZERS: readonly string[] = ["--sanitize-ops", "--sanitize-resources"];

/**
 * The test files among these; for a file that defines tests for others (a report names where a test is
 * defined), the test files that import it, and of those only the ones that name one of `tests`.
 */
export async function testFilesOf(
  files: readonly string[],
  folder: string,
  tests?: readonly string[],
): Promise<string[]> {
  const made = files.filter((file) => !isTestFile(file)).map((file) => file.split("/").at(-1)!);
  const makers = made.length === 0
    ? []
    : await testFilesWith(folder, (text) =>
      made.some((imported) =>
        text.includes(`/${imported}"`)
      ) && (tests?.some(isNamedIn(text)) ?? true));
  return [...new Set([...files.filter(isTestFile), ...makers])];
}

/** A test that runs in several ways has the way after the name in its file. */
function isNamedIn(text: string): (test: string) => boolean {
  return (test) => text.includes(`"${test}"`) || text.includes(`"${test.replace(/, [^,]*$/, "")}"`);
}

function isTestFile(file: string): boolean {
  return file.endsWith("_test.ts");
}

async function testFilesWith(folder: string, isWanted: (text: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await testFilesWith(path, isWanted));
    else if (isTestFile(name) && isWanted(await Deno.readTextFile(path))) found.push(path);
  }
  return found;
}

/**
 * Writes files for `deno test` into `into`, each of which imports several, because loading a test file by itself takes
 * 0.3 s of CPU; returns their paths. The one with the longest text comes first: Deno starts files in this order, and a
 * long one at the end leaves cores idle.
 */
export async function gatherTests(tests: string, into: string): Promise<string[]> {
  const apart: string[] = [];
  const units: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(tests)) {
    if (name === BROWSER) continue;
    const path = `${tests}/${name}`;
    const files = isDirectory ? (await testFilesWith(path, () => true)).sort() : [path].filter(isTestFile);
    (!isDirectory || SIDE_BY_SIDE.includes(name) ? apart : units).push(...files);
  }
  const groups = [...await spread(units.sort(), UNIT_GROUPS), ...await spread(apart.sort(), GROUPS)];
  groups.sort((one, other) => other.bytes - one.bytes);
  return await Promise.all(groups.map(async ({ files }, index) => {
    const path = `${into}/${index}_test.ts`;
    const imports = files.map((file) => `import ${JSON.stringify(toFileUrl(resolve(file)))};\n`);
    await Deno.writeTextFile(path, imports.join(""));
    return path;
  }));
}

/** Test files that run one after the other. */
interface Group {
  files: string[];
  bytes: number;
}

/** Spreads files over groups of about the same length. */
async function spread(files: readonly string[], count: number): Promise<Group[]> {
  const sized = await Promise.all(files.map(async (file) => ({ file, bytes: await bytesOf([file]) })));
  const groups = Array.from(
    { length: Math.min(count, files.length) },
    (): Group => ({ files: [], bytes: 0 }),
  );
  for (const { file, bytes } of sized.sort((one, other) => other.bytes - one.bytes)) {
    const shortest = groups.reduce((one, other) => other.bytes < one.bytes ? other : one);
    shortest.files.push(file);
    shortest.bytes += bytes;
  }
  return groups;
}

async function bytesOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += (await Deno.stat(file)).size;
  return bytes;
}

async function runDenoTest(
  args: readonly string[],
  timeoutMs: number,
): Promise<TestRun> {
  const path = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const deno = new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "-A",
        "--quiet",
        ...SANITIZERS,
        `--junit-path=${path}`,
        ...args,
      ],
      env: { DENO_JOBS: `${JOBS}` },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
      signal: AbortSignal.timeout(timeoutMs),
    }).spawn();
    const printed = await passOn(deno.stdout, deno.status);
    const { success } = await deno.status;
    const uncaught = filesWithUncaughtErrors(printed);
    return { cases: parseReport(await Deno.readTextFile(path)), uncaught, success };
  } finally {
    await Deno.remove(path);
  }
}

/** Prints what comes, and returns it. A program that a test left running may hold the pipe open. */
async function passOn(output: ReadableStream<Uint8Array>, ended: Promise<unknown>): Promise<string> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const all = (async () => {
    for (let chunk; !(chunk = await reader.read()).done;) {
      text += decoder.decode(chunk.value, { stream: true });
      for (let at = 0; at < chunk.value.length;) at += await Deno.stdout.write(chunk.value.subarray(at));
    }
  })();
  await Promise.race([all, ended]);
  await within(all, { ms: HELD_MS, late: () => reader.cancel() });
  return text;
}

/**
 * Side by side first. Hundreds of programs on two cores starve each other, and tmux 3.3a loses the last words of a
 * pane that dies: the few files that failed have their word once more, alone, and that one counts.
 */
async function runTests(paths: readonly string[]): Promise<Counts> {
  const first = await runDenoTest(["--parallel", ...paths], TESTS_DEADLINE_MS);
  const files = await failedFiles(first);
  if (first.success || files.length === 0 || files.length > MAX_AGAIN) {
    return countTests(first.cases, first.success);
  }
  print(`Failed beside the others, now alone: ${files.join(" ")}`);
  // Their types have been checked, by the first run or beside it.
  const again = await runDenoTest(["--no-check", ...files], AGAIN_DEADLINE_MS);
  const kept = countTests(notRunAgain(first.cases, { files, cases: again.cases }), true);
  const alone = countTests(again.cases, again.success);
  await recordReruns(files, again);
  return {
    passed: kept.passed + alone.passed,
    // A rerun without any of the failed tests has shown nothing.
    failed: kept.failed + (alone.passed === 0 ? Math.max(alone.failed, 1) : alone.failed),
    skipped: kept.skipped + alone.skipped,
  };
}

function failedFiles({ cases, uncaught }: TestRun): Promise<string[]> {
  const failed = failedTests(cases);
  const places = [...failed.map(({ file }) => file), ...uncaught];
  return testFilesOf(places, "./tests", failed.map(({ name }) => name));
}

async function recordReruns(files: readonly string[], again: TestRun): Promise<void> {
  const at = new Date().toISOString();
  const failed = await failedFiles(again);
  // A run that ended early names no file.
  const isUnclear = !again.success && failed.length === 0;
  const rows = files.map((file) =>
    `${at} ${file}: ${isUnclear || failed.includes(file) ? "failed again" : "passed alone"}\n`
  );
  await Deno.mkdir(".tools", { recursive: true });
  await Deno.writeTextFile(RERUNS, rows.join(""), { append: true });
}

/** Prints the reruns of this checkout; a file that appears repeatedly has a race to fix. */
async function printReruns(): Promise<void> {
  const rows = await Deno.readTextFile(RERUNS).catch(() => "");
  if (rows !== "") print(`Files that failed beside the others and ran again (${RERUNS}):\n${rows.trimEnd()}`);
}

async function main(paths: readonly string[]): Promise<number> {
  const all = paths.length === 0;
  const gathered = await Deno.makeTempDir();
  // The checks run in the CPU time that waiting tests leave; the type check reads every test.
  const [checks, tests] = await Promise.all([
    all ? runChecks() : { passed: 0, failed: 0 },
    runTests(all ? ["--no-check", ...await gatherTests("tests", gathered)] : paths),
  ]).finally(() => Deno.remove(gathered, { recursive: true }));
  const failed = checks.failed + tests.failed;
  await printReruns();
  const skipped = tests.skipped === 0 ? "" : `, ${tests.skipped} skipped`;
  print(`${checks.passed + tests.passed} passed, ${failed} failed${skipped}`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
