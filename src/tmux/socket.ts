// The socket of a tmux server: a path is tmux's -S, anything else its -L, nothing is tmux's default.
import { readableWord } from "../shell/quoting.ts";

const DEFAULT = "default";

/** The arguments that make a tmux client use this socket. */
export function socketArguments(socket: string | undefined): string[] {
  if (socket === undefined) return [];
  return socket.includes("/") ? ["-S", socket] : ["-L", socket];
}

/** The socket's name for people. */
export function spellSocket(socket: string | undefined): string {
  return socket ?? DEFAULT;
}

/** The arguments in a person's command line that choose the socket of this name for people. */
export function socketWords(spelled: string): string[] {
  return socketArguments(spelled === DEFAULT ? undefined : spelled).map(readableWord);
}

/** Folder in which tmux keeps the sockets that have a name. */
export function socketFolder(tmuxTmpdir: string | undefined, uid: number): string {
  return `${tmuxTmpdir || "/tmp"}/tmux-${uid}`;
}

/**
 * The path tmux itself would use for these arguments, environment and user; undefined for arguments that name no one
 * socket. Symbolic links in TMUX_TMPDIR are left as they are.
 */
export function findSocketPath(
  socketArgs: readonly string[],
  env: Readonly<Record<string, string>>,
  uid: number,
): string | undefined {
  const [flag, value, ...rest] = socketArgs;
  if (rest.length > 0 || (flag !== undefined && !value)) return undefined;
  if (flag === "-S") return value;
  if (flag !== undefined && flag !== "-L") return undefined;
  const inherited = env["TMUX"]?.split(",")[0];
  if (flag === undefined && inherited) return inherited;
  return `${socketFolder(env["TMUX_TMPDIR"], uid)}/${value ?? DEFAULT}`;
}
