// A tmux server of this test's own, gone when the scope ends; and where to find the C library.

import { LIBC_CANDIDATES } from "../../src/ffi/libc.ts";
import { createProcessExec, type ProcessTarget } from "../../src/tmux/spawn.ts";

export interface PrivateTmux extends AsyncDisposable {
  /** A folder of its own, where the socket is too. */
  readonly folder: string;
  readonly socketPath: string;
  readonly serverPid: number;
  readonly target: ProcessTarget;
}

/** The C library's full path, as the launcher would find it. */
export function findLibcPath(): string {
  const candidates = LIBC_CANDIDATES[`${Deno.build.os}-${Deno.build.arch}`] ?? [];
  const found = Deno.build.os === "darwin" ? candidates[0] : candidates.find(exists);
  if (found === undefined) throw new Error("No C library found");
  return found;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Starts a server with one session `main` that runs `cat`. */
export async function privateTmux(env: Record<string, string> = {}): Promise<PrivateTmux> {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-" });
  const socketPath = `${folder}/socket`;
  const target: ProcessTarget = {
    bin: "tmux",
    socketArgs: ["-S", socketPath],
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: folder, TERM: "xterm", ...env },
    cwd: folder,
  };
  const exec = createProcessExec(target);
  const size = ["-x", "80", "-y", "24"];
  const started = await exec([
    ["new-session", "-d", "-s", "main", ...size, "cat"],
    ["display-message", "-p", "#{pid}"],
  ]);
  if (started.code !== 0) throw new Error(started.stderr);
  return {
    folder,
    socketPath,
    serverPid: Number(new TextDecoder().decode(started.stdout)),
    target,
    async [Symbol.asyncDispose](): Promise<void> {
      await exec([["kill-server"]]).catch(() => {});
      await Deno.remove(folder, { recursive: true });
    },
  };
}
