// The two ends of a control client, however it was made.

import { type ProcessTarget, spawnControlClient } from "./spawn.ts";
import { bestEffort } from "../promises.ts";

/** Handle to end a control client whose own thread can't end it any more. */
export type ClientHandle =
  /** `clientPid`: of the client on another machine, to which our child is only the ssh that leads there. */
  | { kind: "process"; pid: number; clientPid?: number }
  | { kind: "socket"; pid: number; fds: number[] }
  /** Not a client but the process with which tmux copies a pane's output to us. */
  | { kind: "pipe"; pid: number; fds: number[] };

/** Pid by which tmux knows the client. */
export function pidOf(client: ClientHandle): number {
  return client.kind === "process" ? client.clientPid ?? client.pid : client.pid;
}

export interface ControlChannel {
  readonly handle: ClientHandle;
  /** Sends bytes to the client's input; they are lost if it has ended. */
  write(bytes: Uint8Array<ArrayBuffer>): void;
  /** Ends the client's input, which makes it detach. */
  finish(): void;
  /** Passes on the client's output, valid until `take` returns; settles when the client is gone. */
  read(take: (bytes: Uint8Array) => void): Promise<void>;
  /** Ends the client whatever it does; settles when it is gone. */
  end(): Promise<void>;
}

/** A control client that is a process of its own. */
export function spawnChannel(target: ProcessTarget, argv: readonly string[]): ControlChannel {
  // attach-session would start a server where there is none, and run its user's configuration.
  const child = spawnControlClient(target, ["-N", "-C", ...argv]);
  return {
    handle: { kind: "process", pid: child.pid },
    // A client that no longer reads is about to end.
    write: (bytes) => void bestEffort(child.stdin.write(bytes)),
    finish: () => void bestEffort(child.stdin.close()),
    async read(take) {
      for await (const bytes of child.stdout) take(bytes);
      await child.status;
    },
    end: () => child.end(),
  };
}
