// The gate: every check that has to hold, then every test; ends with one line of counts.

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const CHECKS: ReadonlyArray<{ name: string; command: readonly string[] }> = [
  { name: "format", command: ["fmt", "--check", "--quiet"] },
  { name: "lint", command: ["lint", "--quiet"] },
  { name: "types", command: ["check", "--quiet"] },
  {
    name: "types of the page",
    command: ["check", "--quiet", "--no-lock", "--config", "views/deno.json", "views/pane.js"],
  },
  { name: "import arrows", command: ["task", "--quiet", "deps"] },
  { name: "generated files", command: ["task", "--quiet", "gen", "--check"] },
];

/** A test that hangs has to end as a failure while CI still listens. */
const TESTS_DEADLINE_MS = 13 * 60 * 1000;

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function runCheck(name: string, command: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: [...command] })
    .output();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(`${success ? "ok  " : "FAIL"} ${name} (${seconds}s)`);
  if (!success) print(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
  return success;
}

async function runChecks(): Promise<Counts> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, command } of CHECKS) counts[await runCheck(name, command) ? "passed" : "failed"]++;
  return counts;
}

/** Reads the totals of a JUnit report; a run that wrote none, or failed outside of a test, counts as one failure. */
export function countTests(report: string, success: boolean): Counts {
  const sum = (attribute: string): number =>
    [...report.matchAll(new RegExp(`<testsuite [^>]*\\b${attribute}="(\\d+)"`, "g"))]
      .reduce((total, match) => total + Number(match[1]), 0);
  const failed = sum("failures") + sum("errors");
  const skipped = sum("disabled");
  return {
    passed: sum("tests") - failed - skipped,
    failed: success ? failed : Math.max(failed, 1),
    skipped,
  };
}

async function runTests(paths: readonly string[]): Promise<Counts> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "-A",
        "--quiet",
        "--parallel",
        `--junit-path=${report}`,
        "--ignore=tests/browser",
        ...paths,
      ],
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
      signal: AbortSignal.timeout(TESTS_DEADLINE_MS),
    }).output();
    return countTests(await Deno.readTextFile(report), success);
  } finally {
    await Deno.remove(report);
  }
}

async function main(paths: readonly string[]): Promise<number> {
  const all = paths.length === 0;
  const checks = all ? await runChecks() : { passed: 0, failed: 0 };
  const tests = await runTests(all ? ["tests/"] : paths);
  const failed = checks.failed + tests.failed;
  const skipped = tests.skipped === 0 ? "" : `, ${tests.skipped} skipped`;
  print(`${checks.passed + tests.passed} passed, ${failed} failed${skipped}`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
