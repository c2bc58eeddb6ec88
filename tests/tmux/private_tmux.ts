// A tmux server of this test's own, gone when the scope ends.

import { createProcessExec, type ProcessTarget } from "../../src/tmux/process.ts";

export interface PrivateTmux extends AsyncDisposable {
  readonly socketPath: string;
  readonly serverPid: number;
  readonly target: ProcessTarget;
}

/** Starts a server with one session `main` that runs `cat`. */
export async function privateTmux(): Promise<PrivateTmux> {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-" });
  const socketPath = `${folder}/socket`;
  const target: ProcessTarget = {
    bin: "tmux",
    socketArgs: ["-S", socketPath],
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: folder, TERM: "xterm" },
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
    socketPath,
    serverPid: Number(new TextDecoder().decode(started.stdout)),
    target,
    async [Symbol.asyncDispose](): Promise<void> {
      await exec([["kill-server"]]);
      await Deno.remove(folder, { recursive: true });
    },
  };
}
