// Runs the launcher as a person at a shell would, with arguments in and output and exit code out, or as a
// client would.
import { fromFileUrl } from "@std/path";
import type { World } from "./world.ts";

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

/**
 * Starts a server in a world, for a client that holds the other ends of its pipes.
 * @param through Words of a command that is run with the server's words after them, and runs these
 */
export function spawnServer(
  world: World,
  args: readonly string[] = [],
  through: readonly string[] = [],
): Deno.ChildProcess {
  const [program, ...words] = [...through, LAUNCHER, "--socket", world.socket, "--scope", "all", ...args];
  return new Deno.Command(program!, {
    args: words,
    env: world.env,
    clearEnv: true,
    cwd: world.folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Whole lines without newlines. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  let rest = "";
  for await (const text of stream.pipeThrough(decoder)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
