// The socket of a tmux server: a path is passed with -S, a name with -L; without either tmux uses its default.
import { AppError } from "../errors.ts";
import { readableWord } from "../shell/quoting.ts";
import { mayExist } from "../stat.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const DEFAULT = "default";

/**
 * Checks the socket that a caller or a setting names. No path has a NUL byte, and no program takes an argument with one.
 * @throws {AppError} `invalid-argument`
 */
export function checkSocket(socket: string | undefined): void {
  if (!socket?.includes("\0")) return;
  throw new AppError("invalid-argument", `Cannot use socket ${JSON.stringify(socket)}: it has a NUL byte`, {
    hint: "Give a name, or the path of a socket",
  });
}

/** Returns the arguments with which a tmux client uses this socket. */
export function socketArguments(socket: string | undefined): string[] {
  if (socket === undefined) return [];
  return socket.includes("/") ? ["-S", socket] : ["-L", socket];
}

/** Returns the socket as people write it. */
export function spellSocket(socket: string | undefined): string {
  return socket ?? DEFAULT;
}

/** Returns the arguments for a person's command line, for a socket as people write it. */
export function socketWords(spelled: string): string[] {
  return socketArguments(spelled === DEFAULT ? undefined : spelled).map(readableWord);
}

/**
 * Returns the environment without folders that are gone: tmux takes /tmp in place of such a TMUX_TMPDIR, and workers,
 * which may not read files, in place of such a TMPDIR.
 */
export function withUsableFolders(
  { TMUX_TMPDIR, TMPDIR, ...rest }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return {
    ...rest,
    ...(TMUX_TMPDIR && mayExist(TMUX_TMPDIR) && { TMUX_TMPDIR }),
    ...(TMPDIR && temporaryFolder({ TMPDIR }) === TMPDIR && { TMPDIR }),
  };
}

/** Folder in which tmux keeps the sockets that have a name. */
export function socketFolder(tmuxTmpdir: string | undefined, uid: number): string {
  return `${tmuxTmpdir || "/tmp"}/tmux-${uid}`;
}

/**
 * Returns the path that tmux itself would use for these arguments, environment and user; undefined for arguments that
 * don't name exactly one socket. Symbolic links in TMUX_TMPDIR are left as they are.
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
