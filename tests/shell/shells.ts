// The real shells the tests run in, each without the machine's own start-up files.

import { dialectOf, TestPane } from "./pane.ts";
import type { Dialect } from "../../src/shell/dialect.ts";

export interface Shell {
  name: string;
  argv: string[];
  dialect: Dialect;
  env?: Record<string, string>;
}

const ENV = { ENV: "/dev/null", PS1: "$ " };

const { byLine: _, ...byCharacter } = dialectOf("bash");

export const SHELLS: readonly Shell[] = [
  { name: "bash", argv: ["bash", "--norc"], dialect: dialectOf("bash"), env: ENV },
  { name: "bash, byte by byte", argv: ["bash", "--norc"], dialect: byCharacter, env: ENV },
  { name: "zsh", argv: ["zsh", "-f"], dialect: dialectOf("zsh"), env: ENV },
  { name: "fish", argv: ["fish", "--no-config"], dialect: dialectOf("fish") },
  { name: "dash", argv: ["dash", "-i"], dialect: dialectOf("dash"), env: ENV },
  { name: "ash", argv: ["busybox", "ash"], dialect: dialectOf("ash"), env: ENV },
  { name: "ksh", argv: ["ksh"], dialect: dialectOf("ksh"), env: ENV },
  { name: "mksh", argv: ["mksh"], dialect: dialectOf("mksh"), env: ENV },
  { name: "yash", argv: ["yash", "--norc"], dialect: dialectOf("yash"), env: ENV },
];

export function shell(name: string): Shell {
  const found = SHELLS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no shell ${name}`);
  return found;
}

export function startPane({ argv, env = {} }: Shell, options: Parameters<typeof TestPane.start>[1] = {}) {
  return TestPane.start(argv, { ...options, env: { ...env, ...options.env } });
}

/** A test with a step for each shell, side by side: shells mostly wait, and so do their tests. */
export function testShells(title: string, run: (shell: Shell) => Promise<void>): void {
  // Overlapping steps can't know which timers and files are their own; the test around them checks for leaks.
  const apart = { sanitizeExit: false, sanitizeOps: false, sanitizeResources: false };
  Deno.test(title, async (test) => {
    await Promise.all(
      SHELLS.map((shell) => test.step({ name: shell.name, ...apart, fn: () => run(shell) })),
    );
  });
}
