// Address of a tmux server, by which a record on disk names it.
import type { Tmux } from "./tmux.ts";

export interface ServerAddress {
  /** Path of its socket; on another machine, as calls name it. */
  socket: string;
  /** Name of that machine in the configuration; absent for this one. */
  host?: string | undefined;
}

export function socketOf({ socketPath, machine }: Tmux): ServerAddress {
  return { socket: socketPath, host: machine.host };
}
