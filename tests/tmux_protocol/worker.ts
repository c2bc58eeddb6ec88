// A worker that lists a server's sessions over its socket, to see which permissions that takes.

/// <reference lib="deno.worker" />
import { openSocketLibc } from "../../src/ffi/sockets.ts";
import { createSocketExec } from "../../src/tmux_protocol/socket_exec.ts";

self.onmessage = async ({ data: { libcPath, socketPath } }: MessageEvent): Promise<void> => {
  using libc = openSocketLibc(libcPath);
  const exec = createSocketExec({ libc, path: socketPath, env: {}, cwd: libc.cwd(), pid: Deno.pid });
  const { stdout } = await exec([["list-sessions", "-F", "#{session_name}"]]);
  self.postMessage(new TextDecoder().decode(stdout));
};
