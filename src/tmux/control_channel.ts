// The two ends of a control client, whatever kind of client it is.

import { type ProcessTarget, spawnControlClient } from "./spawn.ts";
import { bestEffort } from "../promises.ts";

/** Handle for ending a control client when its own thread can't end it any more. */
export type ClientHandle =
  /** `clientPid`: pid of the client on another machine; our child process is only the ssh that leads there. */
  | { kind: "process"; pid: number; clientPid?: number }
  | { kind: "socket"; pid: number; fds: number[] }
  /** The process with which tmux copies a pane's output to us; it is not a client. */
  | { kind: "pipe"; pid: number; fds: number[] };

/** Pid by which tmux knows the client. */
export function pidOf(client: ClientHandle): number {
  return client.kind === "process" ? client.clientPid ?? client.pid : client.pid;
}

export interface ControlChannel {
  readonly handle: ClientHandle;
  /** Sends bytes to the client's input; they are lost if it has ended. */
  write(bytes: Uint8Array<ArrayBuffer>): void;
  /** Passes on the client's output, valid until `take` returns; settles when the client is gone. */
  read(take: (bytes: Uint8Array) => void): Promise<void>;
  /** Ends the client, whatever it is doing; settles when it is gone. */
  end(): Promise<void>;
}

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
