// The checks that read the tree: format, lint, types, import arrows, generated files. They run in parallel.

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

/** Prints a line on stdout. */
export function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Runs every check in a folder, prints each result, and returns the number that passed and failed. */
export async function runChecks(cwd = "."): Promise<{ passed: number; failed: number }> {
  const passed = await Promise.all(CHECKS.map((check) => runCheck(check, cwd)));
  const count = passed.filter(Boolean).length;
  return { passed: count, failed: passed.length - count };
}

async function runCheck({ name, command }: typeof CHECKS[number], cwd: string): Promise<boolean> {
  const started = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: [...command], cwd })
    .output();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const output = success ? "" : new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  // In one write, so that the texts of two checks don't mix.
  print(`${success ? "ok  " : "FAIL"} ${name} (${seconds}s)${output === "" ? "" : `\n${output}`}`);
  return success;
}
