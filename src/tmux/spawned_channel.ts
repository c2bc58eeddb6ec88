// Control client that is a process of its own.
import type { ControlChannel } from "../tmux_exec/control_channel.ts";
import { type ProcessTarget, spawnControlClient } from "./spawn.ts";
import { bestEffort } from "../promises.ts";

/** Starts a control client as a separate process. */
export function spawnChannel(target: ProcessTarget, argv: readonly string[]): ControlChannel {
  // Without -N, attach-session would start a missing server, and run the user's configuration.
  const child = spawnControlClient(target, ["-N", "-C", ...argv]);
  return {
    handle: { kind: "process", pid: child.pid },
    // A client that no longer reads is about to end.
    write: (bytes) => void bestEffort(child.stdin.write(bytes)),
    async read(take) {
      for await (const bytes of child.stdout) take(bytes);
      await child.status;
      await bestEffort(child.stdin.close());
    },
    end: () => child.end(),
  };
}
