// Runs text in real shells and tells which commands they started.

export const SHELLS = ["bash", "dash", "zsh", "fish", "ksh"] as const;
export type Shell = typeof SHELLS[number];

/** Commands that only write down that they were started. */
export const STUBS = ["c0", "c1", "c2", "c3", "c4"] as const;

export interface Execution extends AsyncDisposable {
  /** The stubs that the shell started for the text, given as `-c` or line by line at its prompt. */
  run(text: string, shell: Shell, how: "argument" | "prompt"): Promise<Set<string>>;
}

/** Finds the file of a program, or undefined where it is not installed. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]) {
    const path = `${folder}/${name}`;
    if (await Deno.stat(path).then((info) => info.isFile, () => false)) return path;
  }
  return undefined;
}

export async function prepareExecution(): Promise<Execution> {
  const root = await Deno.makeTempDir();
  await Deno.mkdir(`${root}/bin`);
  await Deno.mkdir(`${root}/cwd`);
  for (const stub of STUBS) {
    await Deno.writeTextFile(`${root}/bin/${stub}`, `#!/bin/sh\necho ${stub} >> "$STUB_LOG"\n`, {
      mode: 0o700,
    });
  }
  let runs = 0;
  const programs = new Map(
    await Promise.all(SHELLS.map(async (shell) => [shell, await findProgram(shell)] as const)),
  );
  return {
    async run(text, shell, how) {
      const program = programs.get(shell);
      if (program === undefined) return new Set();
      // A log of its own: what a run left in the background must not count for the next.
      const log = `${root}/log${runs++}`;
      await Deno.writeTextFile(log, "");
      await runShell({ program, how, text, root, log });
      return new Set((await Deno.readTextFile(log)).split("\n").filter((line) => line !== ""));
    },
    async [Symbol.asyncDispose]() {
      await removeAll(root);
    },
  };
}

/** What a text left in the background may still write while its folder is removed. */
async function removeAll(root: string): Promise<void> {
  for (let left = 20; left > 0; left--) {
    const removed = await Deno.remove(root, { recursive: true }).then(() => true, () => false);
    if (removed) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Deno.remove(root, { recursive: true });
}

interface Run {
  readonly program: string;
  readonly how: "argument" | "prompt";
  readonly text: string;
  readonly root: string;
  readonly log: string;
}

async function runShell({ program, how, text, root, log }: Run): Promise<void> {
  const quiet = program.endsWith("zsh") ? ["-f"] : program.endsWith("bash") ? ["--norc", "--noprofile"] : [];
  // setsid: an interactive shell must not take the test's terminal; timeout: `cat` and loops may wait for ever.
  const child = new Deno.Command("/usr/bin/setsid", {
    args: [
      "--wait",
      "/usr/bin/timeout",
      "-s",
      "KILL",
      "5",
      program,
      ...quiet,
      ...how === "prompt" ? ["-i"] : ["-c", text],
    ],
    clearEnv: true,
    env: { PATH: `${root}/bin`, HOME: `${root}/cwd`, TERM: "dumb", STUB_LOG: log },
    cwd: `${root}/cwd`,
    stdin: how === "prompt" ? "piped" : "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  if (how === "prompt") {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${text}\n`)).catch(() => {});
    await writer.close().catch(() => {});
  }
  await child.status;
}
