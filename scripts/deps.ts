// Checks that imports follow the arrows and that each file follows the rules for files.
import { fromFileUrl } from "@std/path";
import { importProblems } from "./deps/arrows.ts";
import { fileProblems } from "./deps/files.ts";
import { readTree, type Tree } from "./deps/tree.ts";

/** Every violation of a rule, as `file: what is wrong`. */
export function findViolations(tree: Tree): string[] {
  return [...fileProblems(tree), ...importProblems(tree)];
}

if (import.meta.main) {
  const problems = findViolations(await readTree(fromFileUrl(new URL("..", import.meta.url))));
  for (const problem of problems) Deno.stderr.writeSync(new TextEncoder().encode(`${problem}\n`));
  Deno.exit(problems.length === 0 ? 0 : 1);
}
