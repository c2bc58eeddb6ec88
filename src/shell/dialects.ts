// Shells that can run commands, by the name of their program.

import { bash } from "./bash.ts";
import type { Dialect } from "./dialect.ts";
import { fish } from "./fish.ts";
import { ksh93, mksh, sh } from "./posix.ts";
import { zsh } from "./zsh.ts";

const BY_PROGRAM: ReadonlyMap<string, Dialect> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
  ["sh", sh],
  ["dash", sh],
  ["ash", sh],
  ["busybox", sh],
  ["yash", sh],
  ["ksh", ksh93],
  ["ksh93", ksh93],
  ["mksh", mksh],
  ["lksh", mksh],
]);

/** Names of the programs of these shells. */
export const SHELL_PROGRAMS: readonly string[] = [...BY_PROGRAM.keys()];

export const DIALECTS: readonly Dialect[] = [...new Set(BY_PROGRAM.values())];

/** The dialect of a shell by its program's name (`bash`, `-zsh`, `/usr/bin/fish`); none for nu, pwsh, elvish, xonsh, csh, posh, rc, osh. */
export function findDialect(program: string): Dialect | undefined {
  const name = program.slice(program.lastIndexOf("/") + 1).replace(/^-/, "");
  return BY_PROGRAM.get(name);
}
