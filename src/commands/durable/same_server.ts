// Tells whether commands ran on one tmux server, or on an earlier one at its socket, however the socket is spelled.
import { type ServerAddress, socketOf } from "../../tmux/server_address.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { serverKeyOf } from "./stored_command.ts";
import { getOrCreate } from "../../maps.ts";

/** True for a command that ran there. */
export type RanThere = (id: string, address: ServerAddress) => boolean;

/** Returns a test for commands of a tmux server. `serverKey`: key of the one that runs there now. */
export function ranOn(tmux: Tmux, serverKey: string | undefined): RanThere {
  const { socket, host } = socketOf(tmux);
  const here = realSocket(socket);
  const known = new Map<string, boolean>();
  const isSame = (other: string): boolean =>
    other === socket || (host === undefined && realSocket(other) === here);
  return (id, address) => {
    if (address.host !== host) return false;
    if (serverKeyOf(id) === serverKey) return true;
    return getOrCreate(known, address.socket, isSame);
  };
}

/** Path of a socket without links to its folder; the socket itself may be gone. */
function realSocket(socket: string): string {
  const name = socket.lastIndexOf("/");
  try {
    return Deno.realPathSync(socket.slice(0, name) || "/") + socket.slice(name);
  } catch {
    // The folder is gone too.
    return socket;
  }
}
