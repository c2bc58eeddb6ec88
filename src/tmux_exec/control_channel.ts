// The two ends of a control client, whatever kind of client it is.

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
