// Runs text in real shells and reports which commands they started; they can find only decoys.

/** How text is given to each; at its prompt, zsh takes no comments. */
export const SHELLS = {
  bash: ["bash", "--norc", "--noprofile", "-c"],
  dash: ["dash", "-c"],
  zsh: ["zsh", "-f", "-c"],
  "zsh at its prompt": ["zsh", "-f", "-i", "-c"],
  ksh: ["ksh", "-c"],
  mksh: ["mksh", "-c"],
  ash: ["busybox", "ash", "-c"],
  yash: ["yash", "-c"],
  fish: ["fish", "--no-config", "-c"],
} as const;
export type Shell = keyof typeof SHELLS;

/** Commands that only write down that they were started. */
export const ALLOWED = ["a0", "a1", "a2"] as const;
export const DENIED = ["d0", "d1"] as const;
/** Programs that run what they are given, or pass it on. */
const CARRIERS = { env: "env", xargs: "xargs", nohup: "nohup", cat: "cat", sh: "dash" };

export interface Execution extends AsyncDisposable {
  /** Starts a shell on the text. What it leaves in the background may still start something. */
  run(text: string, shell: Shell): Promise<Run>;
}

export interface Run {
  /** The decoys that were started so far. */
  started(): Promise<Set<string>>;
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
  for (const name of [...ALLOWED, ...DENIED]) {
    await Deno.writeTextFile(`${root}/bin/${name}`, `#!/bin/sh\necho ${name} >> "$LOG"\n`, { mode: 0o700 });
    // A pattern in a command's place finds it.
    await Deno.writeTextFile(`${root}/cwd/${name}`, "");
  }
  for (const [name, program] of Object.entries(CARRIERS)) {
    const path = await findProgram(program);
    if (path !== undefined) await Deno.symlink(path, `${root}/bin/${name}`);
  }
  const programs = new Map<string, string | undefined>();
  for (const [name] of Object.values(SHELLS)) programs.set(name, await findProgram(name));
  let runs = 0;
  return {
    async run(text, shell) {
      const [name, ...options] = SHELLS[shell];
      const program = programs.get(name);
      const log = `${root}/log${runs++}`;
      if (program !== undefined) await runShell([program, ...options, text], { root, log });
      return { started: () => readLog(log) };
    },
    async [Symbol.asyncDispose]() {
      await removeAll(root);
    },
  };
}

async function readLog(path: string): Promise<Set<string>> {
  const log = await Deno.readTextFile(path).catch(() => "");
  return new Set(log.split("\n").filter((line) => line !== ""));
}

/** A program left in the background may still write while its folder is removed. */
async function removeAll(root: string): Promise<void> {
  for (let left = 20; left > 0; left--) {
    const removed = await Deno.remove(root, { recursive: true }).then(() => true, () => false);
    if (removed) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await Deno.remove(root, { recursive: true });
}

/** setsid: no shell may take the test's terminal. Loops that nothing ends run out of CPU time. */
const LIMITED = 'ulimit -t 1; ulimit -f 2000; exec /usr/bin/setsid --wait /usr/bin/timeout -s KILL 2 "$@"';

async function runShell(
  argv: readonly string[],
  { root, log }: { root: string; log: string },
): Promise<void> {
  await new Deno.Command("/bin/sh", {
    args: ["-c", LIMITED, "sh", ...argv],
    clearEnv: true,
    env: { PATH: `${root}/bin`, HOME: `${root}/cwd`, TERM: "dumb", LC_ALL: "C.UTF-8", LOG: log },
    cwd: `${root}/cwd`,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
}
