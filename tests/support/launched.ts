// The launcher run as a person at a shell does: its arguments in, its output and exit code back.
import { fromFileUrl } from "@std/path";

export const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));

export interface Launched {
  code: number;
  stdout: string;
  stderr: string;
}

export interface LaunchOptions {
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
}

/** Runs `tmux-mcp ARGS` to its end. */
export async function launch(args: readonly string[], { env, cwd = "/" }: LaunchOptions): Promise<Launched> {
  const output = await new Deno.Command(LAUNCHER, {
    args: [...args],
    env: { ...env },
    clearEnv: true,
    cwd,
    stdin: "null",
  }).output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code: output.code, stdout: stdout!, stderr: stderr! };
}
