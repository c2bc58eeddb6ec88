// Choice of a tmux socket: a path is tmux's -S, anything else its -L, nothing is tmux's default.

/** The arguments that make a tmux client use this socket. */
export function socketArguments(socket: string | undefined): string[] {
  if (socket === undefined) return [];
  return socket.includes("/") ? ["-S", socket] : ["-L", socket];
}

/** The socket's name for people. */
export function spellSocket(socket: string | undefined): string {
  return socket ?? "default";
}
