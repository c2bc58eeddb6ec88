// Checks that the tree keeps to its import arrows, and each file to the rules for files.
import { fromFileUrl } from "@std/path";
import { importProblems } from "./deps/arrows.ts";
import { fileProblems } from "./deps/files.ts";
import { readTree, type Tree } from "./deps/tree.ts";

/** Every place where the tree breaks a rule, as `file: what is wrong`. */
export function findViolations(tree: Tree): string[] {
  return [...fileProblems(tree), ...importProblems(tree)];
}

if (import.meta.main) {
  const problems = findViolations(await readTree(fromFileUrl(new URL("..", import.meta.url))));
  for (const problem of problems) Deno.stderr.writeSync(new TextEncoder().encode(`${problem}\n`));
  Deno.exit(problems.length === 0 ? 0 : 1);
}
