// Compares what the command filter allows with what real shells then start.
import { AppError } from "../../src/errors.ts";
import { CommandFilter } from "../../src/policy/command_filter.ts";
import { parseStatements } from "../../src/shell/syntax/statements.ts";
import type { ShellKind } from "../../src/shell/shell_kind.ts";
import { ALLOWED, type Execution, prepareExecution, type Run, type Shell, SHELLS } from "./execution.ts";
import { BUILTINS } from "./random_builtins.ts";
import { Random, randomText } from "./random_text.ts";

export interface Counts {
  texts: number;
  /** Texts that some mode allowed for some shell. */
  allowed: number;
  /** Shells that were run. */
  runs: number;
  /** Runs that started something. */
  started: number;
  readonly bypasses: string[];
}

/** The shells that a text may reach, by what the filter knows of them. */
const READERS: Readonly<Record<ShellKind, readonly Shell[]>> = {
  bash: ["bash"],
  zsh: ["zsh", "zsh at its prompt"],
  fish: ["fish"],
  sh: ["dash", "ash", "ksh", "mksh"],
  unknown: Object.keys(SHELLS) as Shell[],
};

/** Those that run what they name, as an allowlist with them allows. */
const RUNNERS = new Set(
  "command builtin exec noglob nocorrect zstyle zregexparse argparse mapfile readarray".split(" "),
);
const FILTERS = {
  allowlist: filterWith("allowlist", ["(?s).*"]),
  denylist: filterWith("denylist", ["^d[01]\\b"]),
};
/** Programs that an allowlist lets through here, by name alone; none runs its arguments. */
const NAMES = new Set([
  "",
  ...ALLOWED,
  ..."f echo cat true false : time begin end".split(" "),
  ...BUILTINS.filter((name) => !RUNNERS.has(name)),
]);

function filterWith(filterMode: "allowlist" | "denylist", filterPatterns: string[]): CommandFilter {
  return new CommandFilter({ filterMode, filterPatterns, filterEnvironment: [] });
}

/** Texts that are run before their logs are read: what they left in the background has had its time. */
const BATCH = 100;
const AT_ONCE = 4;

export async function runFuzz(seed: number, goesOn: (counts: Counts) => boolean): Promise<Counts> {
  await using execution = await prepareExecution();
  const random = new Random(seed);
  const counts: Counts = { texts: 0, allowed: 0, runs: 0, started: 0, bypasses: [] };
  while (goesOn(counts)) {
    const tried: Tried[] = [];
    const texts = Array.from({ length: BATCH }, () => randomText(random));
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
        counts.texts++;
        tried.push(...await tryText(text, execution));
      }
    }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await judge(tried, counts);
  }
  return counts;
}

interface Tried {
  readonly text: string;
  readonly shell: Shell;
  readonly run: Run;
  /** As what the filter allowed it. */
  readonly verdicts: readonly string[];
}

async function tryText(text: string, execution: Execution): Promise<Tried[]> {
  const verdicts = new Map<Shell, string[]>();
  if (!/d\W*[01]|6/.test(text)) return [];
  for (const [mode, filter] of Object.entries(FILTERS)) {
    for (const [kind, shells] of Object.entries(READERS) as [ShellKind, readonly Shell[]][]) {
      if (!await allows(filter, text, kind)) continue;
      if (mode === "allowlist" && !areNamed(text, kind)) continue;
      for (const shell of shells) verdicts.set(shell, [...verdicts.get(shell) ?? [], `${mode}, ${kind}`]);
    }
  }
  return await Promise.all(
    [...verdicts].map(async ([shell, said]) => ({
      text,
      shell,
      verdicts: said,
      run: await execution.run(text, shell),
    })),
  );
}

function areNamed(text: string, kind: ShellKind): boolean {
  return parseStatements(text, kind).every(({ name }) => name !== undefined && NAMES.has(name));
}

async function allows(filter: CommandFilter, text: string, kind: ShellKind): Promise<boolean> {
  try {
    await filter.checkCommand(text, kind);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "denied") return false;
    throw error;
  }
}

async function judge(tried: readonly Tried[], counts: Counts): Promise<void> {
  counts.allowed += new Set(tried.map(({ text }) => text)).size;
  for (const { text, shell, run, verdicts } of tried) {
    const started = await run.started();
    counts.runs++;
    if (started.size > 0) counts.started++;
    const denied = [...started].filter((name) => name.startsWith("d"));
    if (denied.length === 0) continue;
    counts.bypasses.push(
      `${shell} ran ${denied} in ${JSON.stringify(text)}, allowed as ${verdicts.join("; ")}`,
    );
  }
}
